/** Checks the policy with a person: the questions, silence, substitutes and failing channels. */
import { describe, expect, test, vi } from 'vitest';
import {
  type ApprovalChannel,
  ApprovalResult,
  FirstAvailablePolicy,
  HumanInTheLoopPolicy,
  PriorityPolicy,
  TimeoutBehavior,
} from '../../../shared/policies/index.ts';
import { anAction, aSnapshot, aSpace, deepFreeze, proposing, recorder } from './builders.ts';

const snapshot = deepFreeze(aSnapshot());
const answering = (result: ApprovalResult) =>
  ({ requestApproval: vi.fn(async () => result) }) satisfies ApprovalChannel;
const first = new FirstAvailablePolicy();

describe('HumanInTheLoopPolicy', () => {
  test('asks nobody about nothing (R0-025, R0-026)', async () => {
    const channel = answering(ApprovalResult.Approved);
    const delegate = { choose: vi.fn(async () => null) };
    const policy = new HumanInTheLoopPolicy(delegate, channel, 1000);
    expect(await policy.choose(aSpace(), snapshot)).toBeNull();
    expect(delegate.choose).not.toHaveBeenCalled();
    expect(await policy.choose(aSpace('a'), snapshot)).toBeNull();
    expect(channel.requestApproval).not.toHaveBeenCalled();
  });

  test('shows the proposal with the whole space and the snapshot, once (R0-027)', async () => {
    const channel = answering(ApprovalResult.Approved);
    const space = deepFreeze(aSpace('a', 'b'));
    const chosen = await new HumanInTheLoopPolicy(new PriorityPolicy(['b']), channel, 1000).choose(space, snapshot);
    expect(chosen).toBe(space.actions[1]);
    expect(channel.requestApproval.mock.calls).toEqual([[space.actions[1], space, snapshot]]);
  });

  test('the constructor rejects on silence unless told otherwise (R0-036, R0-037)', () => {
    const policy = new HumanInTheLoopPolicy(first, answering(ApprovalResult.Timeout), 60_000);
    expect(policy).toMatchObject({ timeout: 60_000, timeoutBehavior: 'reject' });
  });

  test.each([
    ['approved', ApprovalResult.Approved, 'a', 'human approved a'],
    ['rejected', ApprovalResult.Rejected, null, 'human rejected a'],
    ['a substitute', ApprovalResult.Substitute(anAction('b')), 'b', 'human substituted b'],
    ['the proposal as substitute', ApprovalResult.Substitute(anAction('a')), 'a', 'human approved a'],
    ['a substitute outside', ApprovalResult.Substitute(anAction('z')), null, 'human substitute_outside_space z'],
    ['nobody', ApprovalResult.Timeout, null, 'human timeout_rejected a'],
  ])('%s', async (_name, result, expected, line) => {
    const recorded = recorder();
    const chosen = await new HumanInTheLoopPolicy(first, answering(result), 1000).choose(aSpace('a', 'b'), snapshot, {
      observe: recorded.observer,
    });
    expect(chosen?.flow_id ?? null).toBe(expected);
    expect(recorded.lines()).toEqual(['human.delegate/first-available chosen a', line]);
  });

  test('silence approves only where the policy says so (R0-035)', async () => {
    const policy = new HumanInTheLoopPolicy(first, answering(ApprovalResult.Timeout), 1000, TimeoutBehavior.Approve);
    expect((await policy.choose(aSpace('a'), snapshot))?.flow_id).toBe('a');
  });

  test('a substitute is the space’s own copy, whatever the channel wrote into it (R0-032)', async () => {
    const mine = anAction('b', { instance_bindings: { Order: ['1'] } });
    const theirs = anAction('b', { persona_id: 'attacker', instance_bindings: { Order: ['2'] } });
    const policy = new HumanInTheLoopPolicy(first, answering(ApprovalResult.Substitute(theirs)), 1000);
    expect(await policy.choose(aSpace('a', mine), snapshot)).toBe(mine);
  });

  test('of two actions of one flow, the one that the person picked', async () => {
    const [one, two] = [
      anAction('b', { instance_bindings: { Order: ['1'] } }),
      anAction('b', { instance_bindings: { Order: ['2'] } }),
    ];
    const policy = new HumanInTheLoopPolicy(first, answering(ApprovalResult.Substitute(structuredClone(two))), 1000);
    expect(await policy.choose(aSpace('a', one, two), snapshot)).toBe(two);
  });

  test('a channel that fails, or answers what nobody knows, has refused (R0-041)', async () => {
    const channels: ApprovalChannel[] = [
      { requestApproval: () => Promise.reject(new Error('down')) },
      {
        requestApproval: () => {
          throw new Error('down');
        },
      },
      { requestApproval: async () => ({ type: 'shrug' }) as unknown as ApprovalResult },
      { requestApproval: async () => undefined as unknown as ApprovalResult },
      { requestApproval: async () => ({ type: 'substitute' }) as unknown as ApprovalResult },
    ];
    for (const channel of channels) {
      const policy = new HumanInTheLoopPolicy(first, channel, 1000, TimeoutBehavior.Approve);
      expect(await policy.choose(aSpace('a'), snapshot)).toBeNull();
    }
  });

  test('a delegate that proposes outside the space: none, and nobody is asked (R0-042)', async () => {
    const recorded = recorder();
    const channel = answering(ApprovalResult.Approved);
    const policy = new HumanInTheLoopPolicy(proposing(anAction('z')), channel, 1000);
    expect(await policy.choose(aSpace('a'), snapshot, { observe: recorded.observer })).toBeNull();
    expect(channel.requestApproval).not.toHaveBeenCalled();
    expect(recorded.lines()).toEqual(['human delegate_outside_space z']);
  });
});
