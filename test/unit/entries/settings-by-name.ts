/** Lists constructors and factories that take options, with options that work and their kinds. */
import * as guardrails from '../../../shared/adapters/guardrails/index.ts';
import { AnthropicClient } from '../../../shared/adapters/llm/anthropic.ts';
import { BedrockClient } from '../../../shared/adapters/llm/bedrock.ts';
import { VercelClient } from '../../../shared/adapters/llm/vercel.ts';
import * as approvals from '../../../shared/approvals/index.ts';
import { runAgent } from '../../../shared/approvals/tool-gate/agent-loop.ts';
import * as client from '../../../shared/client/index.ts';
import { gatedServer } from '../../../shared/client/integrations/mcp.ts';
import { PatternMatcher } from '../../../shared/permissions/classifiers/pattern-matcher.ts';
import * as permissions from '../../../shared/permissions/index.ts';
import * as policies from '../../../shared/policies/index.ts';
import * as echo from '../../../shared/seeds/echo-agent.ts';
import * as tenor from '../../../shared/seeds/tenor.ts';
import * as tkach from '../../../shared/seeds/tkach.ts';
import * as tasks from '../../../shared/task-agent/index.ts';
import * as testing from '../../../shared/testing/index.ts';
import { ask, CLIENT, first, gate, type Kind, limits, model, noop, type Options, turn } from './setting-values.ts';

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

export const OPTIONS: readonly WithOptions[] = [
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
    (o) => new PatternMatcher(o),
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
  ['asHandler', (o) => tkach.asHandler(ask, o), {}, { fastPath: 'mode', newId: 'fn' }],
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
    (o) => runAgent('p', o),
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
  [
    'BedrockClient',
    (o) => new BedrockClient(o),
    {},
    { region: 'text', baseURL: 'text', timeout: 'wait', maxTokens: 'count' },
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
