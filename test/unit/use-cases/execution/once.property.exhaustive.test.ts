/**
 * Checks that an approval is good for one run, in any order of events (G16, G17).
 *
 * Only an approval that says so is remembered.
 */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { memorySessionStore } from '../../../../shared/adapters/memory/stores/session-store.ts';
import { runs } from '../../permissions/properties/arbitraries.ts';
import { redeemed } from '../running.ts';
import { bash, World } from '../world.ts';

const MINUTE = 60_000;
const GRANT_MS = 30 * MINUTE;
const COMMANDS = ['make all', 'make clean'] as const;
const SESSIONS = ['one', 'two'] as const;

type Step =
  | {
      readonly do: 'propose';
      readonly command: (typeof COMMANDS)[number];
      readonly sessionId: (typeof SESSIONS)[number];
    }
  | { readonly do: 'answer'; readonly which: number; readonly how: (typeof ANSWERS)[number] }
  | { readonly do: 'redeem'; readonly which: number }
  | { readonly do: 'wait'; readonly minutes: number };

const ANSWERS = ['approve', 'session', 'session-all-tools', 'reject', 'cancel'] as const;
const which = fc.nat(20);
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    do: fc.constant('propose' as const),
    command: fc.constantFrom(...COMMANDS),
    sessionId: fc.constantFrom(...SESSIONS),
  }),
  fc.record({ do: fc.constant('answer' as const), which, how: fc.constantFrom(...ANSWERS) }),
  fc.record({ do: fc.constant('redeem' as const), which }),
  fc.record({ do: fc.constant('wait' as const), minutes: fc.constantFrom(1, 29, 30, 61) }),
);

interface Proposed {
  readonly id: string;
  readonly command: string;
  readonly sessionId: string;
}
interface Remembered extends Pick<Proposed, 'sessionId'> {
  /** Undefined: of any arguments. */
  readonly command: string | undefined;
  readonly at: number;
}

/** Plays the steps, with what may be remembered kept beside the gate as plainly as possible. */
async function played(steps: readonly Step[]): Promise<void> {
  const world = new World();
  const sessions = memorySessionStore(world.gate.parts.state);
  const proposed: Proposed[] = [];
  const remembered: Remembered[] = [];
  const taken = new Map<string, number>();
  const at = (place: number): Proposed | undefined => proposed[place % Math.max(1, proposed.length)];

  const propose = async ({ command, sessionId }: Omit<Proposed, 'id'>) => {
    const one = { id: `p${proposed.length}`, command, sessionId };
    proposed.push(one);
    await world.send(bash(one.id, command, { sessionId }));
    const decision = await world.decision(one.id);
    if (decision?.outcome !== 'approved') return;
    expect(decision.reasonCode).toBe('cache_hit');
    const now = world.clock.now();
    const source = remembered.find(
      (other) =>
        other.sessionId === sessionId &&
        (other.command ?? command) === command &&
        other.at <= now &&
        now < other.at + GRANT_MS,
    );
    expect(source, `who approved ${command} in ${sessionId}`).toBeDefined();
  };
  const answer = async ({ id, command, sessionId }: Proposed, how: (typeof ANSWERS)[number]) => {
    if (await world.decision(id)) return;
    if (how === 'cancel')
      return world.send({ kind: 'cancel', proposalId: `cancel-${id}-${world.clock.now()}`, cancels: id });
    const remember = how === 'session' || how === 'session-all-tools' ? { remember: how } : {};
    const voted = await world.click(id, 'alice', how === 'reject' ? 'reject' : 'approve', remember);
    if (voted.kind !== 'counted' || !('remember' in remember)) return;
    remembered.push({ sessionId, command: how === 'session' ? command : undefined, at: world.clock.now() });
  };
  const redeem = async ({ id, command }: Proposed) => {
    const [call] = (await world.decision(id))?.calls ?? [];
    if (!call?.permit) return;
    const { permitId } = call.permit;
    const request = { agent: 'coder', proposalId: id, callId: call.id, permitId, toolName: 'Bash', input: { command } };
    const answers = await Promise.all([redeemed(world, request), redeemed(world, request)]);
    taken.set(permitId, (taken.get(permitId) ?? 0) + answers.filter(({ granted }) => granted).length);
    expect(taken.get(permitId)).toBeLessThanOrEqual(1);
  };

  for (const each of steps) {
    const one = 'which' in each ? at(each.which) : undefined;
    if (each.do === 'propose') await propose(each);
    else if (each.do === 'wait') await world.clock.advance(each.minutes * MINUTE);
    else if (each.do === 'answer' && one) await answer(one, each.how);
    else if (one) await redeem(one);
    for (const sessionId of SESSIONS) {
      const grants = (await sessions.read('coder', sessionId))?.grants ?? [];
      const times = remembered.filter((other) => other.sessionId === sessionId).map((other) => other.at);
      for (const { approvedAt } of grants) expect(times).toContain(Date.parse(approvedAt));
    }
  }
  expect(world.faults).toEqual([]);
}

test('G17 one approval is one run; a refusal, a cancel, an expiry and a plain approval leave no grant; a grant ends in time (G16)', async () => {
  await fc.assert(fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 14 }), played), { numRuns: runs(30) });
});
