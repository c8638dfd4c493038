/** Interprets cases of the guardrails: circuit breakers. */
import { memoryGuardrailState } from '../../../shared/adapters/memory/guardrails/state.ts';
import type { GuardedResult } from '../../../shared/guardrails/settings/call.ts';
import { circuitKey } from '../../../shared/guardrails/settings/keys.ts';
import { FakeRuntime } from '../../unit/guardrails/fake-runtime.ts';
import type { ToolBehaviour, World } from '../../unit/guardrails/harness.ts';
import type { Fields } from '../fields.ts';
import { duration, type Given, settingsOf, shownError } from './guardrails-given.ts';
import { ok, providerOf } from './guardrails-provider.ts';
import { splitLast, WIDE, world } from './guardrails-world.ts';
import { Uninterpretable } from './uninterpretable.ts';

const TRANSITIONS: Readonly<Record<string, string>> = {
  CircuitOpen: 'open',
  CircuitHalfOpen: 'half-open',
  CircuitClosed: 'closed',
};

export async function circuit(given: Given, expected: Fields): Promise<Fields> {
  const mode = given.text('mode', 'consecutive');
  const isRate = mode === 'rate' || mode === 'ratio';
  if (!isRate && mode !== 'consecutive' && mode !== 'latency') throw new Uninterpretable(`mode ${mode}`);
  const settings: Fields = { ...WIDE, ...settingsOf(given), circuitMode: isRate ? 'ratio' : 'consecutive' };
  // The threshold of a ratio is a part of one.
  if (isRate && Number(settings['failureThreshold']) <= 1) {
    settings['failureRatio'] = settings['failureThreshold'];
    delete settings['failureThreshold'];
  }
  for (const key of given.unreadOf('min_calls', 'minimum_calls')) settings['minimumCalls'] = given.number(key, 1);
  if (isRate)
    for (const key of given.unreadOf('failure_rate', 'failure_ratio')) settings['failureRatio'] = given.number(key, 1);
  if (given.has('slow_call_ms')) settings['slowCallMs'] = given.number('slow_call_ms', 1);

  const stub = given.has('provider') ? providerOf(given.text('provider')) : undefined;
  let act: ToolBehaviour = ok;
  const runtime = new FakeRuntime();
  const state = memoryGuardrailState(runtime.now);
  const worlds = new Map<string, World>();
  const worldOf = (name: string): World => {
    const [origin, toolName] = name.includes('::') ? splitLast(name) : ['local', name];
    const binding = { origin, name: toolName };
    const config = { tools: { [toolName]: { origin } } };
    const behaviour: ToolBehaviour = (attempt, clock) => act(attempt, clock);
    const made = worlds.get(name) ?? world({ environment: settings, behaviour, binding, config, runtime, state });
    worlds.set(name, made);
    return made;
  };
  const got: Fields = {};
  for (const event of given.list('events').map(String)) {
    if (event.startsWith('wait ')) {
      await runtime.advance(duration(event.slice('wait '.length)));
      continue;
    }
    const [, what = event, , where] = /^(.*?)(\s+on)?\s+(\S+::\S+)$/.exec(event) ?? [];
    const w = worldOf(where ?? 'local::t');
    const toolName = where ? splitLast(where)[1] : 't';
    const [, count] = /^(\d+) concurrent calls$/.exec(what) ?? [];
    act = count ? overlapping : what === 'call' && stub ? stub : providerOf(what);
    const limits = what === 'timeout' ? { timeoutMs: 1 } : {};
    const results: GuardedResult[] = [];
    const before = w.calls.length;
    const one = async () => {
      results.push(await w.guardrails.invoke({ toolName, input: {}, agentId: 'a1', limits }));
    };
    await runtime.run(Promise.all(Array.from({ length: Number(count ?? 1) }, one)));
    const called = w.calls.length - before;
    const [last] = results.slice(-1);
    got['last'] =
      typeof expected['last'] === 'string'
        ? (last?.error?.code ?? last?.status)
        : { ...last, error: shownError(last?.error), provider_called: called > 0 };
    got['error'] = shownError(last?.error);
    got['admitted'] = called;
    got['rejected'] = results.filter(({ error }) => error?.code === 'CircuitOpen').length;
    got[`${toolName}_admitted`] = called > 0;
    got[`${toolName}_state`] =
      (await state.circuits.load(circuitKey({ origin: where ? splitLast(where)[0] : 'local', toolName })))?.row.state ??
      'closed';
  }
  const main = [...worlds.entries()][0];
  const [origin, toolName] = splitLast(main?.[0] ?? 'local::t');
  const transitions = (main?.[1].events ?? []).map(({ name }) => name).filter((name) => name in TRANSITIONS);
  return {
    ...got,
    state: (await state.circuits.load(circuitKey({ origin, toolName })))?.row.state ?? 'closed',
    states: transitions.map((name) => TRANSITIONS[name]),
    events: transitions,
  };
}

const overlapping: ToolBehaviour = async (_attempt, runtime) => {
  await runtime.sleep(10);
  return 'ok';
};
