/**
 * Fails every call of every port while an approval takes several steps (G18, G27, A9).
 *
 * Steps: a quorum, stages, an escalation, an edit that is asked about again, identical calls on one card. The next
 * person to act can see it within minutes, and each step counts once.
 */
import { describe, expect, test } from 'vitest';
import { arrive, brokenBy, check, insist, play, type Scenario } from './crash-play.ts';
import { bash, policyOf, type World } from './world.ts';

const MINUTE = 60_000;
/** Where the process ends, and where the answer is lost of a call that had its effect: the other two come to the same places. */
const FAILURES = [
  { kind: 'crash', when: 'before' },
  { kind: 'fault', when: 'after' },
] as const;
const SECURITY = 'C0SECURITY';

/** The reconciler had its turn: a card is where the people who are asked now look. */
async function cardIn(channel: string, world: World): Promise<void> {
  await world.clock.advance(2 * MINUTE + 10_000);
  const { approval, cards } = await world.row('p1');
  if (approval.status === 'pending') expect(cards.map((card) => card.channel)).toContain(channel);
}

const asked = async (world: World, id = 'p1') => {
  await world.send(bash(id));
  await arrive(world);
};

const APPROVERS =
  '  platform: { members: [alice], channel: approvals }\n  security: { members: [bob], channel: security }';
const pushes = (world: World) => world.edit('p1', 'alice', { command: 'git push --dry-run' });

const CASES: readonly (Scenario & { readonly policy: Parameters<typeof policyOf>[0] })[] = [
  {
    name: 'two people of one group',
    policy: {
      approvals: '{ approvers: platform, timeout: 8m }',
      ask: ["{ rule: 'Bash(git push:*)', severity: high }"],
    },
    run: async (world) => {
      await asked(world);
      await insist(() => world.click('p1', 'alice'), world);
      await cardIn('C0APPROVALS', world);
      await insist(() => world.click('p1', 'bob'), world);
    },
    outcomes: ['approved'],
    approvals: 2,
  },
  {
    name: 'two stages',
    policy: { approvals: '{ stages: [{ group: platform }, { group: security }], timeout: 8m }' },
    run: async (world) => {
      await asked(world);
      await insist(() => world.click('p1', 'alice'), world);
      await cardIn(SECURITY, world);
      await insist(() => world.click('p1', 'bob'), world);
    },
    outcomes: ['approved'],
    approvals: 2,
  },
  {
    name: 'a stage that is reminded of and escalates',
    policy: {
      approvers: APPROVERS,
      approvals: '{ stages: [{ group: platform, timeout: 4m, remind: 2m, escalateTo: security }], timeout: 12m }',
    },
    run: async (world) => {
      await asked(world);
      await world.clock.advance(3 * MINUTE);
      await cardIn(SECURITY, world);
      await insist(() => world.click('p1', 'bob'), world);
    },
    outcomes: ['approved'],
    check: async (world) => {
      const steps = (await world.audit('p1')).filter(({ type }) => type === 'stage');
      expect(steps.filter(({ reasonCode }) => reasonCode === 'escalated')).toHaveLength(1);
    },
  },
  {
    name: 'an edit that is asked about again',
    policy: { approvals: '{ approvers: platform, timeout: 8m }' },
    run: async (world) => {
      await asked(world);
      await insist(() => pushes(world), world);
      await cardIn('C0APPROVALS', world);
      // One that was posted and never registered stays as it was (A22).
      for (const { channel, ts } of (await world.row('p1')).cards)
        expect(JSON.stringify(world.slack.cards.get(`${channel}#${ts}`)?.blocks)).toContain('--dry-run');
      await insist(() => world.click('p1', 'bob'), world);
    },
    outcomes: ['approved'],
    check: async (world) => {
      const [call] = (await world.decided('p1')).calls;
      expect(call?.effective?.input).toEqual({ command: 'git push --dry-run' });
    },
  },
  {
    name: 'an edit that a hook wants people asked about',
    policy: { approvals: '{ approvers: platform, timeout: 8m }', ask: [], more: 'hooks: { review: { function: f } }' },
    hook: () => 'ask',
    run: async (world) => {
      await asked(world);
      await insist(() => pushes(world), world);
      await cardIn('C0APPROVALS', world);
      await insist(() => world.click('p1', 'bob'), world);
    },
    outcomes: ['approved'],
    check: async (world) => {
      const [call] = (await world.decided('p1')).calls;
      expect(call?.effective?.input).toEqual({ command: 'git push --dry-run' });
    },
  },
  {
    name: 'an edit that a hook denies',
    policy: {
      approvals: '{ approvers: platform, timeout: 8m }',
      ask: [],
      more: 'hooks: { review: { function: f, onFailure: deny } }',
    },
    hook: (command) => (command.includes('--dry-run') ? 'deny' : 'ask'),
    run: async (world) => {
      await asked(world);
      await insist(() => pushes(world), world);
      await world.clock.advance(2 * MINUTE + 10_000);
    },
    outcomes: ['denied'],
  },
  {
    name: 'identical calls on one card',
    policy: { approvals: '{ approvers: platform, timeout: 8m }' },
    run: async (world) => {
      await asked(world);
      await asked(world, 'p2');
      await insist(() => world.click('p1', 'alice'), world);
    },
    outcomes: ['approved'],
    check: async (world) => {
      const [one, two] = [await world.decided('p1'), await world.decided('p2')];
      expect(two.outcome).toBe('approved');
      expect(one.calls[0]?.permit?.permitId).not.toBe(two.calls[0]?.permit?.permitId);
    },
  },
  {
    name: 'identical calls, the first is cancelled and the other asks alone',
    policy: { approvals: '{ approvers: platform, timeout: 12m }' },
    run: async (world) => {
      await asked(world, 'p2');
      await asked(world);
      await world.send({ kind: 'cancel', proposalId: 'c1', cancels: 'p2' });
      await cardIn('C0APPROVALS', world);
      await insist(() => world.click('p1', 'alice'), world);
    },
    outcomes: ['approved'],
    check: async (world) => expect((await world.decided('p2')).outcome).toBe('cancelled'),
  },
];

describe.each(CASES)('$name', (scenario) => {
  const document = policyOf(scenario.policy);
  let calls = 0;
  test('comes to its decision with no failure at all', async () => {
    const played = await play(scenario, document, undefined);
    await check(scenario, played);
    calls = played.calls;
  });

  test.each(FAILURES)('comes to one decision after a $kind $when each port call', async (failure) => {
    expect(calls).toBeGreaterThan(20);
    expect(await brokenBy(scenario, document, failure, calls)).toEqual([]);
  });
});
