/**
 * A failure at every call of every port, before and after its effect: redelivery, the workflow's retries and the reconciler bring each case
 * to one decision (G27, G33, A6–A8).
 */
import { describe, expect, test } from 'vitest';
import { Failing, type Failure } from './crashes.ts';
import { bash, policyOf, World } from './world.ts';

const MINUTE = 60_000;
/** People have six minutes: each minute more would be another place to fail at, and nothing new. */
const SHORT = policyOf({ approvals: '{ approvers: platform, timeout: 6m }' });

interface Scenario {
  readonly name: string;
  readonly run: (world: World) => Promise<void>;
  /** What the agent may be told in the end; more than one where people may not come through at all. */
  readonly outcomes: readonly string[];
}

/** A person whose click failed clicks again; one whose click counted, though the answer was lost, is told that it is decided. */
async function insist(click: () => Promise<unknown>, world: World): Promise<void> {
  for (let attempt = 0; attempt < 3; attempt++) {
    try {
      await click();
      return;
    } catch {
      await world.clock.advance(5_000);
    }
  }
}

const once = (click: () => Promise<unknown>): Promise<unknown> => click().catch(() => undefined);
/** Long enough for a message that was put back once. */
const arrive = (world: World) => world.clock.advance(70_000);

const SCENARIOS: readonly Scenario[] = [
  { name: 'allow', run: (world) => world.send(bash('p1', 'git status')), outcomes: ['approved'] },
  { name: 'deny', run: (world) => world.send(bash('p1', 'rm x')), outcomes: ['denied'] },
  {
    name: 'ask, approve, click again if it failed',
    run: async (world) => {
      await world.send(bash('p1'));
      await arrive(world);
      await insist(() => world.click('p1', 'alice'), world);
    },
    outcomes: ['approved'],
  },
  {
    name: 'ask, approve, click once',
    run: async (world) => {
      await world.send(bash('p1'));
      await arrive(world);
      await once(() => world.click('p1', 'alice'));
    },
    outcomes: ['approved', 'expired'],
  },
  {
    name: 'ask, reject',
    run: async (world) => {
      await world.send(bash('p1'));
      await arrive(world);
      await insist(() => world.click('p1', 'bob', 'reject'), world);
    },
    outcomes: ['denied'],
  },
  { name: 'ask, nobody answers', run: (world) => world.send(bash('p1')), outcomes: ['expired'] },
  {
    name: 'ask, cancel',
    run: async (world) => {
      await world.send(bash('p1'));
      await arrive(world);
      await world.send({ kind: 'cancel', proposalId: 'c1', cancels: 'p1' });
    },
    outcomes: ['cancelled'],
  },
  {
    name: 'a cancel that overtakes its proposal',
    run: async (world) => {
      await world.send({ kind: 'cancel', proposalId: 'c1', cancels: 'p1' });
      await arrive(world);
      await world.send(bash('p1'));
    },
    outcomes: ['cancelled'],
  },
  {
    name: 'the same proposal three times, then approve',
    run: async (world) => {
      const sends = [1, 2, 3].map(() => world.send(bash('p1')));
      await Promise.all(sends);
      await arrive(world);
      await insist(() => world.click('p1', 'alice'), world);
    },
    outcomes: ['approved'],
  },
  {
    name: 'ask, the execution is aborted, approve',
    run: async (world) => {
      await world.send(bash('p1'));
      await arrive(world);
      world.gate.workflow.stop();
      await insist(() => world.click('p1', 'alice'), world);
    },
    outcomes: ['approved'],
  },
  {
    name: 'an operator approves',
    run: async (world) => {
      await world.send(bash('p1'));
      await arrive(world);
      world.gate.operateAs(
        'oncall',
        JSON.stringify({
          kind: 'decide',
          operationId: 'o1',
          agent: 'coder',
          proposalId: 'p1',
          choice: 'approve',
          reason: 'Slack is down',
        }),
      );
      await world.rest();
    },
    outcomes: ['approved'],
  },
];

async function play(scenario: Scenario, failure: Failure | undefined) {
  const failing: Failing = new Failing(failure, () => world.clock);
  const world: World = new World(SHORT, {
    wrap: failing.wrap,
  });
  await scenario.run(world);
  const ended = world.clock.now();
  await world.clock.advance(5 * MINUTE);
  const soon = await decisionSoon(world);
  await world.clock.advance(5 * MINUTE);
  return { world, failing, soon, ended };
}

/** The row that ended has its decision within the reconciler's time. */
async function decisionSoon(world: World): Promise<boolean> {
  const view = await world.look.approvals.read(world.pid('p1'));
  return !view || view.approval.status === 'pending' || view.decision !== undefined;
}

async function check(world: World, scenario: Scenario, soon: boolean): Promise<void> {
  const decision = await world.decided('p1');
  expect(scenario.outcomes).toContain(decision.outcome);
  expect(soon, 'a row that ended is decided within minutes').toBe(true);

  const types = (await world.audit('p1')).map(({ type }) => type);
  const view = await world.look.approvals.read(world.pid('p1'));
  const claims = types.filter((type) => type === 'evaluated' || type === 'cancel').length;
  expect(claims).toBeGreaterThanOrEqual(1);
  expect(types.filter((type) => type === 'decided')).toHaveLength(view ? 1 : 0);
  expect([world.waiting('agent', 'coder'), world.waiting('group', 'platform')].map(Math.abs)).toEqual([0, 0]);
  expect(await world.look.approvals.due(Number.MAX_SAFE_INTEGER, 10), 'nothing is left to look after').toEqual([]);
  expect(world.gate.workflow.waiting, 'every token was answered').toBe(0);
  for (const queue of Object.values(world.gate.queues)) expect(queue.deadLetters).toEqual([]);

  const replies = world.gate.replies.sentTo('coder').filter(({ proposalId }) => proposalId === 'p1');
  expect(replies.length, 'the agent’s queue got the decision').toBeGreaterThan(0);
  for (const reply of replies) expect(reply).toEqual(decision);

  if (!view) return;
  expect(view.decision).toEqual(decision);
  const approvals = view.approval.votes.filter(({ choice }) => choice === 'approve');
  if (decision.outcome === 'approved') expect(approvals.length, 'nothing is approved without people (G9)').toBe(1);
  const word = { approved: 'Approved', denied: 'Rejected', expired: 'Expired', cancelled: 'Cancelled' }[
    decision.outcome as 'approved'
  ];
  // A card that was posted and never registered stays as it was, until somebody clicks on it (A22).
  for (const { channel, ts } of view.cards) {
    expect(world.slack.cards.get(`${channel}#${ts}`)?.text, 'the card shows how it ended').toContain(word);
  }
}

const KINDS = (['before', 'after'] as const).flatMap((when) =>
  (['fault', 'crash'] as const).map((kind) => ({ when, kind })),
);

describe.each(SCENARIOS)('$name', (scenario) => {
  test('comes to its decision with no failure at all', async () => {
    const { world, soon } = await play(scenario, undefined);
    await check(world, scenario, soon);
  });

  test.each(KINDS)('comes to one decision after a $kind $when each port call', async ({ when, kind }) => {
    const broken: string[] = [];
    for (let at = 1; ; at++) {
      const { world, failing, soon } = await play(scenario, { at, when, kind });
      if (!failing.hit) break;
      await check(world, scenario, soon).catch((error: Error) =>
        broken.push(`${at}: ${failing.hit}: ${error.message.split('\n').slice(0, 3).join(' ')}`),
      );
    }
    expect(broken).toEqual([]);
  });
});
