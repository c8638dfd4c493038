/**
 * Checks that faults of stores are waited out, and other faults end as dead letters (G33).
 *
 * A failure that needs no store ends soon, and its sender is told.
 */
import { describe, expect, test } from 'vitest';
import { sha256Hex } from '../../../../shared/domain/digest.ts';
import { unreadableId } from '../../../../shared/domain/proposal/reserved-ids.ts';
import { readDeadLetter } from '../../../../shared/use-cases/intake/dead-letter.ts';
import { isPoison, pauseAfter } from '../../../../shared/use-cases/intake/resend.ts';
import { Outages } from '../outages.ts';
import { approvedCall, guarded, requestRun, resultOf, scriptedTools } from '../running.ts';
import { bash, World } from '../world.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

function named(name: string): Error {
  return Object.assign(new Error('a fault'), { name });
}

/** Calls of `port.method` throw what `fault` gives, until that is undefined. */
const throwing =
  (on: string, fault: () => Error | undefined) =>
  <Port extends object>(name: string, port: Port): Port =>
    new Proxy(port, {
      get: (target, key) => {
        const value: unknown = Reflect.get(target, key, target);
        if (typeof value !== 'function') return value;
        const method = value.bind(target);
        if (`${name}.${String(key)}` !== on) return method;
        return async (...args: unknown[]) => {
          const error = fault();
          if (error) throw error;
          return method(...args);
        };
      },
    });

const failing = (on: string, fault: () => Error | undefined): World =>
  new World(undefined, { wrap: throwing(on, fault) });

describe('a store that is down', () => {
  test.each([
    [3 * MINUTE, 'three minutes'],
    [3 * HOUR, 'three hours'],
    [20 * HOUR, 'most of a day'],
  ])('for %i ms (%#: %s): nothing is set aside, and each message is worked within two minutes after it', async (ms) => {
    const outages: Outages = new Outages(() => world);
    const world: World = new World(undefined, { wrap: outages.wrap });
    outages.begin(['claims'], ms);
    for (const id of ['p1', 'p2', 'p3']) await world.send(bash(id, 'git status'));
    await world.send(bash('p4'));
    await world.clock.advance(ms);
    expect(await world.decision('p1')).toBeUndefined();
    await world.clock.advance(2 * MINUTE);
    for (const id of ['p1', 'p2', 'p3']) {
      // A proposal whose time ended meanwhile is told so.
      const decision = await world.decided(id);
      expect(decision.outcome === 'approved' || decision.outcome === 'expired').toBe(true);
    }
    expect(world.gate.queues.proposals.deadLetters).toEqual([]);
    expect(world.gate.queues.deferred.deadLetters).toEqual([]);
  });

  test('a message under a foreign group stays refused when it was sent anew', async () => {
    const outages: Outages = new Outages(() => world);
    const world: World = new World(undefined, { wrap: outages.wrap });
    outages.begin(['claims'], 5 * MINUTE);
    await world.send(bash('p1', 'git status'), { agent: 'coder', groupId: 'writer' });
    await world.clock.advance(10 * MINUTE);
    expect(await world.decided('p1')).toMatchObject({ outcome: 'error', reasonCode: 'not_your_agent' });
  });
});

describe('a proposal that fails by itself', () => {
  test('is tried five times, and then its sender reads an error under its id, once', async () => {
    let isBroken = true;
    const world = failing('claims.readBatch', () => (isBroken ? named('ValidationException') : undefined));
    await world.send(bash('p1', 'git status'));
    await world.clock.advance(10 * MINUTE);
    expect(world.faults).toHaveLength(5);
    expect(await world.decided('p1')).toMatchObject({
      outcome: 'error',
      proposalId: 'p1',
      reasonCode: 'dead_letter',
      decidedBy: { type: 'system', id: 'dead_letter' },
    });
    expect((await world.audit('p1')).map(({ type }) => type)).toEqual(['evaluated']);
    const [letter] = await world.look.audit.recent('-dead-letters', 10);
    expect(letter && readDeadLetter(letter.entry)).toMatchObject({ about: { agent: 'coder', proposalId: 'p1' } });
    expect(world.gate.replies.sentTo('coder')).toHaveLength(1);
    isBroken = false;
    // Sent again, it has the same answer.
    await world.send(bash('p1', 'git status'));
    expect(await world.decided('p1')).toMatchObject({ reasonCode: 'dead_letter' });
  });

  test('keeps the decision that the gate made meanwhile', async () => {
    const world = failing('replies.send', () => named('ValidationException'));
    await world.send(bash('p1', 'git status'));
    await world.clock.advance(10 * MINUTE);
    expect(await world.decided('p1')).toMatchObject({ outcome: 'approved' });
  });

  test('is answered once the store takes the answer', async () => {
    let fault: Error | undefined = named('ValidationException');
    const world = failing('claims.claim', () => fault);
    await world.send(bash('p1', 'git status'));
    await world.clock.advance(HOUR);
    expect(await world.decision('p1')).toBeUndefined();
    fault = undefined;
    await world.clock.advance(15 * MINUTE);
    expect(await world.decided('p1')).toMatchObject({ reasonCode: 'dead_letter' });
  });

  test('is filed under the id of its bytes where reading it may be what fails', async () => {
    let fault: Error | undefined = named('ValidationException');
    const world = failing('claims.claim', () => fault);
    const raw = JSON.stringify(bash('p1', 'git status'));
    await world.send(raw);
    await world.clock.advance(5 * 24 * HOUR);
    fault = undefined;
    await world.clock.advance(15 * MINUTE);
    expect(await world.decision('p1')).toBeUndefined();
    expect(await world.decided(unreadableId(sha256Hex(raw)))).toMatchObject({ reasonCode: 'dead_letter' });
  });

  test('that names another proposal to cancel cancels it in the end, and gives it no error', async () => {
    let isBroken = true;
    const world = failing('claims.claim', () => (isBroken ? named('ValidationException') : undefined));
    await world.send({ kind: 'cancel', proposalId: 'c1', cancels: 'p1' });
    await world.clock.advance(10 * MINUTE);
    expect(world.gate.queues.proposals.deadLetters).toHaveLength(1);
    isBroken = false;
    await world.clock.advance(HOUR);
    expect(await world.decision('p1')).toMatchObject({ outcome: 'cancelled', reasonCode: 'cancelled' });
    expect(await world.decision('c1')).toBeUndefined();
  });
});

describe('a dead letter that cannot be answered for a weekend, since the record is down', () => {
  const WEEKEND = 62 * HOUR;

  test('is answered under its own id, and a cancel is done', async () => {
    const outages: Outages = new Outages(() => world);
    let isPoisoned = true;
    const poisoned = throwing('claims.claim', () => (isPoisoned ? named('ValidationException') : undefined));
    const wrap = <Port extends object>(name: string, port: Port): Port => outages.wrap(name, poisoned(name, port));
    const world: World = new World(undefined, { wrap });
    await world.send(bash('p1', 'git status'));
    await world.send({ kind: 'cancel', proposalId: 'c1', cancels: 'p2' });
    outages.begin(['audit'], WEEKEND);
    await world.clock.advance(WEEKEND);
    isPoisoned = false;
    await world.clock.advance(20 * MINUTE);
    expect(await world.decided('p1')).toMatchObject({ reasonCode: 'dead_letter' });
    expect(await world.decision('p2')).toMatchObject({ outcome: 'cancelled' });
  });

  test('tells who waits for a run', async () => {
    const outages: Outages = new Outages(() => world);
    const { tools, calls } = scriptedTools('Refund');
    const world: World = new World(guarded(), { tools, wrap: outages.wrap });
    const call = await approvedCall(world);
    outages.begin(['audit'], WEEKEND);
    await requestRun(world, call);
    await world.clock.advance(WEEKEND);
    expect(await resultOf(world)).toBeUndefined();
    await world.clock.advance(20 * MINUTE);
    expect(await resultOf(world)).toMatchObject({ status: 'refused', error: { code: 'dead_letter' } });
    expect(calls).toEqual([]);
  });
});

describe('an execution request that fails by itself', () => {
  const withTools = (fault: () => Error | undefined) => {
    const { tools, calls } = scriptedTools('Refund');
    const world = new World(guarded(), { tools, wrap: throwing('results.read', fault) });
    return { world, calls };
  };

  test('is refused after five tries, so that who waits for it is told', async () => {
    const { world, calls } = withTools(() => named('ValidationException'));
    await requestRun(world, await approvedCall(world));
    await world.clock.advance(10 * MINUTE);
    expect(await resultOf(world)).toMatchObject({
      status: 'refused',
      permit: 'usable',
      error: { code: 'dead_letter', category: 'SystemError' },
    });
    expect(calls).toEqual([]);
    expect(world.faults).toHaveLength(5);
  });

  test('a store that is down for an hour is waited out', async () => {
    let isDown = true;
    const { world, calls } = withTools(() => (isDown ? named('ServiceUnavailable') : undefined));
    await requestRun(world, await approvedCall(world));
    await world.clock.advance(HOUR);
    expect(await resultOf(world)).toBeUndefined();
    isDown = false;
    await world.clock.advance(15 * MINUTE);
    // The call's permit may have run out meanwhile; the agent is answered either way.
    expect(await resultOf(world)).toBeDefined();
    expect(calls.length).toBeLessThanOrEqual(1);
    expect(world.gate.queues.executions.deadLetters).toEqual([]);
  });

  test('one that waited longer than a permit lasts is refused, too', async () => {
    const { world, calls } = withTools(() => named('ServiceUnavailable'));
    await requestRun(world, await approvedCall(world));
    await world.clock.advance(24 * HOUR);
    expect(await resultOf(world)).toBeUndefined();
    await world.clock.advance(6 * HOUR);
    expect(world.gate.queues.executions.deadLetters).toHaveLength(1);
    expect(await resultOf(world)).toMatchObject({ status: 'refused', error: { code: 'dead_letter' } });
    expect(calls).toEqual([]);
  });
});

describe('the pauses of a queue whose messages cannot be sent anew', () => {
  test.each(['TypeError', 'ZodError', 'ValidationException'])('%s ends after five receipts', (name) => {
    expect(isPoison(named(name))).toBe(true);
    expect(pauseAfter(named(name), 'm', 4)).toBeGreaterThan(0);
    expect(pauseAfter(named(name), 'm', 5)).toBeUndefined();
  });

  test.each(['ProvisionedThroughputExceededException', 'TimeoutError', 'ServiceUnavailable', 'AccessDeniedException'])(
    '%s is waited out for hours, with growing pauses of at most a quarter of an hour',
    (name) => {
      const pauses = Array.from({ length: 20 }, (_, index) => pauseAfter(named(name), 'm', index + 1) ?? 0);
      expect(Math.max(...pauses)).toBeLessThanOrEqual(900);
      expect(pauses[0]).toBeLessThanOrEqual(10);
      expect(pauses.reduce((sum, one) => sum + one, 0)).toBeGreaterThan(1.5 * 3_600);
    },
  );
});
