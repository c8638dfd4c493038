/** Lists the constructors and factories that take settings by their position. */
import * as guardrails from '../../../shared/adapters/guardrails/index.ts';
import { AnthropicClient } from '../../../shared/adapters/llm/anthropic.ts';
import { VercelClient } from '../../../shared/adapters/llm/vercel.ts';
import * as approvals from '../../../shared/approvals/index.ts';
import { countersignHooks } from '../../../shared/client/integrations/claude-agent-sdk.ts';
import { countersignMiddleware } from '../../../shared/client/integrations/langchain.ts';
import { gatedServer } from '../../../shared/client/integrations/mcp.ts';
import { gatedTool } from '../../../shared/client/integrations/openai-agents.ts';
import { gatedTools } from '../../../shared/client/integrations/vercel-ai.ts';
import * as config from '../../../shared/config/index.ts';
import * as permissions from '../../../shared/permissions/index.ts';
import * as policies from '../../../shared/policies/index.ts';
import * as echo from '../../../shared/seeds/echo-agent.ts';
import * as tenor from '../../../shared/seeds/tenor.ts';
import * as tkach from '../../../shared/seeds/tkach.ts';
import * as tasks from '../../../shared/task-agent/index.ts';
import * as testing from '../../../shared/testing/index.ts';
import { ask, channel, first, gate, guard, type Kind, type Make, model, noop, turn } from './setting-values.ts';

/** Values that are stated by their position, with the name that an error gives them. */
export const POSITIONS: readonly (readonly [name: string, setting: string, make: Make, kind: Kind])[] = [
  ['gate of a client', 'tool', (v) => gate.gate(v, noop), 'text'],
  ['gate of a client', 'run', (v) => gate.gate('T', v), 'fn'],
  ['withTtl', 'ttl', (v) => permissions.SessionApprovalCache.withTtl(v), 'wait'],
  ['modeDisplayName', 'mode', (v) => permissions.modeDisplayName(v), 'mode'],
  ['modeFlags', 'mode', (v) => permissions.modeFlags(v), 'mode'],
  ['ClassifierContext', 'agent', (v) => new permissions.ClassifierContext(v, 's'), 'text'],
  ['ClassifierContext', 'session', (v) => new permissions.ClassifierContext('a', v), 'text'],
  ['CompositeClassifier', 'classifiers', (v) => new permissions.CompositeClassifier(v), 'list'],
  ['LlmClassifier', 'client', (v) => new permissions.LlmClassifier(v, 'm'), 'port'],
  ['LlmClassifier', 'model', (v) => new permissions.LlmClassifier(model, v), 'text'],
  ['CompositePermissionAuditSink', 'sinks', (v) => new permissions.CompositePermissionAuditSink(v), 'list'],
  ['InMemoryPermissionAuditSink', 'capacity', (v) => new permissions.InMemoryPermissionAuditSink(v), 'count'],
  ['LoggingPermissionAuditSink', 'logger', (v) => new permissions.LoggingPermissionAuditSink(v), 'port'],
  ['asRequestHandler', 'ask', (v) => echo.asRequestHandler(v), 'fn'],
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
  ['asHandler', 'ask', (v) => tkach.asHandler(v), 'fn'],
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
export const OPTIONAL = new Set([
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
