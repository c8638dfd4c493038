/** Bad settings: every constructor and factory of every entry refuses them where they are stated, and names them. */
import { describe, expect, test } from 'vitest';
import * as guardrails from '../../../shared/adapters/guardrails/index.ts';
import { AnthropicClient } from '../../../shared/adapters/llm/anthropic.ts';
import { VercelClient } from '../../../shared/adapters/llm/vercel.ts';
import * as approvals from '../../../shared/approvals/index.ts';
import * as client from '../../../shared/client/index.ts';
import { countersignHooks } from '../../../shared/client/integrations/claude-agent-sdk.ts';
import { countersignMiddleware } from '../../../shared/client/integrations/langchain.ts';
import { gatedServer } from '../../../shared/client/integrations/mcp.ts';
import { gatedTool } from '../../../shared/client/integrations/openai-agents.ts';
import { gatedTools } from '../../../shared/client/integrations/vercel-ai.ts';
import * as config from '../../../shared/config/index.ts';
import { isCountersignError } from '../../../shared/domain/errors.ts';
import * as permissions from '../../../shared/permissions/public.ts';
import * as policies from '../../../shared/policies/public.ts';
import * as echo from '../../../shared/seeds/echo-agent.ts';
import * as tenor from '../../../shared/seeds/tenor.ts';
import * as tkach from '../../../shared/seeds/tkach.ts';
import * as tasks from '../../../shared/task-agent/index.ts';
import * as testing from '../../../shared/testing/index.ts';

type Options = Record<string, unknown>;
type Make = (value: never) => unknown;

const URL = 'https://sqs.eu-central-1.amazonaws.com/1/proposals';
const CLIENT = { agent: 'billing', deployment: 'Countersign', queueUrl: URL, auditTable: 'audit' };
const gate = new client.CountersignClient(CLIENT);
const guard = gate.guard({ run: 'r' });
const ask = async () => ({ type: 'silent' }) as const;
const model = { complete: async () => ({ text: '', usage: { inputTokens: 0, outputTokens: 0 } }) };
const turn = { next: async () => ({}) };
const first = policies.firstAvailable();
const limits = { environment: 'production', environments: { production: {} } };
const channel = policies.asChannel(ask);
const noop = () => undefined;

const NONE = [undefined, null];
const NUMBERS = [Number.NaN, -1, Number.POSITIVE_INFINITY, '1', {}];
/** By the kind of value: what is no such value. */
const WRONG = {
  text: [null, '', ' ', 7, {}, Number.NaN],
  texts: [null, 'all', 7, {}, [7]],
  fn: [null, '', 7, {}, 'x'],
  port: [null, '', 7, {}, Number.NaN],
  record: [null, '', 7, [], Number.NaN],
  list: [null, '', 7, {}, Number.NaN],
  flag: [null, '', 0, 'true'],
  count: [null, 0, 1.5, ...NUMBERS],
  wait: [null, '', 'soon', '5', Number.NaN, -1, Number.POSITIVE_INFINITY, {}],
  mode: [null, '', 'Default ', 7, '__proto__'],
  natural: [null, 1.5, ...NUMBERS],
  file: [null, 7, {}, Number.NaN],
  time: [null, '', 'soon', {}, Number.NaN],
  seconds: [null, 0, '1', {}, ...[Number.NaN, -1, Number.POSITIVE_INFINITY]],
} as const;
type Kind = keyof typeof WRONG;

/** A constructor or factory that takes options: how it is called, the options that work, and the kind of each option. */
type WithOptions = readonly [
  name: string,
  make: (options: never) => unknown,
  works: Options,
  kinds: Readonly<Record<string, Kind>>,
];

const SERVICE: Readonly<Record<string, Kind>> = {
  mode: 'mode',
  rules: 'list',
  tools: 'port',
  bypassDisabled: 'flag',
  bypassHonoursRules: 'flag',
  protectedPaths: 'port',
  cache: 'port',
  tracker: 'port',
  classifier: 'port',
  classifierContext: 'record',
  classifierTimeout: 'wait',
  ask: 'fn',
  requestHandler: 'port',
  askTimeout: 'wait',
  auditSink: 'port',
  auditRequired: 'flag',
  parent: 'port',
  cwd: 'text',
  projectRoot: 'text',
  home: 'text',
  fs: 'record',
  agentName: 'text',
  sessionId: 'text',
  binding: 'record',
  unattended: 'flag',
  clock: 'port',
  micros: 'fn',
  managedRulesOnly: 'flag',
  workspaceTrusted: 'flag',
};

const OPTIONS: readonly WithOptions[] = [
  [
    'CountersignClient',
    (o) => new client.CountersignClient(o),
    CLIENT,
    {
      agent: 'text',
      deployment: 'text',
      queueUrl: 'text',
      auditTable: 'text',
      executionsQueueUrl: 'text',
      stateTable: 'text',
      redeemFunction: 'text',
      outcomesQueueUrl: 'text',
      sessionId: 'text',
      aws: 'record',
      queue: 'port',
      reader: 'port',
      executions: 'port',
      results: 'port',
      redeemer: 'port',
      outcomes: 'port',
      clock: 'port',
      newId: 'fn',
      sleep: 'fn',
      random: 'fn',
      realPath: 'fn',
    },
  ],
  [
    'CountersignClient.fromEnvironment',
    (o) => client.CountersignClient.fromEnvironment(o),
    CLIENT,
    { agent: 'text', queue: 'port', aws: 'record' },
  ],
  ['guard of a client', (o) => gate.guard(o), { run: 'r' }, { run: 'text', timeout: 'wait' }],
  ['PermissionService', (o) => new permissions.PermissionService(o), {}, SERVICE],
  [
    'SessionApprovalCache',
    (o) => new permissions.SessionApprovalCache(o),
    {},
    { ttl: 'wait', capacity: 'count', clock: 'port' },
  ],
  [
    'DenialTracker',
    (o) => new permissions.DenialTracker(o),
    {},
    { maxConsecutive: 'count', maxTotal: 'count', clock: 'port', state: 'record' },
  ],
  [
    'RuleClassifier',
    (o) => new permissions.RuleClassifier(o),
    {},
    { allow: 'texts', deny: 'texts', tools: 'port', cwd: 'text', projectRoot: 'text', home: 'text' },
  ],
  [
    'PatternMatcher',
    (o) => new permissions.PatternMatcher(o),
    {},
    { tools: 'port', cwd: 'text', projectRoot: 'text', home: 'text' },
  ],
  [
    'ProtectedPathChecker',
    (o) => new permissions.ProtectedPathChecker(o),
    {},
    { names: 'texts', custom: 'texts', enabled: 'flag' },
  ],
  ['LlmClassifier', (o) => new permissions.LlmClassifier(model, 'm', o), {}, { tracker: 'port', nonce: 'fn' }],
  ['LlmPolicy', (o) => new policies.LlmPolicy(model, 'm', o), {}, { maxRetries: 'natural', systemPrompt: 'file' }],
  [
    'llm',
    (o) => policies.llm(o),
    { client: model, model: 'm' },
    { client: 'port', model: 'text', system: 'text', retries: 'natural' },
  ],
  [
    'humanInTheLoop',
    (o) => policies.humanInTheLoop(o),
    { ask, timeout: '3m' },
    { propose: 'port', ask: 'fn', timeout: 'wait', onTimeout: 'mode' },
  ],
  [
    'composite',
    (o) => policies.composite(o),
    { propose: first, when: policies.flow('a'), approve: first },
    { propose: 'port', when: 'port', approve: 'port' },
  ],
  [
    'runAgentLoop',
    (o) => policies.runAgentLoop(o),
    {
      actionSpace: noop,
      snapshot: noop,
      execute: noop,
      policy: first,
      signal: AbortSignal.abort(),
      idle: noop,
    },
    { actionSpace: 'fn', snapshot: 'fn', execute: 'fn', policy: 'port', signal: 'port', idle: 'fn', observe: 'fn' },
  ],
  ['consoleAsker', (o) => approvals.consoleAsker(o), {}, { terminal: 'port' }],
  ['gateAsker', (o) => approvals.gateAsker(gate, o), {}, { policy: 'text', cwd: 'text' }],
  [
    'webhookAsker',
    (o) => approvals.webhookAsker('https://a.example/', o),
    { timeout: '3m' },
    { timeout: 'wait', fetch: 'fn', clock: 'port' },
  ],
  ['webSocketAsker', (o) => approvals.webSocketAsker('127.0.0.1:0', o), {}, { timeout: 'wait', token: 'file' }],
  ['asHandler', (o) => approvals.asHandler(ask, o), {}, { fastPath: 'mode', newId: 'fn' }],
  [
    'tool',
    (o) => approvals.tool(o),
    {
      name: 't',
      description: 'd',
      execute: () => '',
      input: { '~standard': { version: 1, vendor: 'v', validate: (value: unknown) => ({ value }) } },
    },
    { name: 'text', description: 'text', input: 'port', class: 'mode', execute: 'fn' },
  ],
  [
    'subAgentTool',
    (o) => approvals.subAgentTool(o),
    { model: turn },
    { name: 'text', model: 'port', maxTurns: 'count' },
  ],
  [
    'runAgent',
    (o) => approvals.runAgent('p', o),
    { model: turn, executor: new approvals.AgentBuilder(turn).build().executor },
    {
      model: 'port',
      executor: 'port',
      signal: 'port',
      onEvent: 'fn',
      maxTurns: 'count',
    },
  ],
  [
    'guardrails',
    (o) => guardrails.guardrails(o),
    { config: limits, tools: [] },
    { config: 'record', tools: 'list', parts: 'record', events: 'port' },
  ],
  [
    'call of a guard',
    (o) => guardrails.guardrails({ config: limits, tools: [] }).invoke('T', {}, o),
    { agent: 'a' },
    {
      agent: 'text',
      signal: 'port',
      timeout: 'wait',
      limits: 'record',
      idempotencyKey: 'text',
    },
  ],
  [
    'dynamoGuardrails',
    (o) => guardrails.dynamoGuardrails(o),
    { table: 't', client: { send: async () => ({}), middlewareStack: { add: noop } } },
    { table: 'text', client: 'port' },
  ],
  [
    'modelClassifier',
    (o) => tasks.modelClassifier(o),
    { client: model, model: 'm' },
    { client: 'port', model: 'text', timeout: 'wait', deadline: 'fn' },
  ],
  [
    'processMessage',
    (o) => tasks.processMessage({ user_id: 'u', message: 'hi', conversation_id: 'c' }, o),
    { clock: Date, audit: { decided: noop } },
    {
      clock: 'port',
      audit: 'port',
      tools: 'fn',
      classifier: 'fn',
      deadline: 'fn',
      timeout: 'wait',
      newId: 'fn',
      messageId: 'text',
    },
  ],
  [
    'AnthropicClient',
    (o) => new AnthropicClient('key', o),
    {},
    { baseURL: 'text', timeout: 'wait', maxTokens: 'count' },
  ],
  ['VercelClient', (o) => new VercelClient(noop as never, o), {}, { timeout: 'wait', maxTokens: 'count' }],
  ['gatedServer', (o) => gatedServer({ registerTool: noop } as never, gate, o), {}, { hold: 'wait', newId: 'fn' }],
  [
    'QueuedApprovalHandler',
    (o) => new tkach.QueuedApprovalHandler(async () => approvals.callbackAsker as never, o),
    {},
    { fastPath: 'mode' },
  ],
  ['SlackApprovalHandler', (o) => new tkach.SlackApprovalHandler(gate, o), {}, { cwd: 'text', fastPath: 'mode' }],
  [
    'WebhookApprovalChannel',
    (o) => new tenor.WebhookApprovalChannel('https://a.example/', o),
    { timeout: '3m' },
    { timeout: 'wait', fetch: 'fn' },
  ],
  [
    'WebhookHumanLoopProvider',
    (o) => new echo.WebhookHumanLoopProvider('https://a.example/', 3, o),
    {},
    { fetch: 'fn', clock: 'port' },
  ],
  ['PermissionServiceBuilder', (o) => new echo.PermissionServiceBuilder(o), {}, SERVICE],
  [
    'createTestGate',
    (o) => testing.createTestGate(o),
    { policy: POLICY() },
    { policy: 'file', approver: 'fn', clock: 'port', tools: 'list' },
  ],
];

function POLICY() {
  return 'people: { o: { team: T1, user: U1, name: O } }\nagents: { a: { owner: o } }\nrules: { allow: [Lookup] }\n';
}

const thrownBy = async (make: () => unknown): Promise<unknown> => {
  try {
    const made = await make();
    const { stop, close } = (made ?? {}) as { stop?(): void; close?(): Promise<void> };
    stop?.call(made);
    await close?.call(made);
    return 'nothing was thrown';
  } catch (error) {
    return error;
  }
};

const expectNamed = (error: unknown, setting: string, stated: string) => {
  expect(isCountersignError(error), `${stated}: ${String(error)}`).toBe(true);
  expect((error as Error).message, stated).toMatch(new RegExp(`^${setting.replaceAll(/[.[\]]/g, '\\$&')}(?!\\w)`));
};

describe.each(OPTIONS)('%s', (_name, make, works, kinds) => {
  test('takes options that work', async () => {
    const error = await thrownBy(() => make(works as never));
    const isOfItsFate = isCountersignError(error) && error.code !== 'invalid_setting';
    expect(error === 'nothing was thrown' || isOfItsFate, String(error)).toBe(true);
  });

  test.each(Object.entries(kinds))('names a wrong %s (%s)', async (setting, kind) => {
    for (const value of WRONG[kind])
      expectNamed(
        await thrownBy(() => make({ ...works, [setting]: value } as never)),
        setting,
        String(JSON.stringify(value)),
      );
  });

  test('names each setting that is missing', async () => {
    for (const setting of Object.keys(works)) {
      if (_name === 'dynamoGuardrails' && setting === 'client') continue;
      expectNamed(await thrownBy(() => make({ ...works, [setting]: undefined } as never)), setting, 'undefined');
    }
  });

  test('refuses a setting that it does not know, and options that are no object', async () => {
    for (const name of ['timeoutMs', 'toString', 'onDeny'])
      expectNamed(await thrownBy(() => make({ ...works, [name]: 1 } as never)), name, name);
    for (const value of [null, 7, 'x', []]) {
      const error = await thrownBy(() => make(value as never));
      expect(isCountersignError(error), String(error)).toBe(true);
    }
  });
});

/** Values that are stated by their position, with the name that an error gives them. */
const POSITIONS: readonly (readonly [name: string, setting: string, make: Make, kind: Kind])[] = [
  ['gate of a client', 'tool', (v) => gate.gate(v, noop), 'text'],
  ['gate of a client', 'run', (v) => gate.gate('T', v), 'fn'],
  ['withTtl', 'ttl', (v) => permissions.SessionApprovalCache.withTtl(v), 'wait'],
  ['ClassifierContext', 'agent', (v) => new permissions.ClassifierContext(v, 's'), 'text'],
  ['ClassifierContext', 'session', (v) => new permissions.ClassifierContext('a', v), 'text'],
  ['CompositeClassifier', 'classifiers', (v) => new permissions.CompositeClassifier(v), 'list'],
  ['LlmClassifier', 'client', (v) => new permissions.LlmClassifier(v, 'm'), 'port'],
  ['LlmClassifier', 'model', (v) => new permissions.LlmClassifier(model, v), 'text'],
  ['CompositePermissionAuditSink', 'sinks', (v) => new permissions.CompositePermissionAuditSink(v), 'list'],
  ['InMemoryPermissionAuditSink', 'capacity', (v) => new permissions.InMemoryPermissionAuditSink(v), 'count'],
  ['LoggingPermissionAuditSink', 'logger', (v) => new permissions.LoggingPermissionAuditSink(v), 'port'],
  ['asRequestHandler', 'ask', (v) => permissions.asRequestHandler(v), 'fn'],
  ['DenialTracker.withMaxTotal', 'maxTotal', (v) => new permissions.DenialTracker().withMaxTotal(v), 'count'],
  ['CompositePolicy', 'proposer', (v) => new policies.CompositePolicy(v, first, policies.flow('a')), 'port'],
  ['CompositePolicy', 'requiresApproval', (v) => new policies.CompositePolicy(first, first, v), 'port'],
  ['HumanInTheLoopPolicy', 'delegate', (v) => new policies.HumanInTheLoopPolicy(v, channel, 1), 'port'],
  ['HumanInTheLoopPolicy', 'approvalChannel', (v) => new policies.HumanInTheLoopPolicy(first, v, 1), 'port'],
  ['HumanInTheLoopPolicy', 'timeout', (v) => new policies.HumanInTheLoopPolicy(first, channel, v), 'wait'],
  ['LlmPolicy', 'client', (v) => new policies.LlmPolicy(v, 'm'), 'port'],
  ['LlmPolicy', 'model', (v) => new policies.LlmPolicy(model, v), 'text'],
  ['PriorityPolicy', 'priorities', (v) => new policies.PriorityPolicy(v), 'texts'],
  ['RandomPolicy', 'random', (v) => new policies.RandomPolicy(v), 'fn'],
  ['FlowIdPredicate', 'flows', (v) => new policies.FlowIdPredicate(v), 'texts'],
  ['EntityStatePredicate', 'rules', (v) => new policies.EntityStatePredicate(v), 'list'],
  ['state', 'entityId', (v) => policies.state(v, 's'), 'text'],
  ['state', 'value', (v) => policies.state('e', v), 'text'],
  ['flow', 'flows', (v) => policies.flow(v), 'port'],
  ['not', 'predicate', (v) => policies.not(v), 'port'],
  ['anyOf', 'predicates[0]', (v) => policies.anyOf(v), 'port'],
  ['allOf', 'predicates[0]', (v) => policies.allOf(v), 'port'],
  ['asChannel', 'ask', (v) => policies.asChannel(v), 'fn'],
  ['withDeadline', 'ask', (v) => policies.withDeadline(v, '1m'), 'fn'],
  ['withDeadline', 'timeout', (v) => policies.withDeadline(ask, v), 'wait'],
  ['callbackAsker', 'responder', (v) => approvals.callbackAsker(v), 'fn'],
  ['queued', 'ask', (v) => approvals.queued(v), 'fn'],
  ['gateAsker', 'gate', (v) => approvals.gateAsker(v), 'port'],
  ['webhookAsker', 'url', (v) => approvals.webhookAsker(v, { timeout: '1m' }), 'text'],
  ['webSocketAsker', 'address', (v) => approvals.webSocketAsker(v), 'text'],
  ['asHandler', 'ask', (v) => approvals.asHandler(v), 'fn'],
  ['AgentBuilder', 'model', (v) => new approvals.AgentBuilder(v), 'port'],
  ['AgentBuilder.tool', 'tools[0]', (v) => new approvals.AgentBuilder(turn).tool(v), 'record'],
  ['AgentBuilder.policy', 'policy', (v) => new approvals.AgentBuilder(turn).policy(v), 'port'],
  ['AgentBuilder.ask', 'ask', (v) => new approvals.AgentBuilder(turn).ask(v), 'fn'],
  [
    'ToolConcurrency.on',
    'limit',
    (v) => approvals.ToolConcurrency.on(v === (Number.POSITIVE_INFINITY as never) ? (0 as never) : v),
    'count',
  ],
  ['memoryGuardrails', 'now', (v) => guardrails.memoryGuardrails(v), 'fn'],
  ['defineTools', 'tools', (v) => tasks.defineTools(v), 'record'],
  ['toolsOfStore', 'store', (v) => tasks.toolsOfStore(v), 'port'],
  ['random', 'random', (v) => policies.random(v), 'fn'],
  ['priority', 'priorities', (v) => policies.priority(v), 'file'],
  ['webhookSignature', 'secret', (v) => approvals.webhookSignature(v, 1, ''), 'text'],
  ['loadGuardrails', 'guardrails', (v) => guardrails.loadGuardrails(v), 'record'],
  ['StdinApprovalChannel', 'terminal', (v) => new tenor.StdinApprovalChannel(v), 'port'],
  ['ConsoleHumanLoopProvider', 'terminal', (v) => new echo.ConsoleHumanLoopProvider(v), 'port'],
  ['WebSocketHumanLoopProvider', 'address', (v) => echo.WebSocketHumanLoopProvider.listen(v), 'text'],
  ['loadPolicy', 'source', (v) => config.loadPolicy(v, 'f'), 'file'],
  ['loadPolicy', 'file', (v) => config.loadPolicy('', v), 'file'],
  ['definePolicy', 'policy', (v) => config.definePolicy(v), 'record'],
  ['policyTester', 'policy', (v) => testing.policyTester(v), 'file'],
  ['FakeClock', 'start', (v) => new testing.FakeClock(v), 'time'],
  ['ScriptedApprover', 'answers', (v) => new testing.ScriptedApprover(v), 'list'],
  ['ScriptedClient', 'replies', (v) => new testing.ScriptedClient(v), 'list'],
  ['AnthropicClient', 'apiKey', (v) => new AnthropicClient(v), 'text'],
  ['VercelClient', 'provider', (v) => new VercelClient(v), 'fn'],
  ['countersignHooks', 'client', (v) => countersignHooks(v), 'port'],
  [
    'countersignMiddleware',
    'client',
    (v) => countersignMiddleware(v, { interrupt: noop, ToolMessage: noop } as never),
    'port',
  ],
  [
    'countersignMiddleware',
    'interrupt',
    (v) => countersignMiddleware(gate, { interrupt: v, ToolMessage: noop } as never),
    'fn',
  ],
  ['gatedServer', 'server', (v) => gatedServer(v, gate), 'port'],
  [
    'gatedTool',
    'guard',
    (v) => gatedTool(v, { name: 't', description: '', parameters: {}, execute: noop } as never),
    'port',
  ],
  ['gatedTools', 'guard', (v) => gatedTools(v, {}), 'port'],
  ['gatedTools', 'tools', (v) => gatedTools(guard, v), 'record'],
  ['CallbackApprovalChannel', 'callback', (v) => new tenor.CallbackApprovalChannel(v), 'fn'],
  ['DeadlineApprovalChannel', 'inner', (v) => new tenor.DeadlineApprovalChannel(v, 1), 'port'],
  ['DeadlineApprovalChannel', 'timeout', (v) => new tenor.DeadlineApprovalChannel(channel, v), 'wait'],
  ['SlackApprovalChannel', 'policy', (v) => new tenor.SlackApprovalChannel(gate, v), 'text'],
  ['WebhookApprovalChannel', 'url', (v) => new tenor.WebhookApprovalChannel(v, { timeout: 1 }), 'text'],
  ['QueuedApprovalHandler', 'screen', (v) => new tkach.QueuedApprovalHandler(v), 'fn'],
  ['CallbackHumanLoopProvider', 'ask', (v) => new echo.CallbackHumanLoopProvider(v), 'fn'],
  ['ProviderRequestHandler', 'provider', (v) => new echo.ProviderRequestHandler(v), 'port'],
  ['AgentPermissions', 'service', (v) => new echo.AgentPermissions(v), 'port'],
  ['RuleRegistry', 'rules', (v) => new echo.RuleRegistry(v), 'list'],
  ['asProvider', 'ask', (v) => echo.asProvider(v), 'fn'],
  [
    'WebhookHumanLoopProvider',
    'timeoutSecs',
    (v) => new echo.WebhookHumanLoopProvider('https://a.example/', v),
    'seconds',
  ],
];

/** Positions that may be left out: undefined is their default. */
const OPTIONAL = new Set([
  'terminal',
  'classifiers',
  'capacity',
  'logger',
  'random',
  'limit',
  'now',
  'start',
  'service',
  'rules',
]);

test.each(POSITIONS)('%s names a wrong %s', async (_name, setting, make, kind) => {
  const values: unknown[] = [
    ...(OPTIONAL.has(setting) && _name !== 'EntityStatePredicate' ? [] : NONE),
    ...WRONG[kind],
  ];
  for (const value of values)
    expectNamed(await thrownBy(() => make(value as never)), setting, `${String(value)} (${typeof value})`);
});

/** Take no setting, or a value that they read and answer about. */
const WITHOUT_SETTINGS =
  /Error$|^is[A-Z]|^(?:actionOf|allowResult|blockResult|undecidedResult|firstAvailable|FirstAvailablePolicy|AlwaysApprove|NeverApprove|processTerminal|classifyIntent|callsToRun|validateDecision|validateToolCall|timerDeadline)$/;

test('every function and class of these entries is in a table', () => {
  const entries = { client, permissions, policies, approvals, guardrails, tasks, config, testing, echo, tenor, tkach };
  const tested = new Set([...OPTIONS, ...POSITIONS].map(([name]) => name.split('.')[0]));
  const missing = Object.entries(entries).flatMap(([entry, module]) =>
    Object.entries(module)
      .filter(([name, value]) => typeof value === 'function' && !tested.has(name) && !WITHOUT_SETTINGS.test(name))
      .map(([name]) => `${entry}: ${name}`),
  );
  expect(missing).toEqual([]);
});
