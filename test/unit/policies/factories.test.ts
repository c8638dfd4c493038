/** Checks that policies and predicates made by functions decide as their classes do. */
import { expect, test, vi } from 'vitest';
import {
  allOf,
  anyOf,
  composite,
  firstAvailable,
  flow,
  humanInTheLoop,
  llm,
  not,
  priority,
  random,
  state,
} from '../../../shared/policies/index.ts';
import type { Asker } from '../../../shared/ports/asker.ts';
import { ScriptedClient } from '../../../shared/testing/scripted-client.ts';
import { aSnapshot, aSpace } from './builders.ts';

const space = aSpace('a', 'b', 'c');
const snapshot = aSnapshot();
const yes: Asker = async () => ({ type: 'approved' });

test('each policy chooses by its options', async () => {
  const reply = JSON.stringify({ action: { flow_id: 'b', persona_id: 'ops', reasoning: 'r' }, reasoning: 'r' });
  const chosen = await Promise.all(
    [
      firstAvailable(),
      priority('x', 'c'),
      random(() => 0.5),
      llm({ client: new ScriptedClient([reply]), model: 'm', retries: 0 }),
      humanInTheLoop({ propose: priority('b'), ask: yes, timeout: '1s' }),
      composite({
        propose: priority('c'),
        when: flow('c'),
        approve: humanInTheLoop({ ask: async () => ({ type: 'rejected' }), timeout: '1s' }),
      }),
    ].map((policy) => policy.choose(space, snapshot)),
  );
  expect(chosen.map((action) => action?.flow_id ?? null)).toEqual(['a', 'c', 'b', 'b', 'b', null]);
});

test('a person who does not answer in time has timed out: the policy enforces it', async () => {
  vi.useFakeTimers();
  try {
    const silent: Asker = () => new Promise(() => {});
    const rejecting = humanInTheLoop({ ask: silent, timeout: '3m' }).choose(space, snapshot);
    const approving = humanInTheLoop({ ask: silent, timeout: '3m', onTimeout: 'approve' }).choose(space, snapshot);
    await vi.advanceTimersByTimeAsync(180_000);
    expect(await rejecting).toBeNull();
    expect((await approving)?.flow_id).toBe('a');
  } finally {
    vi.useRealTimers();
  }
});

test('a time-out that is none is refused when the policy is made', () => {
  for (const timeout of [Number.NaN, 0, -1, 'soon' as '1s'])
    expect(() => humanInTheLoop({ ask: yes, timeout })).toThrow(expect.objectContaining({ setting: 'timeout' }));
});

test('predicates combine, and one that throws stays one that throws', () => {
  const [a, b] = aSpace('a', 'b').actions as [never, never];
  const held = aSnapshot({ Escrow: 'held' });
  const asks = (predicate: ReturnType<typeof flow>, action: never, at = held) => predicate.requiresApproval(action, at);
  expect([asks(flow('a'), a), asks(flow('a'), b)]).toEqual([true, false]);
  expect([asks(state('Escrow', 'held'), b), asks(state('Escrow', 'paid'), b)]).toEqual([true, false]);
  expect([asks(not(flow('a')), a), asks(not(flow('a')), b)]).toEqual([false, true]);
  expect([asks(anyOf(flow('a'), flow('b')), b), asks(anyOf(), b)]).toEqual([true, false]);
  expect([asks(allOf(flow('a'), state('Escrow', 'held')), a), asks(allOf(flow('a'), flow('b')), a)]).toEqual([
    true,
    false,
  ]);
  const broken = {
    requiresApproval: () => {
      throw new Error('down');
    },
  };
  for (const predicate of [not(broken), anyOf(broken), allOf(broken)]) expect(() => asks(predicate, a)).toThrow('down');
});

test.each([undefined, null, 0, Number.NaN, 'false', Promise.resolve(true), Promise.resolve(false)])(
  'a predicate that answers neither yes nor no, but %s, needs the approver in every combination',
  (answer) => {
    const unsure = { requiresApproval: () => answer as unknown as boolean };
    const [action] = aSpace('a').actions as [never];
    for (const predicate of [not(unsure), anyOf(unsure), allOf(unsure)])
      expect(predicate.requiresApproval(action, aSnapshot({}))).toBe(true);
  },
);
