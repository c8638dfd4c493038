/** Evaluates calls by `evaluateCall` in one line. */
import type { CallContext } from '../../../shared/permissions/call/call-context.ts';
import { ProtectedPathChecker, type RuleInput } from '../../../shared/permissions/index.ts';
import { createToolRegistry, type ToolRegistry } from '../../../shared/permissions/model/tools.ts';
import type {
  Decided,
  Evaluation,
  RuleEffect,
  RuleSource,
  SessionFacts,
} from '../../../shared/permissions/model/types.ts';
import { type CompiledPolicy, compileRules } from '../../../shared/permissions/rules/compile.ts';
import { loadShellParser } from '../../../shared/permissions/shell/parser.ts';
import { evaluateCall } from '../../../shared/permissions/stages/evaluate.ts';

export const tools: ToolRegistry = createToolRegistry();
export const checker = new ProtectedPathChecker();
export const shell = await loadShellParser();

export type Rule = readonly [RuleEffect, string] | readonly [RuleEffect, string, RuleSource];

/** Tables of cases ask by the same few rules again and again, and to compile them takes longer than to judge a short call. */
const compiled = new Map<string, CompiledPolicy>();
const KEPT = 100;

export function policyOf(rules: readonly Rule[], registry = tools): CompiledPolicy {
  if (registry !== tools) return compile(rules, registry);
  const key = JSON.stringify(rules);
  const policy = compiled.get(key) ?? compile(rules, registry);
  if (compiled.size === KEPT) compiled.clear();
  compiled.set(key, policy);
  return policy;
}

function compile(rules: readonly Rule[], registry: ToolRegistry): CompiledPolicy {
  const inputs = rules.map(
    ([effect, pattern, source]): RuleInput => ({ effect, pattern, source: source ?? 'project' }),
  );
  return compileRules(inputs, { tools: registry }).policy;
}

export function callOf(
  toolName: string,
  input: unknown,
  rules: readonly Rule[],
  more: Partial<CallContext> = {},
): CallContext {
  return {
    toolName,
    input,
    mode: 'default',
    cwd: '/workspace/app',
    projectRoot: '/workspace/app',
    home: '/home/agent',
    tools,
    policy: policyOf(rules, more.tools ?? tools),
    bypass: { enabled: true, honoursRules: true },
    protected: checker,
    shell,
    ...more,
  };
}

export function decidedOf(evaluation: Evaluation): Decided {
  if (evaluation.kind === 'needs') throw new Error(`the pipeline needs ${evaluation.need.type}`);
  return evaluation.verdict;
}

export function judge(
  toolName: string,
  input: unknown,
  rules: readonly Rule[],
  more: Partial<CallContext> = {},
  facts: Partial<SessionFacts> = {},
): Decided {
  const known: SessionFacts = { now: 0, classifier: { state: 'none' }, parent: { state: 'none' }, ...facts };
  return decidedOf(evaluateCall(callOf(toolName, input, rules, more), known));
}

/** The verdict on a command of the tool Bash. */
export const commandVerdict = (
  command: string,
  rules: readonly Rule[],
  more: Partial<CallContext> = {},
  facts: Partial<SessionFacts> = {},
): Decided['verdict'] => judge('Bash', { command }, rules, more, facts).verdict;

/** A classifier that lets the call pass and is sure of it. */
export const SURE_TO_ALLOW = {
  state: 'answered',
  result: { shouldBlock: false, reason: '', confidence: 1 },
} as const satisfies SessionFacts['classifier'];

export async function verdictOf(
  toolName: string,
  input: unknown,
  rules: readonly Rule[],
  more: Partial<CallContext> = {},
): Promise<Decided['verdict']> {
  return judge(toolName, input, rules, more).verdict;
}
