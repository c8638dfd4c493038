/** Checks that no function takes an option or an argument that it ignores. */
import { expect, test } from 'vitest';
import { CountersignClient } from '../../../shared/client/index.ts';
import { countersignHooks } from '../../../shared/client/integrations/claude-agent-sdk.ts';
import { gatedAdkTool } from '../../../shared/client/integrations/google-adk.ts';
import { countersignMiddleware } from '../../../shared/client/integrations/langchain.ts';
import { gatedMastraTool } from '../../../shared/client/integrations/mastra.ts';
import { gatedTool } from '../../../shared/client/integrations/openai-agents.ts';
import { strandsMiddleware } from '../../../shared/client/integrations/strands.ts';
import { gatedTools } from '../../../shared/client/integrations/vercel-ai.ts';
import { createTestGate } from '../../../shared/testing/index.ts';
import { GUARDED_POLICY } from './guarded-policy.ts';

/** A program in JavaScript: nothing checks its types. */
// biome-ignore lint/suspicious/noExplicitAny: calls that the types refuse are what is tested
type Untyped = any;

const late = { timeout: '5m' };
const call = { callId: 'c', tool: 'Lookup', input: {} };
const run = () => 'ran';
class Part {}

function started() {
  const gate = createTestGate({ policy: GUARDED_POLICY });
  const client: Untyped = new CountersignClient({
    ...gate.clientOptions('coder'),
    queue: { publish: async () => expect.unreachable('sent') },
  });
  return { client, guard: client.guard({ run: 'r' }) };
}

const MORE: Record<string, (given: { client: Untyped; guard: Untyped }) => unknown> = {
  propose: ({ client }) => client.propose({ toolName: 'Lookup', input: {} }, 'id-1'),
  wait: ({ client }) => client.wait('p-1', {}, late),
  ask: ({ client }) => client.ask('Which?', {}, late),
  proposeQuestion: ({ client }) => client.proposeQuestion('Which?', {}, late),
  cancel: ({ client }) => client.cancel('p-1', 'no longer needed', late),
  decide: ({ client }) => client.decide({ tool: 'Lookup', input: {} }, late),
  execute: ({ client }) => client.execute({ tool: 'Lookup', input: {} }, late),
  guard: ({ client }) => client.guard({ run: 'r' }, late),
  gate: ({ client }) => client.gate('Lookup', run, {}, late),
  together: ({ guard }) => guard.together([call], late),
  'openai-agents': ({ guard }) => (gatedTool as Untyped)(guard, { name: 'Lookup', execute: run }, late),
  'vercel-ai': ({ guard }) => (gatedTools as Untyped)(guard, {}, late),
  'google-adk': ({ guard }) => (gatedAdkTool as Untyped)(guard, { name: 'Lookup', execute: run }, late),
  mastra: ({ guard }) => (gatedMastraTool as Untyped)(guard, { id: 'Lookup', execute: run }, late),
  strands: ({ guard }) => (strandsMiddleware as Untyped)(guard, { TextBlock: Part, ToolResultBlock: Part }, late),
};

test.each(Object.entries(MORE))('%s refuses an argument that it does not take', async (_, way) => {
  await expect(async () => way(started())).rejects.toThrow(/^arguments: are too many: (?:state|give) \w+/);
});

const OPTIONS: typeof MORE = {
  wait: ({ client }) => client.wait('p-1', { timeOut: '5m' }),
  pending: ({ client }) => client.pending({ timeOut: '5m' }),
  'gate, for all calls': ({ client }) => client.gate('Lookup', run, { timeOut: '5m' }),
  'gate, for one call': ({ client }) => client.gate('Lookup', run)({}, { timeOut: '5m' }),
  decide: ({ client }) => client.decide({ tool: 'Lookup', input: {}, timeOut: '5m' }),
  execute: ({ client }) => client.execute({ tool: 'Lookup', input: {}, timeOut: '5m' }),
  guard: ({ client }) => client.guard({ run: 'r', timeOut: '5m' }),
  'a guarded call': ({ guard }) => guard.run({ ...call, timeOut: '5m' }, run),
  'a call of a turn': ({ guard }) => guard.together([{ ...call, timeOut: '5m' }]),
  asks: ({ guard }) => guard.asks(call, { timeOut: '5m' }),
  'decide of a guard': ({ guard }) => guard.decide(call, { timeOut: '5m' }),
  run: ({ guard }) => guard.run(call, run, { timeOut: '5m' }),
  answer: ({ guard }) => guard.answer(call, run, { timeOut: '5m' }),
  'claude-agent-sdk': ({ client }) => (countersignHooks as Untyped)(client, { timeOut: '5m' }),
  langchain: ({ client }) =>
    (countersignMiddleware as Untyped)(client, { interrupt: run, ToolMessage: Part }, { timeOut: '5m' }),
};

test.each(Object.entries(OPTIONS))('%s names an option that is none, and those that there are', async (_, way) => {
  const { client, guard } = started();
  await expect(async () => way({ client, guard })).rejects.toThrow(/^timeOut: is no setting: there are .*\w/);
});

test('what Array.map hands on beside a call states nothing', async () => {
  const gate = createTestGate({ policy: GUARDED_POLICY });
  await using client = new CountersignClient(gate.clientOptions('coder'));
  const inputs = [{ q: 1 }, { q: 2 }];
  const lookup: Untyped = client.gate('Lookup', ({ q }: { q: number }) => q);
  expect(await Promise.all(inputs.map(lookup))).toEqual([1, 2]);
  const decided = await Promise.all(inputs.map((input) => ({ tool: 'Lookup', input })).map(client.decide, client));
  expect(decided.map(({ outcome }) => outcome)).toEqual(['approved', 'approved']);
  const proposed = inputs.map((input) => ({ toolName: 'Lookup', input })).map(client.propose, client);
  expect(await Promise.all(proposed)).toHaveLength(2);
  const ids = (await Promise.all(proposed)) as string[];
  const waited = await Promise.all(ids.map(client.wait as Untyped, client));
  expect(waited).toMatchObject([{ outcome: 'approved' }, { outcome: 'approved' }]);
  expect(await Promise.all(ids.map(client.cancel as Untyped, client))).toEqual([undefined, undefined]);
  const asked = await Promise.all(['One?', 'Two?'].map(client.proposeQuestion as Untyped, client));
  expect(asked).toHaveLength(2);
  // A length of time is one all the same, and no index.
  await expect((client as Untyped).wait('p-1', 5_000)).rejects.toThrow('options: 5000 is not an object');
  await expect((client as Untyped).cancel('p-1', 5_000)).rejects.toThrow('reason: 5000 is not a text');
  await expect(lookup({ q: 1 }, 5_000)).rejects.toThrow('options: 5000 is not an object');
});

test('an option that is undefined states nothing, whatever its name', async () => {
  const gate = createTestGate({ policy: GUARDED_POLICY });
  await using client = new CountersignClient(gate.clientOptions('coder'));
  const lookup: Untyped = client.gate('Lookup', run);
  expect(await lookup({}, { timeOut: undefined, reason: undefined })).toBe('ran');
});

const SIGNALS: typeof OPTIONS = {
  wait: ({ client }) => client.wait('p-1', { signal: new AbortController() }),
  ask: ({ client }) => client.ask('Which?', { signal: new AbortController() }),
  choose: ({ client }) => client.choose('p', { actions: [] }, {}, { signal: new AbortController() }),
  policy: ({ client }) => client.policy('p', { signal: new AbortController() }),
  pending: ({ client }) => client.pending({ signal: new AbortController() }),
  decide: ({ client }) => client.decide({ tool: 'Lookup', input: {}, signal: new AbortController() }),
  gate: ({ client }) => client.gate('Lookup', run)({}, { signal: new AbortController() }),
  run: ({ guard }) => guard.run(call, run, { signal: new AbortController() }),
};

test.each(Object.entries(SIGNALS))('%s says what to pass of an AbortController', async (_, way) => {
  await expect(async () => way(started())).rejects.toThrow(
    'signal: an object is no AbortSignal: pass the signal of this AbortController',
  );
});

test.each([
  [5_000, '5000 is no AbortSignal: state a length of time as timeout'],
  ['5s', '"5s" is no AbortSignal: state a length of time as timeout'],
  [null, 'null is no AbortSignal: pass the signal of an AbortController'],
])('%j as a signal is refused with what to do', async (signal, problem) => {
  const { client } = started();
  await expect(client.wait('p-1', { signal })).rejects.toThrow(`signal: ${problem}`);
});

test('a schema that is none, or comes too late, is refused before anything is sent', async () => {
  const { client } = started();
  const schema = { '~standard': { version: 1, vendor: 'x', validate: (value: unknown) => ({ value }) } };
  expect(() => client.gate('Lookup', run, schema)).toThrow('schema: comes before the tool');
  expect(() => client.gate('Lookup', { type: 'object' }, run)).toThrow(
    'schema: an object is not a schema of a library',
  );
  await expect(client.execute({ tool: 'Lookup', input: {}, output: { parse: run } })).rejects.toThrow(
    'output: an object is not a schema',
  );
});

test('what decide would ignore is refused', async () => {
  const { client, guard } = started();
  for (const ignored of [{ limits: { timeoutMs: 5 } }, { fallback: run }]) {
    await expect(client.decide({ tool: 'Lookup', input: {}, ...ignored })).rejects.toThrow('has no effect on decide');
    await expect(guard.decide({ ...call, ...ignored })).rejects.toThrow('has no effect on decide');
    expect(() => (countersignHooks as Untyped)(client, ignored)).toThrow(': is no setting: there are timeout');
  }
});

test.each([null, 'text', [1], 5, true])(
  'an input that is no object is refused before it is sent: %j',
  async (input) => {
    const { client, guard } = started();
    const ways = {
      propose: () => client.propose({ toolName: 'Lookup', input }),
      proposeAll: () => client.proposeAll([{ id: 'a', toolName: 'Lookup', input }]),
      decide: () => client.decide({ tool: 'Lookup', input }),
      run: () => guard.run({ ...call, input }, run),
    };
    for (const [way, send] of Object.entries(ways))
      await expect(send(), way).rejects.toThrow(/input: must be an object$/);
  },
);

test('calls, an envelope and a decision that are none are named', async () => {
  const { client } = started();
  await expect(client.proposeAll()).rejects.toThrow('calls: is missing: it is a list');
  await expect(client.proposeAll([], null)).rejects.toThrow('envelope: null is not an object');
  await expect(client.proposeChoice('p', {}, {}, null)).rejects.toThrow('envelope: null is not an object');
  expect(() => client.assertRunnable()).toThrow('decision: is missing');
  expect(() => createTestGate({ policy: GUARDED_POLICY }).clientOptions(undefined as Untyped)).toThrow(
    'agent: is missing',
  );
});
