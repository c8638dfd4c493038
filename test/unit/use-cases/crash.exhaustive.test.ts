/**
 * Fails every call of every port, before and after its effect (G27, G33, A6–A8).
 *
 * Redelivery, the workflow's retries and the reconciler bring each case to one decision.
 */
import { describe, expect, test } from 'vitest';
import { arrive, brokenBy, check, insist, KINDS, play, type Scenario } from './crash-play.ts';
import { bash, policyOf } from './world.ts';

/** People have six minutes: each minute more would be another place to fail at, and nothing new. */
const SHORT = policyOf({ approvals: '{ approvers: platform, timeout: 6m }' });

const once = (click: () => Promise<unknown>): Promise<unknown> => click().catch(() => undefined);
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

describe.each(SCENARIOS)('$name', (scenario) => {
  test('comes to its decision with no failure at all', async () => {
    await check(scenario, await play(scenario, SHORT, undefined));
  });

  test.each(KINDS)('comes to one decision after a $kind $when each port call', async (failure) => {
    expect(await brokenBy(scenario, SHORT, failure)).toEqual([]);
  });
});
