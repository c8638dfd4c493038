/** Checks calls while the stores beside their model cannot be read or written (A12, G27). */
import { expect, test } from 'vitest';
import { AUTO, allows, answer, bash, outsideWorld } from '../outside-world.ts';

const MINUTE = 60_000;
type Call = (...given: readonly unknown[]) => Promise<unknown>;

/** One method of a port fails while `away.now` says so. */
function failing(port: string, method: string, away: { readonly now: boolean }) {
  return <Port extends object>(name: string, whole: Port): Port => {
    if (name !== port) return whole;
    return new Proxy(whole, {
      get(target, key) {
        const value: unknown = Reflect.get(target, key);
        if (typeof value !== 'function') return value;
        const call = value.bind(target) as Call;
        if (key !== method) return call;
        return async (...given: readonly unknown[]) => {
          if (away.now) throw new Error('away');
          return call(...given);
        };
      },
    });
  };
}

test('the store of answers is away for half an hour: the call is judged afterwards, and is no error', async () => {
  const away = { now: true };
  const wrap = failing('modelAnswers', 'read', away);
  const { world, questions } = outsideWorld({ ...AUTO, ask: [] }, { model: allows }, { wrap });
  await world.send(bash('p', 'make x'));
  await world.clock.advance(30 * MINUTE);
  expect(await world.decision('p')).toBeUndefined();
  expect(questions).toEqual([]);
  away.now = false;
  await world.clock.advance(2 * MINUTE);
  expect((await world.decided('p')).outcome).toBe('approved');
});

test.each([
  [false, 'approved'],
  [true, 'denied'],
] as const)('a budget that cannot be written takes no answer back: block is %s', async (block, outcome) => {
  const wrap = failing('limits.budgets', 'closeReservation', { now: true });
  const { world } = outsideWorld(
    { ...AUTO, ask: [] },
    { model: ({ nonce }) => answer(nonce, block, 0.99, 'x') },
    { wrap },
  );
  await world.send(bash('p', 'make x'));
  expect((await world.decided('p')).outcome).toBe(outcome);
});

test.each([
  [true, 'denied/'],
  [false, 'waits'],
] as const)('an answer that cannot be remembered blocks, and allows nothing: block is %s', async (block, as) => {
  const wrap = failing('modelAnswers', 'remember', { now: true });
  const model = ({ nonce }: { readonly nonce: string }) => answer(nonce, block, 0.99, 'x');
  const { world, outcome } = outsideWorld({ ...AUTO, ask: [] }, { model }, { wrap });
  await world.send(bash('p', 'make x'));
  expect(await outcome('p')).toContain(as);
});
