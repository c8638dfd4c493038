/** Checks the guardrails' state of every adapter, in memory and on DynamoDB alike. */
import { beforeEach, describe, expect, test } from 'vitest';
import type { MaybePromise } from '../../../shared/domain/maybe-promise.ts';
import { CircuitBreaker } from '../../../shared/guardrails/limits/circuit.ts';
import { BUILT_IN } from '../../../shared/guardrails/settings/settings.ts';
import type {
  BudgetRequest,
  CircuitRow,
  GuardrailState,
  SlotRequest,
} from '../../../shared/ports/stores/guardrail-state.ts';

interface StateUnderTest {
  readonly state: GuardrailState;
  /** A second process on the same state. */
  readonly other: GuardrailState;
  readonly advance: (ms: number) => void;
  readonly now: () => number;
}

const CALLERS = 200;
const MINUTE = 60_000;

/** `callers`: at once, each of whom is overtaken by others. */
export function guardrailStateContract(name: string, make: () => Promise<StateUnderTest>, callers = CALLERS): void {
  describe(name, () => {
    let it: StateUnderTest;
    let n = 0;
    /** Keys of its own for each test: the suite may run on a table that others use. */
    let key = '';
    beforeEach(async () => {
      it = await make();
      key = `${Date.now().toString(36)}-${process.pid}-${n++}`;
    });
    const many = <T>(work: (index: number) => MaybePromise<T>, count = callers) =>
      Promise.all(Array.from({ length: count }, (_, index) => work(index)));
    /** Every other caller is in the other process. */
    const side = (index: number) => (index % 2 === 0 ? it.state : it.other);

    describe('rate', () => {
      const bucket = (burst = 3, ratePerSecond: number | undefined = 10) => ({
        key: `rate#${key}`,
        ratePerSecond,
        burst,
      });

      test('GR-016 a full bucket admits its burst, and not one more, with a hint', async () => {
        for (let i = 0; i < 3; i++) expect(await side(i).rate.take(bucket())).toMatchObject({ admitted: true });
        expect(await it.state.rate.take(bucket())).toEqual({ admitted: false, retryAfterMs: 100 });
        expect(await it.other.rate.take(bucket())).toEqual({ admitted: false, retryAfterMs: 100 });
      });

      test('refills continuously, and never beyond its capacity', async () => {
        for (let i = 0; i < 3; i++) await it.state.rate.take(bucket());
        it.advance(99);
        expect(await it.state.rate.take(bucket())).toEqual({ admitted: false, retryAfterMs: 1 });
        it.advance(1);
        expect(await it.other.rate.take(bucket())).toMatchObject({ admitted: true, tokensLeft: 0 });
        it.advance(3_600_000);
        const results = await many((i) => side(i).rate.take(bucket()), 6);
        expect(results.filter(({ admitted }) => admitted)).toHaveLength(3);
      });

      test('R3-055 one whose interval is no whole number is full again after its time, each time', async () => {
        for (let second = 0; second < 3; second++, it.advance(1000)) {
          for (let i = 0; i < 3; i++)
            expect(await side(i).rate.take(bucket(3, 3))).toMatchObject({ admitted: true, tokensLeft: 2 - i });
          expect(await it.state.rate.take(bucket(3, 3))).toEqual({ admitted: false, retryAfterMs: 334 });
        }
      });

      test('a token that was given back is there again, and no second one', async () => {
        for (let i = 0; i < 3; i++) await it.state.rate.take(bucket());
        await it.other.rate.refund(bucket());
        expect(await it.state.rate.take(bucket())).toMatchObject({ admitted: true });
        expect(await it.state.rate.take(bucket())).toMatchObject({ admitted: false });
      });

      test('what is booked has its tokens: those that are there, and those that come in order', async () => {
        expect(await it.state.rate.book(bucket(), 5, 1000)).toEqual([0, 0, 0, 100, 200]);
        expect(await it.other.rate.book(bucket(), 2, 1000)).toEqual([300, 400]);
        expect(await it.state.rate.take(bucket())).toEqual({ admitted: false, retryAfterMs: 500 });
        it.advance(450);
        expect(await it.other.rate.book(bucket(), 1, 1000)).toEqual([50]);
      });

      test('no token is booked beyond the end of the line, nor any of those before it', async () => {
        expect(await it.state.rate.book(bucket(), 14, 1000)).toBeUndefined();
        expect(await it.state.rate.book(bucket(), 13, 1000)).toHaveLength(13);
        expect(await it.other.rate.book(bucket(), 1, 1000)).toBeUndefined();
        it.advance(100);
        expect(await it.other.rate.book(bucket(), 1, 1000)).toEqual([1000]);
      });

      test('each of many callers books a time of its own', async () => {
        const waits = (await many((i) => side(i).rate.book(bucket(), 1, 60_000))).map((booked) => booked?.[0]);
        const apart = Array.from({ length: callers }, (_, i) => Math.max(0, (i - 2) * 100));
        expect(waits.toSorted((a = 0, b = 0) => a - b)).toEqual(apart);
      });

      test('a bucket that is closed or empty by nature is not booked', async () => {
        expect(await it.state.rate.book(bucket(0), 1, 1000)).toBeUndefined();
        await it.other.rate.close(`rate#${key}`, 3000);
        expect(await it.state.rate.book(bucket(), 1, 10_000)).toBeUndefined();
        it.advance(3000);
        expect(await it.state.rate.book(bucket(), 1, 10_000)).toEqual([0]);
      });

      test('an empty capacity admits nothing and has no hint', async () => {
        expect(await it.state.rate.take(bucket(0))).toEqual({ admitted: false });
      });

      test('a closed bucket admits nothing until then; a later closing is not shortened by an earlier one', async () => {
        await it.state.rate.close(`rate#${key}`, 3000);
        await it.other.rate.close(`rate#${key}`, 1000);
        expect(await it.other.rate.take(bucket())).toEqual({ admitted: false, retryAfterMs: 3000 });
        expect(await it.other.rate.take({ ...bucket(), ratePerSecond: undefined })).toEqual({
          admitted: false,
          retryAfterMs: 3000,
        });
        it.advance(3000);
        expect(await it.state.rate.take(bucket())).toMatchObject({ admitted: true });
        expect(await it.state.rate.take({ ...bucket(), ratePerSecond: undefined })).toMatchObject({ admitted: true });
      });

      test(`${callers} callers at once never get more than the burst`, async () => {
        const results = await many((i) => side(i).rate.take(bucket(20, 0.1)));
        const admitted = results.filter((result) => result.admitted).length;
        expect(admitted).toBeLessThanOrEqual(20);
        // Some are overtaken three times and give up; one after the other, the rest of the burst is still there.
        let more = 0;
        while (more < 30 && (await it.state.rate.take(bucket(20, 0.1))).admitted) more++;
        expect(admitted + more).toBe(20);
      });

      test('refuses numbers that are none (G29)', async () => {
        for (const ratePerSecond of [Number.NaN, 0, -1, Number.POSITIVE_INFINITY, 1e-300])
          await expect(async () => it.state.rate.take({ key, burst: 1, ratePerSecond })).rejects.toThrow(RangeError);
      });
    });

    describe('slots', () => {
      const wish = (holder: string, more: Partial<SlotRequest> = {}): SlotRequest => ({
        key: `slots#${key}`,
        limit: 2,
        agent: 'a',
        holder,
        leaseMs: 1000,
        ...more,
      });

      test('so many leases and no more; a released one is free again', async () => {
        const one = await it.state.slots.acquire(wish('h1'));
        expect(await it.other.slots.acquire(wish('h2'))).toMatchObject({ acquired: true });
        expect(await it.state.slots.acquire(wish('h3'))).toMatchObject({ acquired: false, retryAfterMs: 1000 });
        expect(await it.other.slots.inUse(`slots#${key}`)).toBe(2);
        if (one.acquired) await it.other.slots.release(one.lease);
        expect(await it.state.slots.acquire(wish('h3'))).toMatchObject({ acquired: true });
      });

      test('GR-030 the lease of a dead holder keeps others out until it ends, and no longer', async () => {
        const dead = await it.state.slots.acquire(wish('dead', { limit: 1 }));
        it.advance(999);
        expect(await it.other.slots.acquire(wish('h2', { limit: 1 }))).toMatchObject({
          acquired: false,
          retryAfterMs: 1,
        });
        it.advance(1);
        expect(await it.other.slots.acquire(wish('h2', { limit: 1 }))).toMatchObject({ acquired: true });
        // The dead one wakes up: what it releases is no longer its own.
        if (dead.acquired) await it.state.slots.release(dead.lease);
        expect(await it.state.slots.acquire(wish('h3', { limit: 1 }))).toMatchObject({ acquired: false });
      });

      test('asked twice by the same holder, it is one slot', async () => {
        const first = await it.state.slots.acquire(wish('h1'));
        expect(await it.state.slots.acquire(wish('h1'))).toEqual(first);
        expect(await it.state.slots.inUse(`slots#${key}`)).toBe(1);
      });

      test('one agent gets its share, and leaves the rest to others', async () => {
        const share = { limit: 4, agentLimit: 2 };
        for (const holder of ['h1', 'h2']) await it.state.slots.acquire(wish(holder, share));
        expect(await it.state.slots.acquire(wish('h3', share))).toMatchObject({ acquired: false });
        expect(await it.other.slots.acquire(wish('h4', { ...share, agent: 'b' }))).toMatchObject({ acquired: true });
      });

      test(`${callers} callers of one agent at once never hold more than its share`, async () => {
        const share = { limit: 8, agentLimit: 3 };
        const results = await many((i) => side(i).slots.acquire(wish(`h${i}`, share)));
        const taken = results.filter(({ acquired }) => acquired).length;
        expect(taken).toBeGreaterThan(0);
        expect(taken).toBeLessThanOrEqual(share.agentLimit);
        const other = await it.other.slots.acquire(wish('other', { ...share, agent: 'b' }));
        expect(other).toMatchObject({ acquired: true });
      });

      test('as many callers at once as the share has slots have one each', async () => {
        const share = { limit: 100, agentLimit: 50 };
        const results = await many((i) => side(i).slots.acquire(wish(`h${i}`, share)), share.agentLimit);
        expect(results.filter(({ acquired }) => !acquired)).toEqual([]);
      });

      test(`${callers} callers at once never hold more than the cap; killed ones leave nothing stuck`, async () => {
        const results = await many((i) => side(i).slots.acquire(wish(`h${i}`, { limit: 5, agent: `a${i % 7}` })));
        const leases = results.flatMap((result) => (result.acquired ? [result.lease] : []));
        expect(leases.length).toBeGreaterThan(0);
        expect(leases.length).toBeLessThanOrEqual(5);
        expect(new Set(leases.map(({ slot }) => slot)).size).toBe(leases.length);
        expect(await it.state.slots.inUse(`slots#${key}`)).toBe(leases.length);
        // The first is killed and gives nothing back: its place is free when its lease ends.
        const [, ...alive] = leases;
        await Promise.all(alive.map((lease, i) => side(i).slots.release(lease)));
        for (let i = 0; i < 4; i++)
          expect(await it.state.slots.acquire(wish(`late${i}`, { limit: 5 }))).toMatchObject({ acquired: true });
        expect(await it.other.slots.acquire(wish('one more', { limit: 5 }))).toMatchObject({ acquired: false });
        it.advance(1000);
        expect(await it.other.slots.inUse(`slots#${key}`)).toBe(0);
        expect(await it.other.slots.acquire(wish('one more', { limit: 5 }))).toMatchObject({ acquired: true });
      });
    });

    describe('budgets', () => {
      const ask = (reservationId: string, amount: number, more: Partial<BudgetRequest> = {}): BudgetRequest => ({
        key: `budget#${key}`,
        limit: 100,
        windowMs: MINUTE,
        reservationId,
        amount,
        atLeast: amount,
        ...more,
      });
      const spent = () => it.other.budgets.spent(`budget#${key}`, MINUTE);

      test('reserves what fits, and says when there is more', async () => {
        expect(await it.state.budgets.reserve(ask('r1', 99))).toMatchObject({
          reserved: true,
          reservation: { amount: 99 },
        });
        expect(await it.other.budgets.reserve(ask('r2', 2))).toEqual({ reserved: false, resetAfterMs: MINUTE });
        expect(await it.other.budgets.reserve(ask('r3', 1))).toMatchObject({ reserved: true });
        expect(await spent()).toBe(100);
      });

      test('GR-010 used up exactly, it admits nothing, not even what costs nothing', async () => {
        await it.state.budgets.reserve(ask('r1', 100));
        expect(await it.other.budgets.reserve(ask('r2', 1))).toMatchObject({ reserved: false });
        expect(await it.other.budgets.reserve(ask('r3', 0))).toMatchObject({ reserved: false });
      });

      test('gives what is left where less is of use', async () => {
        await it.state.budgets.reserve(ask('r1', 90));
        const rest = await it.other.budgets.reserve(ask('r2', 50, { atLeast: 1 }));
        expect(rest).toMatchObject({ reserved: true, reservation: { amount: 10 } });
        expect(await spent()).toBe(100);
      });

      test('GR-013 the same reservation twice counts once', async () => {
        await it.state.budgets.reserve(ask('r0', 99));
        const first = await it.state.budgets.reserve(ask('r1', 1));
        expect(await it.state.budgets.reserve(ask('r1', 1))).toEqual(first);
        expect(await it.other.budgets.reserve(ask('r1', 1))).toEqual(first);
        expect(await spent()).toBe(100);
      });

      test('settles to what was used, once, from whichever process', async () => {
        const decision = await it.state.budgets.reserve(ask('r1', 60));
        if (!decision.reserved) throw new Error('refused');
        await it.other.budgets.closeReservation(decision.reservation, 10);
        await it.state.budgets.closeReservation(decision.reservation, 10);
        await it.state.budgets.closeReservation({ ...decision.reservation, reservationId: 'never' }, 0);
        expect(await spent()).toBe(10);
      });

      test('a new window begins empty, and settling an old reservation does not touch it', async () => {
        const old = await it.state.budgets.reserve(ask('r1', 100));
        it.advance(MINUTE);
        expect(await spent()).toBe(0);
        expect(await it.other.budgets.reserve(ask('r2', 70))).toMatchObject({ reserved: true });
        if (old.reserved) await it.state.budgets.closeReservation(old.reservation, 0);
        expect(await spent()).toBe(70);
      });

      test('a window that was begun is never left for an earlier one', async () => {
        it.advance(MINUTE);
        await it.state.budgets.reserve(ask('r1', 100));
        it.advance(-MINUTE);
        expect(await it.other.budgets.reserve(ask('r2', 1))).toMatchObject({ reserved: false });
      });

      test(`GR-012 ${callers} callers at once never spend more than the limit, and all of it`, async () => {
        const results = await many((i) => side(i).budgets.reserve(ask(`r${i}`, 7, { limit: 100 })));
        const reservations = results.flatMap((result) => (result.reserved ? [result.reservation] : []));
        expect(reservations.reduce((sum, { amount }) => sum + amount, 0)).toBe(98);
        expect(await spent()).toBe(98);
        // The first two are killed: what they reserved stays charged for its window, and for no longer.
        const [, , ...alive] = reservations;
        await Promise.all(alive.map((reservation, i) => side(i).budgets.closeReservation(reservation, 3)));
        expect(await spent()).toBe(2 * 7 + 12 * 3);
        it.advance(MINUTE);
        expect(await it.other.budgets.reserve(ask('late', 100, { limit: 100 }))).toMatchObject({ reserved: true });
      });

      test('refuses amounts that are none (G29)', async () => {
        for (const amount of [Number.NaN, -1, 0.5, Number.POSITIVE_INFINITY])
          await expect(async () => it.state.budgets.reserve(ask('r1', amount))).rejects.toThrow(RangeError);
        const reservation = { key: `budget#${key}`, reservationId: 'r1', amount: 1 };
        const close = async () => it.state.budgets.closeReservation(reservation, Number.NaN);
        await expect(close).rejects.toThrow(RangeError);
      });
    });

    describe('circuits', () => {
      const row = (failures: number): CircuitRow => ({
        state: 'half-open',
        epoch: 3,
        failures,
        results: [{ at: 5, failed: true }],
        probeAt: 7,
        probes: [{ id: 'p', expiresAt: 9 }],
      });

      test('keeps a row as it was written', async () => {
        expect(await it.state.circuits.load(`circuit#${key}`)).toBeUndefined();
        expect(await it.state.circuits.save(`circuit#${key}`, row(1), 0)).toBe(true);
        expect(await it.other.circuits.load(`circuit#${key}`)).toMatchObject({ row: row(1), version: 1 });
      });

      test(`${callers} callers at once probe no more than may; killed ones make room when their leases end`, async () => {
        let ids = 0;
        const runtime = { now: it.now, random: Math.random, newId: () => `p${++ids}`, sleep: async () => {} };
        const settings = { ...BUILT_IN, failureThreshold: 1, resetAfterMs: 1000, halfOpenProbes: 3 };
        const [one, two] = [it.state, it.other].map(({ circuits }) => new CircuitBreaker(circuits, runtime));
        if (!one || !two) throw new Error('no breaker');
        const name = `circuit#${key}`;
        const first = await one.admit(name, settings, 500);
        if (first.admitted) await one.report(name, settings, first.ticket, 'failure');
        expect(await two.admit(name, settings, 500)).toMatchObject({ admitted: false, state: 'open' });
        it.advance(1000);
        const probed = await many((i) => (i % 2 ? one : two).admit(name, settings, 500));
        const admitted = probed.filter((entry) => entry.admitted).length;
        expect(admitted).toBeGreaterThan(0);
        expect(admitted).toBeLessThanOrEqual(3);
        // All of them are killed: nobody ever reports.
        it.advance(500);
        const next = await two.admit(name, settings, 500);
        expect(next.admitted).toBe(true);
        if (next.admitted) expect(await two.report(name, settings, next.ticket, 'success')).toBe('closed');
      });

      test('lets only one of many write over the same version', async () => {
        for (const version of [0, 1]) {
          const wrote = await many((i) => side(i).circuits.save(`circuit#${key}`, row(i), version), 20);
          expect(wrote.filter(Boolean)).toHaveLength(1);
        }
        expect(await it.state.circuits.load(`circuit#${key}`)).toMatchObject({ version: 2 });
      });
    });
  });
}
