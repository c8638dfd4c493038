/** Judges sample calls under some of a file's rules, with the gate's own evaluation. */
import type { Policy } from '../../config/compile.ts';
import type { Decided, RuleInput, RuleRef, TraceEntry } from '../../permissions/model/types.ts';
import type { ProtectedPathChecker } from '../../permissions/protected/protected-paths.ts';
import type { CompiledPolicy } from '../../permissions/rules/compile.ts';
import { compileRules, EMPTY_POLICY } from '../../permissions/rules/compile.ts';
import type { ShellParser } from '../../permissions/shell/syntax/shell-parser.ts';
import { evaluateCall } from '../../permissions/stages/evaluate.ts';
import type { SampleCall } from './sample-calls.ts';

/** Where an agent works: paths in rules depend on it. */
export interface Home {
  readonly projectRoot: string;
  readonly home: string;
}

export interface Ground {
  readonly policy: Policy;
  readonly shell: ShellParser;
  readonly protectedPaths: ProtectedPathChecker;
  /** Allow rules that count at all; default: every one. */
  readonly trust?: { readonly managedRulesOnly: boolean; readonly workspaceTrusted: boolean } | undefined;
  /** One of each pair of folders that agents work in; never empty. */
  readonly homes: readonly Home[];
}

/** As the file says whose allow rules count. */
export function withTrust(ground: Ground): Ground {
  const { managedRulesOnly, workspaceTrusted } = ground.policy.settings;
  return { ...ground, trust: { managedRulesOnly, workspaceTrusted } };
}

interface Tried {
  readonly verdict: Decided;
  /** The result of the stage of the rules; undefined if an earlier stage decided. */
  readonly byRules: TraceEntry | undefined;
  /** The deny or ask rule that decided; the gate's built-in ones are none of the file's. */
  readonly fired: RuleRef | undefined;
  /** Why no allow was enough, or what decided. */
  readonly reason: string;
}

export function groundOf(policy: Policy, shell: ShellParser): Ground {
  const homes = new Map<string, Home>();
  for (const { projectRoot, home } of Object.values(policy.settings.agents))
    homes.set(JSON.stringify([projectRoot, home]), { projectRoot, home });
  const all = [...homes.values()];
  const { protectedPaths } = policy;
  return { policy, shell, protectedPaths, homes: all.length ? all : [NOWHERE] };
}

/** For a file without agents. */
const NOWHERE: Home = { projectRoot: '/workspace', home: '/home/agent' };

/** A deny or an ask on a protected path repeats what holds anyway, and does no harm. */
export const withoutProtection = (ground: Ground): Ground => ({
  ...ground,
  protectedPaths: ground.protectedPaths.disabled(),
});

export const compiled = (rules: readonly RuleInput[], { policy }: Ground): CompiledPolicy =>
  compileRules(rules, { tools: policy.tools }).policy;

/** `others`: rules that hold as well. @throws Error if the call cannot be judged at once. */
export function tryCall(
  { toolName, input }: SampleCall,
  home: Home,
  { policy: { tools }, shell, protectedPaths, trust }: Ground,
  rules: CompiledPolicy,
  others: CompiledPolicy = EMPTY_POLICY,
): Tried {
  const call = { mode: 'default', cwd: home.projectRoot, ...home, shell, protected: protectedPaths, ...trust };
  const evaluation = evaluateCall({ toolName, input, ...call, tools, policy: others, sessionRules: rules }, { now: 0 });
  if (evaluation.kind !== 'decided') throw new Error(`a call of ${toolName} needs more than its rules`);
  const { verdict, trace } = evaluation;
  const byRules = trace.find(({ stage }) => stage === 'rules');
  const { rule } = verdict;
  const isOwn = [...rules.rules, ...others.rules].some(({ ref }) => ref === rule);
  return {
    verdict,
    byRules,
    fired: isOwn && rule?.effect !== 'allow' ? rule : undefined,
    reason: byRules?.verdict === 'pass' ? byRules.why : verdict.message,
  };
}

export const isGranted = ({ byRules }: Tried): boolean => byRules?.verdict === 'allow';

export const isFired = ({ fired }: Tried): boolean => fired !== undefined;
