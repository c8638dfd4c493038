/** Checks that settings are resolved once for an agent and a tool, and never for the wrong ones. */
import { expect, test, vi } from 'vitest';
import { Guardrails } from '../../../shared/guardrails/pipeline.ts';
import { ByNames } from '../../../shared/guardrails/settings/by-names.ts';
import { policyOf, world } from './harness.ts';

test('a value is made once for a list of names; no other list shares it', () => {
  const known = new ByNames<string>(100);
  const lists = [['ab', 'c'], ['a', 'bc'], ['abc'], ['a', 'b', 'c'], ['', 'abc'], ['abc', ''], ['__proto__', 'x'], []];
  const make = vi.fn((names: readonly string[]) => JSON.stringify(names));
  for (let round = 0; round < 2; round++)
    for (const names of lists) expect(known.get(names, make)).toBe(JSON.stringify(names));
  expect(make).toHaveBeenCalledTimes(lists.length);
});

test('one list too many forgets them all; what cannot be made is not kept', () => {
  const known = new ByNames<number>(2);
  let made = 0;
  const make = () => ++made;
  expect(['a', 'b', 'a', 'c', 'a'].map((name) => known.get([name], make))).toEqual([1, 2, 1, 3, 4]);
  const fails = () => {
    throw new Error('no');
  };
  expect(() => known.get(['x'], fails)).toThrow('no');
  expect(known.get(['x'], make)).toBe(5);
});

test('each agent has its own settings, and a call with limits of its own leaves none behind', async () => {
  const w = world({ environment: { timeoutMs: 500 }, config: { agents: { slow: { timeoutMs: 900 } } } });
  const timeouts: (number | undefined)[] = [];
  for (const call of [{}, { agentId: 'slow' }, { limits: { timeoutMs: 50 } }, {}, { agentId: 'slow' }])
    timeouts.push((await w.invoke(call)).policySnapshot?.timeoutMs);
  expect(timeouts).toEqual([500, 900, 50, 500, 900]);
});

test.each([null, 'none', 5])(
  'limits that are none are refused, also where settings are remembered: %s',
  async (none) => {
    const w = world();
    await w.invoke();
    const refused = await w.invoke({ limits: none as never });
    expect(refused).toMatchObject({ status: 'Error', error: { code: 'InvalidLimit' } });
  },
);

test('another policy holds from the next call on', async () => {
  const { runtime, state } = world();
  let config = policyOf({});
  const tool = { name: 't', origin: 'local', execute: async () => 'done' };
  const guardrails = new Guardrails({
    runtime,
    state,
    events: { emit: () => undefined },
    findTool: () => tool,
    get config() {
      return config;
    },
  });
  for (const timeoutMs of [500, 900]) {
    config = policyOf({ environment: { timeoutMs } });
    for (let call = 0; call < 2; call++) {
      const result = await runtime.run(guardrails.invoke({ toolName: 't', input: {}, agentId: 'a1' }));
      expect(result.policySnapshot?.timeoutMs).toBe(timeoutMs);
    }
  }
});

test('a sink that changes its event changes nothing for the next call', async () => {
  const seen: unknown[] = [];
  const emit = (event: { readonly name: string; readonly detail: Readonly<Record<string, unknown>> }) => {
    if (event.name !== 'PolicyApplied') return;
    seen.push(structuredClone(event.detail));
    for (const part of ['layers', 'clamped', 'budgets', 'retryPolicy', 'rateLimit'] as const)
      Object.assign(event.detail[part] as object, { timeoutMs: 'mine', 0: 'mine' });
  };
  const environment = { budget: { costPerDay: 5 }, ratePerSecond: 100, burst: 1 };
  const w = world({ environment, deps: { events: { emit } } });
  for (let call = 0; call < 2; call++) {
    await w.invoke();
    await w.runtime.advance(1_000);
  }
  expect(seen[1]).toEqual(seen[0]);
});
