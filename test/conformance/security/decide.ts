/** Decides cases of the areas rules, protected-path, input, llm and cache-key, by their common shape. */
import { adviseOnRule } from '../../../shared/cli/lint/rule-advice.ts';
import type { CallContext } from '../../../shared/permissions/call/call-context.ts';
import { ProtectedPathChecker, type RuleInput } from '../../../shared/permissions/index.ts';
import { ruleSourceOf } from '../../../shared/permissions/model/sources.ts';
import { createToolRegistry } from '../../../shared/permissions/model/tools.ts';
import type { Evaluation, FileSystemView, SessionFacts, ToolEntry } from '../../../shared/permissions/model/types.ts';
import { checkRules } from '../../../shared/permissions/rules/check-rules.ts';
import { compileRules } from '../../../shared/permissions/rules/compile.ts';
import { loadShellParser } from '../../../shared/permissions/shell/parser.ts';
import { evaluateCall } from '../../../shared/permissions/stages/evaluate.ts';
import { type Fields, isFields, listOf } from '../fields.ts';
import { layered, reading, whole } from '../reading.ts';
import { Uninterpretable } from '../seeds/uninterpretable.ts';
import { holds } from './assertions.ts';
import { compare, expanded, type Outcome, type SecurityCase, stronger, type Verdict } from './cases.ts';
import { type CaseModel, classify, denialsOf, messagesOf, modelOf } from './classify.ts';
import { remembered } from './grants.ts';
import { type Message, messageOf } from './message.ts';
import type { Observed } from './observed.ts';

export const DATA_AREAS: readonly string[] = ['rules', 'protected-path', 'input', 'llm', 'cache-key'];

const KNOWN = new Set([
  'mode',
  'rules',
  'toolName',
  'input',
  'cwd',
  'projectRoot',
  'home',
  'fs',
  'cache',
  'now',
  'classifier',
  'denials',
  'humanRequired',
  'tools',
  'bypassDisabledByPolicy',
  'rawInput',
  'rawMessage',
  'body',
  'senderAgentId',
  'senderAgent',
  'sender',
  'senderTenant',
  'senderTenantId',
  'senderSession',
  'senderSessionId',
  'requestId',
  'previousPayloadHash',
  'sentAt',
  'tenantId',
  'sessionId',
  'agentId',
  'policyVersion',
  'operandHashes',
  'env',
  'parent',
  'managedRulesOnly',
  'workspaceTrusted',
  'unattended',
  'ruleDigest',
  'toolDigest',
  'stagesDigest',
  'digests',
  'toolDefinition',
  'bypass',
  'protected',
  'pause',
  'hook',
  'sizeBytes',
  'rawBase64',
  'toolDefHash',
  'context',
  'sessions',
]);

/** An allow of an unknown source in a message is dropped, and what tightens counts; in the file the loader refuses either. */
function rulesOf(given: Fields): RuleInput[] {
  const rules = listOf(given['rules']).flatMap((item): RuleInput[] => {
    const rule = isFields(item) ? item : {};
    const { effect, pattern, reason, description, severity, suggestions } = rule as unknown as RuleInput;
    const known = ruleSourceOf(String(rule['source'] ?? 'project'));
    if (known === undefined && effect === 'allow') return [];
    const source = known ?? 'default';
    const told = { reason, description, severity, suggestions: whole(suggestions) };
    const stated = Object.entries(told).filter(([, value]) => value !== undefined);
    return [{ ...Object.fromEntries(stated), effect, pattern: String(pattern), source }];
  });
  for (const pattern of listOf(given['humanRequired']))
    rules.push({ effect: 'ask', pattern: String(pattern), source: 'managed', description: 'humanRequired' });
  return rules;
}

function toolsOf(given: Fields): ToolEntry[] {
  const stated = whole(given['tools']);
  if (Array.isArray(stated)) return stated as ToolEntry[];
  if (!isFields(stated)) return [];
  return Object.entries(stated).map(([name, value]) =>
    Array.isArray(value) ? { name, permissions: value as ToolEntry['permissions'] } : { ...(value as ToolEntry), name },
  );
}

function contextOf(
  given: Fields,
  toolName: unknown,
  input: unknown,
  extra: readonly Fields[],
): { call: CallContext; problems: string[] } {
  const tools = createToolRegistry(toolsOf(given));
  const { policy, problems } = checkRules(rulesOf(given), { tools });
  // A message's own rules only tighten (A3).
  const added = extra
    .filter((rule) => rule['effect'] !== 'allow')
    .map((rule) => ({ effect: rule['effect'], pattern: rule['pattern'], source: 'session' }) as RuleInput);
  const bypass = isFields(given['bypass']) ? given['bypass'] : {};
  const patterns = listOf(isFields(given['protected']) ? given['protected']['patterns'] : given['protected']).map(
    String,
  );
  const call: CallContext = {
    toolName: toolName as string,
    input,
    mode: given['mode'] as string,
    cwd: String(given['cwd']),
    projectRoot: String(given['projectRoot']),
    home: String(given['home']),
    tools,
    policy,
    sessionRules: added.length > 0 ? compileRules(added, { tools }).policy : undefined,
    bypass: { enabled: given['bypassDisabledByPolicy'] !== true, honoursRules: bypass['honoursRules'] !== false },
    protected: new ProtectedPathChecker().withPatterns(patterns),
    managedRulesOnly: given['managedRulesOnly'] === true,
    workspaceTrusted: given['workspaceTrusted'] !== false,
    fs: viewOf(given['fs']),
    unattended: given['unattended'] === true,
    pause: whole(given['pause']) as CallContext['pause'],
  };
  return { call, problems: problems.map((problem) => `${problem.level} ${problem.code}`) };
}

function viewOf(stated: unknown): FileSystemView | undefined {
  if (!isFields(stated)) return undefined;
  const { symlinks, caseInsensitive } = stated;
  // Creating a file and changing one are the same to the gate.
  whole(stated['exists']);
  return { symlinks: whole(symlinks), caseInsensitive } as FileSystemView;
}

async function run(
  call: CallContext,
  facts: SessionFacts,
  given: Fields,
): Promise<{ verdict: Verdict; model?: CaseModel | undefined; why: string; humanRequired?: boolean | undefined }> {
  let context = call;
  let known = facts;
  let model: CaseModel | undefined;
  for (let round = 0; round < 5; round++) {
    const evaluation: Evaluation = evaluateCall(context, known);
    if (evaluation.kind === 'decided')
      return {
        verdict: evaluation.verdict.verdict,
        model,
        why: `${evaluation.verdict.source}: ${evaluation.verdict.message}`,
        humanRequired: evaluation.verdict.humanRequired,
      };
    if (evaluation.need.type === 'shell-parser') {
      context = { ...context, shell: await loadShellParser() };
    } else if (evaluation.need.type === 'classifier') {
      const asked = await classify(given, call.toolName, call.input);
      model = asked.model;
      known = { ...known, classifier: asked.fact };
    } else {
      known = { ...known, parent: await parentOf(given, call) };
    }
  }
  throw new Error('the pipeline asks without end');
}

/** The call under the parent's mode and rules (D9). */
async function parentOf(given: Fields, call: CallContext): Promise<SessionFacts['parent']> {
  const parent = given['parent'];
  if (parent === undefined || parent === null) return { state: 'none' };
  if (!isFields(parent)) throw new Uninterpretable('parent');
  if (parent['cycle'] === true) return { state: 'cycle' };
  if (typeof parent['decision'] === 'string') return { state: 'answered', verdict: parent['decision'] as Verdict };
  const merged = layered(parent, layered({ rules: [], parent: undefined }, given));
  const { call: above } = contextOf(merged, call.toolName, call.input, []);
  // The parent's own parent is read whether or not the call comes so far.
  await parentOf(merged, above);
  const { verdict, humanRequired } = await run(
    above,
    { now: call.policy.rules.length >= 0 ? Number(given['now'] ?? 0) * 1000 : 0 },
    merged,
  );
  return { state: 'answered', verdict, humanRequired };
}

/** The id of a message sent again: its payload is what is compared. */
const UNUSED_HERE: ReadonlySet<string> = new Set(['requestId']);

const UNUSUAL_MS = 20;
const MAX_LOOKS = 4;

const EXPIRED = { verdict: 'deny', why: 'expired before it was evaluated' } as const;

/** The gate's answer to the case's call, with the observations on the way. */
async function observe(one: SecurityCase): Promise<Observed> {
  const stated = expanded(one);
  const foreign = Object.keys(stated).find((key) => !KNOWN.has(key));
  if (foreign !== undefined) throw new Uninterpretable(`given.${foreign}`);
  const asked = reading(stated);
  const message = messageOf(asked.fields);
  if (message.kind !== 'call') {
    // Nothing else of a message that was refused, or came too late, has a say; a key that nobody knows is one all the same.
    contextOf(asked.fields, stated['toolName'], {}, []);
    const strange = asked.unread().filter((key) => key.startsWith('rules['));
    if (strange.length > 0) throw new Uninterpretable(`nobody read given.${strange.join(', given.')}`);
    const ended = message.kind === 'refused' ? ({ verdict: 'error', why: message.why } as const) : EXPIRED;
    return { ...ended, milliseconds: 0, problems: [], given: stated };
  }
  // A batch is as strict as its strictest call.
  let seen = await judged(asked.fields, message);
  for (const other of message.others ?? []) {
    const next = await judged(asked.fields, { ...message, cwd: undefined, ...other });
    if (stronger(seen.verdict, next.verdict) !== seen.verdict) seen = next;
  }
  const unread = asked.unread().filter((key) => !hasNoSay(key, stated));
  if (unread.length > 0) throw new Uninterpretable(`nobody read given.${unread.join(', given.')}`);
  return { ...seen, given: stated };
}

/** Whether nothing reads a field of the case, because another one takes its turn. */
function hasNoSay(key: string, { rawMessage, rawBase64, rawInput, body }: Fields): boolean {
  if (key === 'input' || key === 'toolName')
    return [rawMessage, rawBase64, rawInput, body].some((raw) => raw !== undefined);
  return UNUSED_HERE.has(key);
}

/** A message that names a session of another agent reaches one of its sender's own, of that name and new. */
function inOwnSession(given: Fields): Fields {
  const { sessions, body } = { sessions: given['sessions'], body: given['body'] };
  if (!isFields(sessions)) return given;
  const agentId = given['senderAgentId'] ?? given['agentId'];
  const sessionId = isFields(body) ? body['sessionId'] : given['sessionId'];
  for (const session of Object.values(sessions))
    if (!isFields(session) || typeof session['agentId'] !== 'string') throw new Uninterpretable('sessions');
  return layered({ agentId, sessionId }, given);
}

async function judged(described: Fields, message: Extract<Message, { kind: 'call' }>): Promise<Observed> {
  const inSession = inOwnSession(described);
  // The case's folder is that of a message which states none.
  const given = layered({ cwd: message.cwd ?? inSession['cwd'] }, inSession);
  whole(described['cwd']);
  // Read whether or not the call comes so far.
  modelOf(given);
  messagesOf(given['context']);
  const { call, problems } = contextOf(given, message.toolName, message.input, message.rules ?? []);
  await parentOf(given, call);
  const facts: SessionFacts = {
    now: Number(given['now'] ?? 0) * 1000,
    denials: denialsOf(given, String(message.toolName), message.input),
    hook: whole(given['hook']) as SessionFacts['hook'],
    ...remembered(given, String(message.toolName), message.input),
  };
  if (!isFields(message.input))
    return { verdict: (await run(call, { now: 0 }, given)).verdict, milliseconds: 0, problems, given, why: 'input' };
  // The parser is loaded once per process: its start is not part of a decision.
  const shell = await loadShellParser();
  let started = performance.now();
  const own = await run({ ...call, shell }, facts, given);
  let milliseconds = performance.now() - started;
  // On a busy machine the first of them may have waited for its turn; what is slow by itself is slow each time.
  for (let again = 0; again < MAX_LOOKS && milliseconds > UNUSUAL_MS; again++) {
    started = performance.now();
    await run({ ...call, shell }, facts, given);
    milliseconds = Math.min(milliseconds, performance.now() - started);
  }
  // A mode in the message is read only to tighten.
  const stated = message.mode;
  const tightened =
    stated === undefined || stated === call.mode || stated === 'bypass'
      ? own
      : await run({ ...call, mode: stated }, facts, given);
  return {
    verdict: stronger(own.verdict, tightened.verdict),
    model: own.model,
    milliseconds,
    problems,
    given,
    why: own.why,
  };
}

/** Reports of a rule come from the loader, or from the linter of policy files. */
async function withAdvice({ assert = [], given }: SecurityCase, seen: Observed): Promise<Observed> {
  if (!assert.some((words) => /reported|warn/.test(words))) return seen;
  const found = await Promise.all(
    rulesOf(given).map(({ effect, pattern }) => adviseOnRule({ effect, pattern, agent: '' }, undefined)),
  );
  const advice = found.flatMap(({ refused, warnings }) => [...refused, ...warnings]);
  return { ...seen, problems: [...seen.problems, ...advice.map(({ level, code }) => `${level} ${code}`)] };
}

/** A case that cannot be interpreted has failed. */
export async function decideSecurity(one: SecurityCase): Promise<Outcome> {
  const expected = `${one.match} ${one.expect}${one.assert === undefined ? '' : ` with ${one.assert.join('; ')}`}`;
  try {
    const seen = await withAdvice(one, await observe(one));
    const wrong = (one.assert ?? []).filter((assertion) => holds(assertion, seen, one) === false);
    if (one.kind === 'property' && (one.assert ?? []).every((assertion) => holds(assertion, seen, one) === undefined)) {
      throw new Uninterpretable('no assertion of this property can be read');
    }
    const passed = compare(one, seen.verdict) && wrong.length === 0;
    return {
      passed,
      expected,
      got: `${seen.verdict} (${seen.why})${wrong.length > 0 ? `, not: ${wrong.join('; ')}` : ''}`,
    };
  } catch (error) {
    return { passed: false, expected, got: String(error) };
  }
}
