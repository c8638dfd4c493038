/**
 * Checks that the end of a run counts once, however long the record is away behind it.
 *
 * The reconciler repeats the rest each minute until everybody was told.
 */
import { expect, test } from 'vitest';
import type { GuardrailEvent } from '../../../../shared/ports/guardrail-events.ts';
import { approvedCall, guarded, redeemed, report } from '../running.ts';
import { World } from '../world.ts';

const MINUTE = 60_000;
/** Five failures in a row open the breaker of a tool for an hour. */
const BREAKER = '{ tools: { Refund: { failureThreshold: 5, resetAfterMs: 3600000 } } }';

type Call = (...given: unknown[]) => unknown;
type Away = readonly [port: string, method: string, isMeant?: ((first: unknown) => boolean) | undefined];

function worldWith([port, method, isMeant = () => true]: Away) {
  const events: GuardrailEvent[] = [];
  const away = { now: false };
  const world = new World(guarded(BREAKER), {
    onEvent: (event) => void events.push(event),
    wrap: (name, whole) => {
      if (name !== port) return whole;
      const call = Reflect.get(whole, method) as Call;
      const wrapped: Call = async (...given) => {
        if (away.now && isMeant(given[0])) throw new Error('away');
        return call.apply(whole, given);
      };
      return Object.assign(Object.create(whole), { [method]: wrapped });
    },
  });
  return { world, away, names: () => events.map(({ name }) => name) };
}

const AWAY: readonly Away[] = [
  ['audit', 'put'],
  ['permits', 'move', (next) => (next as { readonly told?: boolean }).told === true],
];

test.each(AWAY.map((part) => ({ part, name: `${part[0]}.${part[1]}` })))(
  '$name is away for half an hour: one failure is one, and opens no breaker',
  async ({ part }) => {
    const { world, away, names } = worldWith(part);
    const call = await approvedCall(world);
    await redeemed(world, call);
    away.now = true;
    const error = { code: 'Failed', message: 'x', category: 'ExecutionError' };
    await report(world, call, { status: 'failed', error });
    await world.clock.advance(30 * MINUTE);
    away.now = false;
    await world.clock.advance(10 * MINUTE);
    expect((await world.audit('p1')).filter(({ type }) => type === 'ran')).toHaveLength(1);
    expect(names().filter((name) => name === 'ToolFailed')).toHaveLength(1);
    expect(names()).not.toContain('CircuitOpen');
    const next = await approvedCall(world, { proposalId: 'p2' });
    expect(await redeemed(world, next)).toMatchObject({ granted: true });
  },
);

test('five failures open it all the same', async () => {
  const { world, names } = worldWith(['audit', 'none']);
  for (const proposalId of ['p1', 'p2', 'p3', 'p4', 'p5']) {
    const call = await approvedCall(world, { proposalId });
    await redeemed(world, call);
    await report(world, call, {
      status: 'failed',
      error: { code: 'Failed', message: 'x', category: 'ExecutionError' },
    });
  }
  expect(names()).toContain('CircuitOpen');
  const next = await approvedCall(world, { proposalId: 'p6' });
  expect(await redeemed(world, next)).toMatchObject({ granted: false });
});
