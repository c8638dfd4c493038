/** Checks the times that people and agents feel, on the memory adapters and a simulated clock. */
import { describe, expect, test } from 'vitest';
import { figuresOf } from '../../../functions/runtime/telemetry/figures.ts';
import type { MetricName } from '../../../shared/config/metric-names.ts';
import { CANARY } from '../../../shared/domain/canary.ts';
import type { GateEvent } from '../../../shared/ports/gate-events.ts';
import { type Control, NO_CONTROL } from '../../../shared/ports/stores/control.ts';
import { type EventfulStores, withEvents } from '../../../shared/use-cases/audit/emit-events.ts';
import { oldestByGroup, oldestPause, withoutCard } from '../../../shared/use-cases/reconcile/ages.ts';
import { bash, World } from './world.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** A world whose events are measured. */
function measured() {
  const told: GateEvent[] = [];
  const shown: number[] = [];
  const broken = { claims: false };
  const wrap = <Port extends object>(name: string, port: Port): Port => {
    if (name !== 'approvals' && name !== 'claims') return port;
    const stores = withEvents(
      { [name]: port, [name === 'claims' ? 'approvals' : 'claims']: {}, audit: {} } as unknown as EventfulStores,
      {
        emit: (event) => void told.push(event as GateEvent),
      },
    );
    const { claims } = stores;
    const failing = {
      ...claims,
      async readBatch(...given: Parameters<typeof claims.readBatch>) {
        if (broken.claims) throw new Error('the table is away');
        return claims.readBatch(...given);
      },
    };
    return (name === 'claims' ? failing : stores.approvals) as unknown as Port;
  };
  const world = new World(undefined, { wrap, onShown: (ms) => void shown.push(ms) });
  /** The samples of a metric with its dimensions, in the order of their writing. */
  const samples = (metric: MetricName) =>
    told.flatMap(figuresOf).flatMap(({ values, by }) => (metric in values ? [[values[metric], ...by]] : []));
  return { world, samples, shown, broken };
}

describe('an agent waits', () => {
  test('nothing where rules decide at once, and by the path of the decision', async () => {
    const { world, samples } = measured();
    await world.send(bash('p1', 'git status'));
    await world.send(bash('p2', 'rm -rf /'));
    await world.send(bash('p3'));
    expect(samples('DecisionLatency')).toEqual([
      [0, { path: 'allow' }, { way: 'rules' }],
      [0, { path: 'deny' }, { way: 'rules' }],
      [0, { path: 'ask' }, { way: 'rules' }],
    ]);
  });

  test('from its first send, however often the message came before it was judged', async () => {
    const { world, samples, broken } = measured();
    broken.claims = true;
    await world.send(bash('p1', 'git status'));
    await world.clock.advance(10 * MINUTE);
    expect(samples('DecisionLatency')).toEqual([]);
    broken.claims = false;
    await world.clock.advance(10 * MINUTE);
    const [[latency, ...by] = []] = samples('DecisionLatency');
    expect(by).toEqual([{ path: 'allow' }, { way: 'rules' }]);
    expect(latency).toBeGreaterThan(10 * MINUTE);
  });
});

describe('people', () => {
  test('see a card, and answer: each time is counted once, from its own beginning', async () => {
    const { world, samples, shown } = measured();
    await world.send(bash('p1'));
    expect(shown).toEqual([0]);
    await world.clock.advance(5 * MINUTE);
    await world.click('p1', 'alice');
    await world.rest();
    expect(samples('TimeToAnswer')).toEqual([[5 * MINUTE, { group: 'platform' }]]);
    expect(samples('ApprovalWait')).toEqual([[5 * MINUTE, { status: 'approved' }]]);
    expect(samples('AnswerDelay')).toEqual([[0]]);
    expect(samples('ExpiryLag')).toEqual([]);
    expect(shown).toEqual([0]);
  });

  test('who never answer take no time to answer: the decision is late by what passed since the end', async () => {
    const { world, samples } = measured();
    await world.send(bash('p1'));
    await world.clock.advance(HOUR + 3_000);
    expect(samples('TimeToAnswer')).toEqual([]);
    expect(samples('ApprovalWait')).toEqual([[expect.closeTo(HOUR, -4), { status: 'expired' }]]);
    const [[lag] = []] = samples('ExpiryLag') as number[][];
    expect(lag).toBeLessThanOrEqual(3_000);
    expect(samples('AnswerDelay')).toEqual([]);
  });

  test('whom Slack keeps from the card see it when Slack is back', async () => {
    const { world, shown } = measured();
    world.slack.down = true;
    await world.send(bash('p1'));
    await world.clock.advance(10 * MINUTE);
    expect(shown).toEqual([]);
    world.slack.down = false;
    await world.clock.advance(20 * MINUTE);
    expect(shown).toHaveLength(1);
    expect(shown[0]).toBeGreaterThan(10 * MINUTE);
  });
});

describe('a question without a card', () => {
  const waiting = ({ world }: ReturnType<typeof measured>, proposalId: string, since: number) => [
    { pid: world.pid(proposalId), since },
  ];

  test('is counted two minutes after it was asked, and no longer once people see it', async () => {
    const own = measured();
    const { world } = own;
    const asked = world.clock.now();
    world.slack.down = true;
    await world.send(bash('p1'));
    const hidden = () =>
      withoutCard(waiting(own, 'p1', asked), { approvals: world.look.approvals, clock: world.clock });
    await world.clock.advance(2 * MINUTE - 1);
    expect(await hidden()).toBe(0);
    await world.clock.advance(1);
    expect(await hidden()).toBe(1);
    world.slack.down = false;
    await world.clock.advance(20 * MINUTE);
    expect(await hidden()).toBe(0);
  });

  test('is none of the canary: it never has a card', async () => {
    const own = measured();
    const { world } = own;
    const asked = world.clock.now();
    world.slack.down = true;
    await world.send(bash('p1'));
    await world.clock.advance(10 * MINUTE);
    const approvals = {
      async read(pid: string) {
        const view = await world.look.approvals.read(pid);
        return view && { ...view, approval: { ...view.approval, agent: CANARY } };
      },
    };
    expect(await withoutCard(waiting(own, 'p1', asked), { approvals, clock: world.clock })).toBe(0);
  });

  test('is none once it has ended, or was never there', async () => {
    const own = measured();
    const { world } = own;
    const asked = world.clock.now();
    world.slack.down = true;
    await world.send(bash('p1'));
    await world.click('p1', 'alice');
    await world.clock.advance(10 * MINUTE);
    const parts = { approvals: world.look.approvals, clock: world.clock };
    expect(await withoutCard(waiting(own, 'p1', asked), parts)).toBe(0);
    expect(await withoutCard(waiting(own, 'p2', asked), parts)).toBe(0);
  });
});

describe('the oldest question of each group', () => {
  test('is by the names of the policy file; all others are one series', () => {
    const oldest = new Map([
      ['platform', 1_000],
      ['of-an-older-policy', 400],
      ['of-another', 300],
    ]);
    expect(oldestByGroup(oldest, ['platform', 'security'], 5_000)).toEqual([
      { group: 'platform', ms: 4_000 },
      { group: 'other', ms: 4_700 },
    ]);
  });

  test('never is the canary: nobody waits for it', () =>
    expect(oldestByGroup(new Map([[CANARY, 1]]), ['platform', CANARY], 5_000)).toEqual([]));

  test('asked in the future of this clock is of no age', () =>
    expect(oldestByGroup(new Map([['a', 9]]), ['a'], 5)).toEqual([{ group: 'a', ms: 0 }]));
});

describe('a pause', () => {
  const holding = (...pauses: Control['pauses']) => ({ ...NO_CONTROL, pauses });
  const one = { scope: { all: true }, effect: 'deny', reason: 'r', by: 'oncall' } as const;

  test('is as old as the one that holds the longest', () => {
    const agent = { ...one, scope: { agent: 'coder' }, since: 3_000 } as const;
    expect(oldestPause(holding({ ...one, since: 2_000 }, agent), 10_000)).toBe(8_000);
    expect(oldestPause(holding({ ...one, since: 2_000, until: 9_999 }, agent), 10_000)).toBe(7_000);
  });

  test('of none, and of a release that stated no time, is 0', () => {
    expect(oldestPause(NO_CONTROL, 10_000)).toBe(0);
    expect(oldestPause(holding(one), 10_000)).toBe(0);
  });

  test('is no younger for being named again, and begins anew after it was lifted', async () => {
    const world = new World();
    const operate = async (effect: string) => {
      const operation = {
        kind: 'pause',
        operationId: `o-${effect}-${world.clock.now()}`,
        reason: 'drill',
        scope: { agent: 'coder' },
        effect,
      };
      world.gate.operateAs('oncall', JSON.stringify(operation));
      await world.rest();
    };
    const age = async () => oldestPause(await world.look.control.read(), world.clock.now());
    await operate('ask');
    await world.clock.advance(HOUR);
    await operate('deny');
    expect(await age()).toBe(HOUR);
    await world.clock.advance(MINUTE);
    await operate('lift');
    expect(await age()).toBe(0);
    await world.clock.advance(MINUTE);
    await operate('deny');
    await world.clock.advance(MINUTE);
    expect(await age()).toBe(MINUTE);
  });
});
