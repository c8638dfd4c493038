/** One agent's slow runs leave the others their share of what may run at once (G34). */
import { describe, expect, test } from 'vitest';
import type { MemoryGateOptions } from '../../../../shared/adapters/memory/gate-parts.ts';
import { memorySenderId } from '../../../../shared/adapters/memory/senders.ts';
import type { SlotStore } from '../../../../shared/ports/stores/guardrail-state.ts';
import { executeFairly } from '../../../../shared/use-cases/execution/execute-fairly.ts';
import { deliberateFairly } from '../../../../shared/use-cases/intake/deliberate-fairly.ts';
import { intake } from '../../../../shared/use-cases/intake/evaluation/intake.ts';
import { approvedCall, guarded, requestRun, resultOf, scriptedTools, TOOLS } from '../running.ts';
import { bash, policyOf, World } from '../world.ts';

const MINUTE = 60_000;
/** The tools' own limits are wide, so that only the share of the agent bounds the calls that run at once. */
const NAMES = ['Refund', 'Save', 'Search'];

/** Runs last so long; each is noted when it begins and when it ends. */
function slowWorld(runMs: number) {
  const scripted = scriptedTools(...NAMES);
  const wide = '{ timeoutMs: 200000, maxConcurrent: 100, ratePerSecond: 1000, burst: 1000 }';
  const policy = guarded(`{ tools: { ${NAMES.map((name) => `${name}: ${wide}`).join(', ')} } }`);
  const world: World = new World(policy, { tools: scripted.tools });
  const running = new Map<string, number>();
  const most = new Map<string, number>();
  const began: { readonly agent: string; readonly at: number }[] = [];
  scripted.behave = async ({ input }) => {
    const agent = String((input as { agent: string }).agent);
    began.push({ agent, at: world.clock.now() });
    running.set(agent, (running.get(agent) ?? 0) + 1);
    most.set(agent, Math.max(most.get(agent) ?? 0, running.get(agent) ?? 0));
    await new Promise<void>((resolve) => world.clock.after(runMs, resolve));
    running.set(agent, (running.get(agent) ?? 1) - 1);
    return { done: true };
  };
  const request = async (agent: string, id: string) => {
    const toolName = NAMES[Number(id.slice(1)) % NAMES.length] ?? '';
    const call = await approvedCall(world, { proposalId: id, toolName, input: { agent, id } }, agent);
    return () => requestRun(world, call, `r-${id}`);
  };
  return { world, began, most, request };
}

describe('while one agent floods the queue with slow runs', () => {
  test('another agent’s run begins within two seconds, and the flood is run to its end', async () => {
    const { world, began, most, request } = slowWorld(2 * MINUTE);
    const flood = await Promise.all(Array.from({ length: 150 }, (_, index) => request('coder', `f${index}`)));
    const other = await Promise.all(Array.from({ length: 5 }, (_, index) => request('writer', `w${index}`)));
    for (const send of flood) await send();
    await world.clock.advance(30_000);
    for (const send of other) {
      const sentAt = world.clock.now();
      const before = began.filter(({ agent }) => agent === 'writer').length;
      await send();
      await world.clock.advance(2_000);
      const mine = began.filter(({ agent }) => agent === 'writer').slice(before);
      expect(mine).toHaveLength(1);
      expect((mine[0]?.at ?? Number.POSITIVE_INFINITY) - sentAt).toBeLessThanOrEqual(2_000);
    }
    expect(most.get('coder')).toBe(20);
    await world.clock.advance(60 * MINUTE);
    // Each got its answer: run, or refused by a permit that ran out while it waited.
    for (let index = 0; index < 150; index++) expect(await resultOf(world, `f${index}`, `r-f${index}`)).toBeDefined();
    expect(world.gate.queues.executions.deadLetters).toEqual([]);
    expect(most.get('coder')).toBe(20);
  });

  test('a flood of its own holds up the agent itself, and a run that ended makes room for the next', async () => {
    const { world, began, request } = slowWorld(10_000);
    const flood = await Promise.all(Array.from({ length: 40 }, (_, index) => request('coder', `f${index}`)));
    for (const send of flood) await send();
    expect(began).toHaveLength(20);
    await world.clock.advance(MINUTE);
    expect(began).toHaveLength(40);
  });
});

/** The share of every agent is taken. */
const FULL: SlotStore = {
  acquire: async () => ({ acquired: false, inUse: 20 }),
  release: async () => undefined,
  inUse: async () => 20,
};

describe('a run that waits for the share of its agent', () => {
  /** A call that `how` approved, and a delivery of the request to run it; the share is full. */
  async function waitingRun(how: 'a rule' | 'a person') {
    const { tools, calls } = scriptedTools('Save');
    const rules = how === 'a person' ? { ask: ['Save'], allow: [] } : { ask: [], allow: ['Save'] };
    const world = new World(policyOf({ ...rules, more: TOOLS }), { tools });
    const call = { id: 'c', toolName: 'Save', input: { id: 'p' } };
    await world.send({ kind: 'tool-call', proposalId: 'p', calls: [call] });
    if (how === 'a person') await world.click('p', 'alice');
    const permit = (await world.decided('p')).calls[0]?.permit;
    const { toolName, input } = call;
    const request = { proposalId: 'p', callId: 'c', permitId: permit?.permitId, requestId: 'r', toolName, input };
    const message = {
      messageId: 'm',
      raw: JSON.stringify(request),
      principal: memorySenderId('agents', 'coder'),
      firstSentAt: world.clock.now(),
    };
    let sentAnew = 0;
    const runs = { carry: async () => void sentAnew++ };
    const deliver = async (more: Record<string, unknown> = {}) => {
      const deadlineAt = world.clock.now() + 100_000;
      await executeFairly({ ...message, ...more, deadlineAt }, world.gate.parts, { slots: FULL, runs });
    };
    return { world, calls, request, deliver, sentAnew: () => sentAnew };
  }

  test.each([
    ['a rule', 15 * MINUTE],
    ['a person', 24 * 60 * MINUTE],
  ] as const)(
    'and that %s allowed waits for as long as its permit lasts, and is refused then',
    async (how, lastsMs) => {
      const { world, calls, deliver, sentAnew } = await waitingRun(how);
      const waits = [0, lastsMs / 4, lastsMs / 4, lastsMs / 2 - MINUTE];
      for (const waitMs of waits) {
        await world.clock.advance(waitMs);
        await deliver();
      }
      expect(sentAnew()).toBe(waits.length);
      expect(await resultOf(world, 'p', 'r')).toBeUndefined();
      await world.clock.advance(MINUTE);
      await deliver();
      expect(sentAnew()).toBe(waits.length);
      expect(await resultOf(world, 'p', 'r')).toMatchObject({ status: 'refused', error: { code: 'permit_expired' } });
      expect(calls).toEqual([]);
    },
  );

  test.each([
    ['names no permit', { permitId: 'f'.repeat(32) }, 'unknown_permit'],
    ['cannot be read', { input: 7 }, 'InvalidRequest'],
  ])('and that %s is refused after a quarter of an hour', async (_, more, code) => {
    const { world, calls, request, deliver } = await waitingRun('a person');
    const raw = JSON.stringify({ ...request, ...more });
    await deliver({ raw });
    expect(await resultOf(world, 'p', 'r')).toBeUndefined();
    await world.clock.advance(15 * MINUTE);
    await deliver({ raw });
    expect(await resultOf(world, 'p', 'r')).toMatchObject({ status: 'refused', error: { code } });
    expect(calls).toEqual([]);
  });
});

/** A hook that takes three seconds looks at each call. */
function hookedWorld(options: Partial<MemoryGateOptions> = {}) {
  const began: { readonly agent: string; readonly at: number }[] = [];
  const running = new Map<string, number>();
  const most = new Map<string, number>();
  const world: World = new World(
    policyOf({
      agents: ['coder', 'writer']
        .map((name) => `  ${name}: { owner: olga, rate: { perSecond: 1000, burst: 1000 } }`)
        .join('\n'),
      more: 'hooks:\n  review: { function: review, timeout: 5s }',
    }),
    {
      hooks: {
        after: (ms, work) => world.clock.after(ms, work),
        caller: {
          async call(_, text) {
            const agent = String((JSON.parse(text) as { agent_id: string }).agent_id);
            began.push({ agent, at: world.clock.now() });
            running.set(agent, (running.get(agent) ?? 0) + 1);
            most.set(agent, Math.max(most.get(agent) ?? 0, running.get(agent) ?? 0));
            await new Promise<void>((resolve) => world.clock.after(3_000, resolve));
            running.set(agent, (running.get(agent) ?? 1) - 1);
            return JSON.stringify({ decision: 'deny', reason: 'not today' });
          },
        },
      },
      ...options,
    },
  );
  return { world, began, most };
}

describe('while one agent floods the gate with calls that a slow hook looks at', () => {
  test('another agent’s call is looked at within two seconds, and the flood is answered to its end', async () => {
    const { world, began, most } = hookedWorld();
    for (let index = 0; index < 150; index++) await world.send(bash(`f${index}`, `make f${index}`));
    await world.clock.advance(10_000);
    expect(began.filter(({ agent }) => agent === 'coder').length).toBeLessThan(150);
    for (let index = 0; index < 5; index++) {
      const sentAt = world.clock.now();
      const before = began.filter(({ agent }) => agent === 'writer').length;
      await world.send(bash(`w${index}`, `make w${index}`), { agent: 'writer' });
      await world.clock.advance(2_000);
      const mine = began.filter(({ agent }) => agent === 'writer').slice(before);
      expect(mine).toHaveLength(1);
      expect((mine[0]?.at ?? Number.POSITIVE_INFINITY) - sentAt).toBeLessThanOrEqual(2_000);
    }
    await world.clock.advance(60 * MINUTE);
    expect(most.get('coder')).toBe(8);
    for (let index = 0; index < 150; index++) expect((await world.decided(`f${index}`)).outcome).toBe('denied');
    expect(world.gate.queues.deferred.deadLetters).toEqual([]);
    expect(world.faults).toEqual([]);
  });
});

const methodOf = (port: object, key: PropertyKey): unknown =>
  (Reflect.get(port, key) as (...given: unknown[]) => unknown).bind(port);

describe('a proposal that waits for the share of its agent', () => {
  async function waitingProposal(more: Record<string, unknown> = {}) {
    const { world, began } = hookedWorld();
    const message = {
      messageId: 'm',
      raw: JSON.stringify(bash('p', 'make all', more)),
      principal: memorySenderId('agents', 'coder'),
      firstSentAt: world.clock.now(),
      rounds: 1,
      isSlow: true,
      admitted: true,
    };
    const put: unknown[] = [];
    const deferred = { ...world.gate.parts.deferred, defer: async (one: unknown) => void put.push(one) };
    const gate = { ...world.gate.parts, deferred };
    /** Whether it was worked without its share. */
    const deliver = async (changes: Record<string, unknown> = {}) => {
      const before = put.length;
      const worked = await deliberateFairly({ ...message, ...changes }, gate, FULL, async () => {
        await Promise.all(intake([{ ...message, ...changes }], gate));
        return true;
      });
      expect(put.length - before).toBe(worked ? 0 : 1);
      return worked ?? false;
    };
    return { world, began, deliver };
  }

  test.each([
    ['the end that the policy sets', {}, 60 * MINUTE],
    [
      'an earlier end of its own',
      { expiresAt: new Date(new World().clock.now() + 7 * MINUTE).toISOString() },
      7 * MINUTE,
    ],
  ])('waits until %s, and is answered as expired then, without the hook', async (_, more, lastsMs) => {
    const { world, began, deliver } = await waitingProposal(more);
    expect(await deliver()).toBe(false);
    await world.clock.advance(lastsMs - 1);
    expect(await deliver()).toBe(false);
    expect(await world.decision('p')).toBeUndefined();
    await world.clock.advance(1);
    expect(await deliver()).toBe(true);
    expect(await world.decided('p')).toMatchObject({ outcome: 'expired' });
    expect(began).toEqual([]);
  });

  test('waits for the store of shares, however long that does not work', async () => {
    let isOut = true;
    const failing = async () => {
      throw new Error('out of service');
    };
    const { world } = hookedWorld({
      wrap: (name, port) =>
        name === 'limits.slots' ? new Proxy(port, { get: (_, key) => (isOut ? failing : methodOf(port, key)) }) : port,
    });
    await world.send(bash('p', 'make all'));
    await world.clock.advance(30 * MINUTE);
    expect(await world.decision('p')).toBeUndefined();
    isOut = false;
    await world.clock.advance(2 * MINUTE);
    expect(await world.decided('p')).toMatchObject({ outcome: 'denied', reasonCode: 'hook' });
  });

  test('and was put aside as often as may be is answered as expired, too', async () => {
    const { world, began, deliver } = await waitingProposal();
    expect(await deliver({ rounds: 99 })).toBe(false);
    expect(await deliver({ rounds: 100 })).toBe(true);
    expect(await world.decided('p')).toMatchObject({ outcome: 'expired' });
    expect(began).toEqual([]);
  });
});
