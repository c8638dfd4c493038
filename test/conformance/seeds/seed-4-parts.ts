/**
 * Decides the features of seed 4 that concern one part alone.
 *
 * Parts: pattern, rules, cache, classifier, protected, provider, risk.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PassThrough, Readable } from 'node:stream';
import { WebSocket } from 'ws';
import { StreamTerminal } from '../../../shared/approvals/askers/terminal.ts';
import { ConsoleHumanLoopProvider } from '../../../shared/approvals/providers/console.ts';
import { WebhookHumanLoopProvider } from '../../../shared/approvals/providers/webhook.ts';
import { WebSocketHumanLoopProvider } from '../../../shared/approvals/providers/websocket.ts';
import {
  ClassifierContext,
  CompositeClassifier,
  createToolRegistry,
  LlmClassifier,
  PatternMatcher,
  type PermissionClassifier,
  PermissionService,
  ProtectedPathChecker,
  RuleClassifier,
  RuleUpdateError,
  riskLevel,
  SessionApprovalCache,
  type ToolPermission,
} from '../../../shared/permissions/index.ts';
import { ruleSourceOf, sourcePriority } from '../../../shared/permissions/model/sources.ts';
import {
  CallbackHumanLoopProvider,
  type HumanLoopProvider,
  type HumanLoopRequest,
  type HumanLoopResponse,
  ProviderRequestHandler,
} from '../../../shared/seeds/echo-agent.ts';
import { ScriptedClient } from '../../../shared/testing/scripted-client.ts';
import type { Fields } from './matching.ts';
import {
  callOf,
  classifierOf,
  FakeClock,
  fieldsOf,
  isFields,
  listOf,
  PLACE,
  ruleOf,
  type StubClassifier,
  shell,
  Uninterpretable,
} from './seed-4-world.ts';

/** `Bash(rm:rf)` is Bash `{"command":"rm rf"}`: the first `:` is a blank. */
function subjectOf(given: Fields): { tool: string; input: Fields } {
  const written = String(given['tool'] ?? 'Bash');
  const open = written.indexOf('(');
  if (open < 0) return { tool: written, input: fieldsOf(given['input']) };
  const tool = written.slice(0, open);
  const subject = written.slice(open + 1, -1);
  if (tool === 'Bash') return { tool, input: { command: subject.replace(':', ' ') } };
  if (tool === 'WebFetch') return { tool, input: { url: subject } };
  return { tool, input: { path: subject, command: subject.replace(':', ' ') } };
}

export async function pattern(given: Fields): Promise<Fields> {
  const { tool, input } = subjectOf(given);
  const permissions = given['permissions'] as ToolPermission[] | undefined;
  const tools = createToolRegistry(permissions === undefined ? [] : [{ name: tool, permissions }]);
  const matcher = new PatternMatcher({ ...PLACE, tools, shell });
  const wanted = fieldsOf(given['matcher']);
  if ('permission' in wanted) {
    return {
      matches: await matcher.fires('*', tool, input, {
        kind: 'permission',
        permission: wanted['permission'] as ToolPermission,
      }),
    };
  }
  if ('tool' in wanted)
    return { matches: await matcher.fires('*', tool, input, { kind: 'tool', name: String(wanted['tool']) }) };
  if (given['matcher'] === 'All' || 'all' in wanted)
    return { matches: await matcher.fires('*', tool, input, { kind: 'all' }) };
  if ('allow_pattern' in given) return { allowed: await matcher.allows(String(given['allow_pattern']), tool, input) };
  if ('deny_pattern' in given) return { denied: await matcher.fires(String(given['deny_pattern']), tool, input) };
  if (typeof given['pattern'] !== 'string') throw new Uninterpretable('no pattern');
  return { matches: await matcher.fires(given['pattern'], tool, input) };
}

export async function rules(given: Fields): Promise<Fields> {
  if ('priorities' in given) {
    return {
      values: listOf(given['priorities']).map((name) => sourcePriority(ruleSourceOf(String(name)) as 'default')),
    };
  }
  const initial = listOf(given['rules']).map((rule) => ruleOf(fieldsOf(rule)));
  const service = new PermissionService({ rules: initial, ...PLACE });
  let failed: unknown;
  for (const update of listOf(given['update'] ?? given['updates'])) {
    try {
      service.update(update as Parameters<PermissionService['update']>[0], 'user');
    } catch (error) {
      if (!(error instanceof RuleUpdateError)) throw error;
      failed = error;
    }
  }
  const sources = service.rules.map((rule) => rule.source);
  const seedNames = [
    'Default',
    'LocalSettings',
    'ProjectSettings',
    'UserSettings',
    'Managed',
    'CliArg',
    'Session',
  ].filter((name) => sources.includes(ruleSourceOf(name) as 'default'));
  return {
    error: failed === undefined ? null : true,
    added: Math.max(0, service.rules.length - initial.length),
    remaining: service.rules.length,
    mode: service.mode,
    // `source_not`: no stored rule has it, in either spelling.
    not_source: [...sources, ...seedNames],
    ...notAny('source', [...sources, ...seedNames]),
  };
}

/** Lets `source_not` look at every stored rule. */
function notAny(name: string, values: readonly string[]): Fields {
  return { [name]: values.length === 1 ? values[0] : values };
}

export function cache(given: Fields): Fields {
  const clock = new FakeClock();
  const ttl = given['ttl_s'];
  const capacity = given['capacity'] === undefined ? undefined : Number(given['capacity']);
  const store = new SessionApprovalCache({
    clock,
    capacity,
    ttl: ttl === null || ttl === undefined ? undefined : Number(ttl) * 1000,
  });
  let hit: boolean | null = null;
  let removed: number | null = null;
  for (const op of listOf(given['ops'])) {
    const [name, value] = Object.entries(fieldsOf(op))[0] ?? [];
    const args = listOf(value);
    if (name === 'record') store.record(String(args[0]), args[1], args[2] as 'Once');
    else if (name === 'check') hit = store.check(String(args[0]), args[1]);
    else if (name === 'advance_s') clock.time += Number(value) * 1000;
    else if (name === 'revoke') removed = store.revoke(String(value));
    else if (name === 'clear') removed = store.clear();
    else if (name === 'cleanup') removed = store.cleanupExpired();
    else throw new Uninterpretable(`op ${JSON.stringify(op)}`);
  }
  return { hit, removed, size: store.size };
}

const CONTEXT = new ClassifierContext('agent', 's');

export async function classifier(given: Fields): Promise<Fields> {
  if ('context' in given) return contextOf(fieldsOf(given['context']));
  const { tool, input } = 'tool' in given ? subjectOf(given) : callOf(given);
  const request = { toolName: tool, input, context: CONTEXT };
  if ('rule' in given) {
    const { allow, deny } = fieldsOf(given['rule']);
    const rule = new RuleClassifier({
      ...PLACE,
      shell,
      allow: listOf(allow).map(String),
      deny: listOf(deny).map(String),
    });
    return spoken(await rule.classify(request));
  }
  if ('llm_text' in given) {
    const client = new ScriptedClient([String(given['llm_text'])]);
    return { ...spoken(await new LlmClassifier(client, 'model').classify(request)), llm_calls: client.calls.length };
  }
  if (!('composite' in given)) throw new Uninterpretable('no classifier');
  const models: StubClassifier[] = [];
  const parts = listOf(given['composite']).map((word): PermissionClassifier => {
    const text = String(word);
    const [kind = '', ...rest] = text.split(':');
    const stub = classifierOf(rest.length === 0 ? (kind === 'llm' ? 'allows' : kind) : rest.join(':'));
    if (kind === 'llm') models.push(stub);
    return stub;
  });
  const result = await new CompositeClassifier().withClassifiers(parts).classify(request);
  return { ...spoken(result), llm_calls: models.reduce((sum, each) => sum + each.calls, 0) };
}

function spoken(result: { shouldBlock: boolean; reason: string; confidence: number }): Fields {
  return {
    block: result.shouldBlock,
    confidence: result.confidence,
    reason: result.reason,
    undecided: result.shouldBlock && result.confidence === 0,
  };
}

function contextOf(given: Fields): Fields {
  const risk = fieldsOf(given['risk']);
  const context = new ClassifierContext(String(given['agent']), String(given['session']))
    .withWorkspacePath(String(given['workspace_path']))
    .withProjectType(String(given['project_type']))
    .withRecentFiles(listOf(given['recent_files']).map(String))
    .withRiskContext(
      Object.fromEntries(
        [
          ['hasSensitiveFiles', risk['has_sensitive_files']],
          ['isDestructive', risk['is_destructive']],
          ['directoryDepth', risk['directory_depth']],
          ['repetitionCount', risk['repetition_count']],
        ].filter(([, value]) => value !== undefined),
      ),
    );
  const back = {
    agent: context.agent,
    session: context.session,
    workspace_path: context.workspacePath,
    project_type: context.projectType,
    recent_files: context.recentFiles,
    risk: {
      has_sensitive_files: context.riskContext.hasSensitiveFiles,
      is_destructive: context.riskContext.isDestructive,
      directory_depth: context.riskContext.directoryDepth,
      repetition_count: context.riskContext.repetitionCount,
    },
  };
  const same = Object.entries(given).every(
    ([key, value]) => JSON.stringify(back[key as keyof typeof back]) === JSON.stringify(value),
  );
  return { roundtrip: same, ...back };
}

export async function protectedPaths(given: Fields): Promise<Fields> {
  const { tool, input } = callOf(given);
  const base = new ProtectedPathChecker().withPatterns(listOf(given['patterns']).map(String));
  const checker = given['disabled'] === true ? base.disabled() : base;
  const result = checker.check(tool, input, { context: PLACE, ...(tool === 'Bash' ? { shell: await shell() } : {}) });
  return {
    protected: result.kind === 'Protected',
    matched_pattern: result.kind === 'Protected' ? result.matchedPattern : null,
    path: result.kind === 'Protected' ? result.path : null,
  };
}

export function risk(given: Fields): Fields {
  return { risk_level: riskLevel(listOf(given['permissions']) as ToolPermission[]) };
}

export async function provider(given: Fields): Promise<Fields> {
  const request: HumanLoopRequest = {
    kind: given['kind'] === 'input' || given['kind'] === 'Input' || 'input_prompt' in given ? 'input' : 'approval',
    requestId: 'r1',
    prompt: String(given['prompt'] ?? 'Approve?'),
    toolName: String(given['tool'] ?? 'Bash'),
    args: given['args'] ?? { command: 'ls' },
  };
  if ('console' in given) return consoleAnswer(given, request);
  if ('webhook' in given || 'webhook_status' in given) return withWebhook(given, request);
  if ('websocket' in given) return withWebSocket(given, request);
  if ('responder' in given) return answered(new CallbackHumanLoopProvider(() => undefined), request);
  if ('custom' in given) return answered({ request: async () => customOf(given['custom']) }, request);
  throw new Uninterpretable('no provider');
}

async function consoleAnswer(given: Fields, request: HumanLoopRequest): Promise<Fields> {
  const output = new PassThrough();
  const line = given['line'];
  const input = Readable.from(line === null || line === undefined ? [] : [`${String(line)}\n`]);
  const result = await answered(new ConsoleHumanLoopProvider(new StreamTerminal(input, output)), request);
  return { ...result, stdout: String(output.read() ?? '') };
}

function customOf(value: unknown): HumanLoopResponse {
  const text = String(value);
  const reason = text.split("'")[1];
  if (text.startsWith('Rejected')) return { kind: 'Rejected', reason };
  for (const kind of ['Approved', 'Timeout', 'Deferred'] as const) if (text === kind) return { kind };
  if (text.startsWith('Text')) return { kind: 'Text', text: reason ?? '' };
  if (text.startsWith('ApprovedWithScope'))
    return {
      kind: 'ApprovedWithScope',
      scope: text.includes('SessionAllTools') ? 'SessionAllTools' : text.includes('Session') ? 'Session' : 'Once',
    };
  throw new Uninterpretable(`provider ${text}`);
}

/** The provider's answer, and the service's reading of it. */
async function answered(source: HumanLoopProvider, request: HumanLoopRequest): Promise<Fields> {
  let response: HumanLoopResponse;
  try {
    response = await source.request(request);
  } catch {
    return { error: true };
  }
  const service = new PermissionService({
    requestHandler: new ProviderRequestHandler({ request: async () => response }),
    ...PLACE,
  });
  const decision = await service.check('custom_tool', {});
  const reason = response.kind === 'Rejected' ? response.reason : undefined;
  return {
    error: null,
    response: response.kind,
    rejected: reason ?? null,
    text: response.kind === 'Text' ? response.text : null,
    reason: reason ?? null,
    permission: decision.decision,
    deny_reason: decision.decision === 'deny' ? decision.message : null,
  };
}

async function withWebhook(given: Fields, request: HumanLoopRequest): Promise<Fields> {
  let seen: unknown;
  const server = createServer((incoming, outgoing) => {
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.on('end', () => {
      seen = JSON.parse(Buffer.concat(chunks).toString());
      if (given['webhook'] === 'times out') return;
      outgoing.statusCode = Number(given['webhook_status'] ?? 200);
      outgoing.end(isFields(given['webhook']) ? JSON.stringify(given['webhook']) : String(given['webhook'] ?? '{}'));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    const { port } = server.address() as AddressInfo;
    const source = new WebhookHumanLoopProvider(
      `http://127.0.0.1:${port}/approve`,
      given['webhook'] === 'times out' ? 0.1 : 5,
    );
    return { ...(await answered(source, request)), posted: seen };
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}

async function withWebSocket(given: Fields, request: HumanLoopRequest): Promise<Fields> {
  const source = await WebSocketHumanLoopProvider.listen('127.0.0.1:0', { timeout: 200 });
  let pushed: unknown;
  let client: WebSocket | undefined;
  try {
    if (isFields(given['websocket'])) {
      const answer = given['websocket'];
      client = new WebSocket(`ws://127.0.0.1:${source.port}`);
      const socket = client;
      await new Promise((resolve) => socket.once('open', resolve));
      socket.send(JSON.stringify({ token: source.token }));
      socket.on('message', (data) => {
        pushed = JSON.parse(data.toString());
        socket.send(
          JSON.stringify({
            request_id: request.requestId,
            ...answer,
            ...(answer['request_id'] === 'same' ? { request_id: request.requestId } : {}),
          }),
        );
      });
      for (let tries = 0; source.clients === 0 && tries < 100; tries++)
        await new Promise((resolve) => setTimeout(resolve, 5));
    } else if (!String(given['websocket']).includes('no client')) {
      throw new Uninterpretable(`websocket ${String(given['websocket'])}`);
    }
    return { ...(await answered(source, request)), pushed };
  } finally {
    client?.terminate();
    await source.close();
  }
}
