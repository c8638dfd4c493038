/**
 * Checks every channel of a policy, whoever answers at its other end (R0-040).
 *
 * `make` gives one whose person answers so, or fails.
 */
import { describe, expect, test } from 'vitest';
import {
  type ApprovalChannel,
  ApprovalResult,
  FirstAvailablePolicy,
  HumanInTheLoopPolicy,
} from '../../../../shared/policies/index.ts';
import { anAction, aSnapshot, aSpace } from '../../policies/builders.ts';

export const space = aSpace('a', 'b', 'c');
export const proposed = space.actions[0] ?? anAction('a');
export const snapshot = aSnapshot();

/** A channel, and how to let go of what it holds. */
export interface MadeChannel {
  readonly channel: ApprovalChannel;
  close?(): unknown;
}
type MakeChannel = (result: ApprovalResult | 'fails') => MadeChannel | Promise<MadeChannel>;

export function channelContract(name: string, make: MakeChannel): void {
  const using = async (result: ApprovalResult | 'fails', work: (channel: ApprovalChannel) => Promise<void>) => {
    const made = await make(result);
    try {
      await work(made.channel);
    } finally {
      await made.close?.();
    }
  };

  describe(`the ${name} channel`, () => {
    test.each([
      ApprovalResult.Approved,
      ApprovalResult.Rejected,
      ApprovalResult.Substitute(space.actions[2] ?? proposed),
    ])('passes on %j', (result) =>
      using(result, async (channel) => {
        expect(await channel.requestApproval(proposed, space, snapshot)).toMatchObject(result);
      }),
    );

    test('changes nothing of what it was given (R0-005)', () =>
      using(ApprovalResult.Approved, async (channel) => {
        const before = structuredClone({ space, snapshot });
        await channel.requestApproval(proposed, space, snapshot);
        expect({ space, snapshot }).toEqual(before);
      }));

    test('that fails is a refusal to the policy that asks, never an approval (R0-041)', () =>
      using('fails', async (channel) => {
        const policy = new HumanInTheLoopPolicy(new FirstAvailablePolicy(), channel, 1_000);
        expect(await policy.choose(space, snapshot)).toBeNull();
      }));

    test('gives a substitute that the policy takes as the space has it (R0-032)', () =>
      using(ApprovalResult.Substitute(space.actions[1] ?? proposed), async (channel) => {
        const policy = new HumanInTheLoopPolicy(new FirstAvailablePolicy(), channel, 1_000);
        expect(await policy.choose(space, snapshot)).toBe(space.actions[1]);
      }));
  });
}
