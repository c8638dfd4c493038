/** Checks that a value of a wrong type is named where a program states it: nothing is sent then. */
import { expect, test } from 'vitest';
import { CountersignClient, type Decision } from '../../../shared/client/index.ts';
import { countersignHooks } from '../../../shared/client/integrations/claude-agent-sdk.ts';
import { countersignMiddleware } from '../../../shared/client/integrations/langchain.ts';
import { gatedServer } from '../../../shared/client/integrations/mcp.ts';
import { resume } from '../../../shared/client/integrations/openai-agents.ts';
import { gatedTools } from '../../../shared/client/integrations/vercel-ai.ts';
import { createTestGate } from '../../../shared/testing/index.ts';
import { GUARDED_POLICY } from './guarded-policy.ts';

/** A program in JavaScript: nothing checks its types. */
// biome-ignore lint/suspicious/noExplicitAny: values that the types refuse are what is tested
type Untyped = any;

const call = { callId: 'c', tool: 'Lookup', input: {} };
const run = () => 'ran';
const parts = { interrupt: run, ToolMessage: class {} };

function started() {
  const gate = createTestGate({ policy: GUARDED_POLICY });
  const queue = { publish: async () => expect.unreachable('sent') };
  const client: Untyped = new CountersignClient({ ...gate.clientOptions('coder'), queue });
  return { client, guard: client.guard({ run: 'r' }) };
}

const SETTINGS: readonly [setting: string, value: unknown, problem: string][] = [
  ['title', 42, '42 is not a text'],
  ['description', null, 'null is not a text'],
  ['reason', ['a'], 'a list is not a text'],
  ['state', { at: 1 }, 'an object is not a text'],
  ['cwd', 7, '7 is not a text'],
  ['sessionId', 'my session', '"my session" cannot be a name'],
  ['expiresAt', new Date(0), 'a Date is no time: give one like'],
  ['expiresAt', 'tomorrow', '"tomorrow" is no time: give one like'],
  ['expiresAt', '2099-01-01T00:00:00+01:00', '"2099-01-01T00:00:00+01:00" is no time: give one like'],
  ['urgency', 'asap', '"asap" is not one of low, normal, high, critical'],
  ['idempotencyKey', 42, '42 cannot be a name'],
  ['limits', new Map([['timeoutMs', 5]]), 'a Map is not an object with fields'],
];

test.each(SETTINGS)(
  'the setting %s: %j is named when it is stated, not told to the model',
  (setting, value, problem) => {
    const { client } = started();
    const more = { [setting]: value };
    expect(() => client.guard({ run: 'r', ...more })).toThrow(`${setting}: ${problem}`);
    expect(() => (countersignMiddleware as Untyped)(client, parts, more)).toThrow(`${setting}: ${problem}`);
    if (setting !== 'sessionId' && setting !== 'limits')
      expect(() => (countersignHooks as Untyped)(client, more)).toThrow(`${setting}: ${problem}`);
  },
);

const decision = { outcome: 'approved', calls: [] } as unknown as Decision;
const server = () => ({ registerTool: () => expect.unreachable('registered') });

const WAYS: Record<string, (given: { client: Untyped; guard: Untyped }) => unknown> = {
  'idempotencyKey: 42 cannot be a name': ({ client }) =>
    client.decide({ tool: 'Lookup', input: {}, idempotencyKey: 42 }),
  'tool: "ran" is not a function': ({ guard }) => guard.answer(call, 'ran'),
  'calls[1]: "c" is not an object with fields': ({ guard }) => guard.together([call, 'c']),
  'callId: 7 is no text': ({ guard }) =>
    guard.together([call, { ...call, callId: 7 }]).run({ ...call, callId: 7 }, run),
  'callId: Symbol(c) is no text': ({ guard }) => guard.asks({ ...call, callId: Symbol('c') }),
  'tool: is a symbol': ({ guard }) => guard.asks({ ...call, tool: Symbol('c') }),
  'choices: must be a list': ({ client }) => client.proposeQuestion('Which?', { choices: '' }),
  'choices: must be': ({ client }) => client.ask('Which?', { choices: null }),
  'options: a Promise is not an object with fields': ({ client }) => client.wait('p-1', Promise.resolve({})),
  'options: null is not an object': ({ client }) => client.policy('p').choose({ actions: [] }, {}, null),
  'signal: 7 is no AbortSignal': ({ client }) => client.policy('p').choose({ actions: [] }, {}, { signal: 7 }),
  'proposalId: must be text': ({ client }) => client.cancel(7),
  'reason: 0 is not a text': ({ client }) => client.cancel('p-1', 0),
  'proposalId: 7 is not a text': ({ client }) => client.assertRunnable(decision, 7, { toolName: 'Lookup', input: {} }),
  'decision.outcome: is missing': ({ client }) => client.assertRunnable({}, 'p', { toolName: 'Lookup', input: {} }),
  'state: an object is not an object with the methods getInterruptions, approve': () => (resume as Untyped)({}),
  'tools.Lookup: null is not an object': ({ guard }) => (gatedTools as Untyped)(guard, { Lookup: null }),
  'tools.Lookup.execute: "x" is not a function': ({ guard }) =>
    (gatedTools as Untyped)(guard, { Lookup: { execute: 'x' } }),
  'callback: is missing': ({ client }) => gatedServer(server() as Untyped, client).registerTool('Lookup', {}),
  'configurable.thread_id: 7 is no text': ({ client }) =>
    (countersignMiddleware(client, parts).wrapToolCall as Untyped)(
      { toolCall: { id: 'c', name: 'Lookup', args: {} }, runtime: { configurable: { thread_id: 7 } } },
      run,
    ),
};

test.each(Object.entries(WAYS))('%s', async (problem, way) => {
  await expect(async () => way(started())).rejects.toThrow(problem);
});
