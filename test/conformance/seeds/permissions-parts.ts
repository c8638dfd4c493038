/**
 * Decides the features of the permissions that concern one part alone.
 *
 * Parts: pattern, rules, cache, classifier, protected, risk.
 */
import { PatternMatcher } from '../../../shared/permissions/classifiers/pattern-matcher.ts';
import {
  ClassifierContext,
  CompositeClassifier,
  LlmClassifier,
  type PermissionClassifier,
  PermissionService,
  RuleClassifier,
  RuleUpdateError,
  SessionApprovalCache,
  type ToolPermission,
} from '../../../shared/permissions/index.ts';
import { ruleSourceOf, sourcePriority } from '../../../shared/permissions/model/sources.ts';
import { riskLevel } from '../../../shared/permissions/model/tools.ts';
import { ScriptedClient } from '../../../shared/testing/scripted-client.ts';
import { type Fields, fieldsOf, isFields, listOf } from '../fields.ts';
import { whole } from '../reading.ts';
import { equal } from './matching.ts';
import {
  callOf,
  checkerOf,
  classifierOf,
  FakeClock,
  matcherOf,
  placeOf,
  ruleOf,
  type StubClassifier,
  shell,
} from './permissions-world.ts';
import { Uninterpretable } from './uninterpretable.ts';

/** `Bash(rm:rf)` is Bash `{"command":"rm rf"}`: the first `:` is a blank. */
function subjectOf(given: Fields): { tool: string; input: Fields } {
  const written = String(given['tool'] ?? 'Bash');
  const open = written.indexOf('(');
  if (open < 0) return { tool: written, input: fieldsOf(whole(given['input'])) };
  const tool = written.slice(0, open);
  const subject = written.slice(open + 1, -1);
  if (tool === 'Bash') return { tool, input: { command: subject.replace(':', ' ') } };
  if (tool === 'WebFetch') return { tool, input: { url: subject } };
  return { tool, input: { path: subject, command: subject.replace(':', ' ') } };
}

export async function pattern(given: Fields): Promise<Fields> {
  const { tool, input } = subjectOf(given);
  const permissions = whole(given['permissions']) as ToolPermission[] | undefined;
  const tools = permissions === undefined ? [] : [{ name: tool, permissions }];
  const matcher = new PatternMatcher({ ...placeOf(given), tools, shell });
  const stated = given['matcher'];
  const wanted = matcherOf(stated === 'All' ? { all: true } : fieldsOf(stated));
  if (wanted) return { matches: await matcher.fires('*', tool, input, wanted) };
  if ('allow_pattern' in given) return { allowed: await matcher.allows(String(given['allow_pattern']), tool, input) };
  if ('deny_pattern' in given) return { denied: await matcher.fires(String(given['deny_pattern']), tool, input) };
  const pattern = given['pattern'] ?? (typeof stated === 'string' ? stated : fieldsOf(stated)['pattern']);
  if (typeof pattern !== 'string') throw new Uninterpretable('no pattern');
  return { matches: await matcher.fires(pattern, tool, input) };
}

export async function rules(given: Fields): Promise<Fields> {
  if ('priorities' in given) {
    return {
      values: listOf(given['priorities']).map((name) => sourcePriority(ruleSourceOf(String(name)) as 'default')),
    };
  }
  const initial = listOf(given['rules']).map((rule) => ruleOf(fieldsOf(rule)));
  const service = new PermissionService({ rules: initial, ...placeOf(given) });
  let failed: unknown;
  for (const update of listOf(whole(given['update'] ?? given['updates']))) {
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
    const [[name, value] = [], ...others] = Object.entries(fieldsOf(op));
    if (others.length > 0) throw new Uninterpretable(`op ${JSON.stringify(op)}`);
    const args = listOf(value);
    if (name === 'record') store.record(String(args[0]), whole(args[1]), args[2] as 'Once');
    else if (name === 'check') hit = store.check(String(args[0]), whole(args[1]));
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
    return spoken(await ruleClassifierOf(given['rule'], given).classify(request));
  }
  if ('llm_text' in given) {
    const client = new ScriptedClient([String(given['llm_text'])]);
    return { ...spoken(await new LlmClassifier(client, 'model').classify(request)), llm_calls: client.calls.length };
  }
  if (!('composite' in given)) throw new Uninterpretable('no classifier');
  const models: StubClassifier[] = [];
  const parts = listOf(given['composite']).map((word): PermissionClassifier => {
    if (isFields(word) && 'rule' in word) return ruleClassifierOf(word['rule'], given);
    const text = String(word);
    const [kind = '', ...rest] = text.split(':');
    const stub = classifierOf(rest.length === 0 ? (kind === 'llm' ? 'allows' : kind) : rest.join(':'));
    if (kind === 'llm') models.push(stub);
    return stub;
  });
  const result = await new CompositeClassifier().withClassifiers(parts).classify(request);
  return { ...spoken(result), llm_calls: models.reduce((sum, each) => sum + each.calls, 0) };
}

function ruleClassifierOf(stated: unknown, given: Fields): RuleClassifier {
  const { allow, deny } = fieldsOf(stated);
  const patterns = { allow: listOf(allow).map(String), deny: listOf(deny).map(String) };
  return new RuleClassifier({ ...placeOf(given), shell, ...patterns });
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
  const [workspace, project] = [given['workspace_path'] ?? undefined, given['project_type'] ?? undefined];
  let described = new ClassifierContext(String(given['agent']), String(given['session']));
  if (workspace !== undefined) described = described.withWorkspacePath(String(workspace));
  if (project !== undefined) described = described.withProjectType(String(project));
  const context = described
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
    )
    .withMessages(listOf(given['messages']).map(String))
    .withRules(listOf(given['allow_rules']).map(String), listOf(given['soft_deny_rules']).map(String));
  const back = {
    messages: context.messages,
    allow_rules: context.allowRules,
    soft_deny_rules: context.softDenyRules,
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
  const foreign = [...unknownIn(given, back), ...unknownIn(risk, back.risk)];
  if (foreign.length > 0) throw new Uninterpretable(`context ${foreign.join(', ')}`);
  const same = equal(given, back);
  return { roundtrip: same, ...back };
}

const unknownIn = (stated: Fields, known: object): string[] =>
  Object.keys(stated).filter((key) => !Object.hasOwn(known, key));

export async function protectedPaths(given: Fields): Promise<Fields> {
  const { tool, input } = callOf(given);
  const context = placeOf(given);
  const result = checkerOf(given).check(tool, input, { context, ...(tool === 'Bash' ? { shell: await shell() } : {}) });
  return {
    protected: result.kind === 'Protected',
    matched_pattern: result.kind === 'Protected' ? result.matchedPattern : null,
    path: result.kind === 'Protected' ? result.path : null,
  };
}

export function risk(given: Fields): Fields {
  return { risk_level: riskLevel(listOf(whole(given['permissions'])) as ToolPermission[]) };
}
