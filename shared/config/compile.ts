/**
 * Compiles the policy for the kernel: rules compiled, tools listed, names resolved.
 * Built once per process from the document.
 */
import type { SessionRule } from '../contract/index.ts';
import { withoutPrototypes } from '../domain/own.ts';
import type { GuardrailsConfig } from '../guardrails/settings/config.ts';
import type { ToolRegistry } from '../permissions/model/tools.ts';
import { createToolRegistry } from '../permissions/model/tools.ts';
import type { RuleInput, RuleRef } from '../permissions/model/types.ts';
import { ProtectedPathChecker } from '../permissions/protected/protected-paths.ts';
import type { CompiledPolicy } from '../permissions/rules/compile.ts';
import { compileRules } from '../permissions/rules/compile.ts';
import type { PolicyDocument } from './document.ts';
import { type CardNames, cardNamesOf } from './readers/card-names.ts';
import { guardrailsOf } from './readers/guardrails-of.ts';
import { type PolicyPeople, peopleOf } from './readers/people-of.ts';
import { type RecordSettings, recordSettings } from './readers/record-settings.ts';
import { patternOf, ruleInputs, sourceOf, toolEntries } from './rules.ts';
import type { PolicyFile } from './schema/policy-file.ts';
import type { StageSetting } from './schema/stages.ts';

/** The people who are asked: a group, or stages. */
export interface Asks {
  readonly approvers?: string | undefined;
  readonly stages?: readonly StageSetting[] | undefined;
}

/** A compiled policy file, as `compilePolicy` makes it. */
export interface Policy extends PolicyPeople {
  readonly version: string;
  readonly rules: CompiledPolicy;
  readonly tools: ToolRegistry;
  readonly protectedPaths: ProtectedPathChecker;
  readonly guardrails: GuardrailsConfig;
  readonly record: RecordSettings;
  /** How cards and forms call people, tools and rules. */
  readonly cardNames: CardNames;
  /** The approvers that a rule of the file names; undefined if it leaves them to others. */
  asksOfRule(rule: RuleRef): Asks | undefined;
}

/** @throws Error if the document names something that it does not declare: it was not made by `loadPolicy`. */
export function compilePolicy(document: PolicyDocument): Policy {
  const { policyVersion } = document;
  // A message's word looks itself up in these: what the file does not list is not there.
  const settings = withoutPrototypes(document.policy);
  const inputs = ruleInputs(document);
  const tools = createToolRegistry(toolEntries(settings));
  const asks = new Map<string, Asks>();
  for (const effect of ['deny', 'ask', 'allow'] as const) {
    for (const rule of settings.rules[effect]) {
      if (typeof rule !== 'string' && (rule.approvers || rule.stages))
        asks.set(ruleKey({ effect, pattern: patternOf(rule), source: sourceOf(rule) }), rule);
    }
  }
  return {
    ...peopleOf(settings),
    version: policyVersion,
    rules: compileRules(inputs, { tools }).policy,
    tools,
    protectedPaths: protectedPathsOf(settings),
    guardrails: guardrailsOf(settings),
    record: recordSettings(settings.record),
    cardNames: cardNamesOf({ ...document, policy: settings }),

    asksOfRule: (rule) => asks.get(ruleKey(rule)),
  };
}

type Tightening =
  | { readonly ok: true; readonly rules: readonly RuleInput[] }
  | { readonly ok: false; readonly message: string };

/** Rules that a message brings: deny and ask count, an allow has no say, a malformed one is an error. */
export function readTightening(
  rules: readonly { readonly effect: 'deny' | 'ask' | 'allow'; readonly pattern: string }[],
): Tightening {
  const inputs = rules.flatMap(({ effect, pattern }) =>
    effect === 'allow' ? [] : [{ effect, pattern, source: 'session' as const }],
  );
  // Most messages bring none.
  if (!inputs.length) return { ok: true, rules: inputs };
  const malformed = compileRules(inputs).problems.find(({ level }) => level === 'error');
  return malformed ? { ok: false, message: malformed.message } : { ok: true, rules: inputs };
}

/** By the rules of a session, which nobody changes once they are read: each call of a proposal is judged by the same. */
const compiledSessions = new WeakMap<
  readonly SessionRule[],
  { readonly added: readonly RuleInput[]; readonly tools: Policy['tools']; readonly compiled: CompiledPolicy }
>();

/** The rules of a session and of a message; undefined without any. A malformed one refuses every call. */
export function compileSessionRules(
  rules: readonly SessionRule[],
  added: readonly RuleInput[],
  { tools }: Pick<Policy, 'tools'>,
): CompiledPolicy | undefined {
  if (!rules.length && !added.length) return undefined;
  const known = compiledSessions.get(rules);
  if (known?.tools === tools && isSame(known.added, added)) return known.compiled;
  const inputs = rules.map(
    ({ effect, pattern, source, reason, expiresAt }): RuleInput => ({
      effect,
      pattern,
      source,
      ...(reason ? { reason } : {}),
      ...(expiresAt ? { expiresAt: Date.parse(expiresAt) } : {}),
    }),
  );
  const compiled = compileRules([...inputs, ...added], { tools }).policy;
  compiledSessions.set(rules, { added, tools, compiled });
  return compiled;
}

/** Whether both are one list, or both hold nothing. */
const isSame = (one: readonly RuleInput[], other: readonly RuleInput[]): boolean =>
  one === other || one.length + other.length === 0;

function protectedPathsOf({ protectedPaths }: PolicyFile): ProtectedPathChecker {
  return protectedPaths.enabled
    ? new ProtectedPathChecker().withPatterns(protectedPaths.add).withoutPatterns(protectedPaths.remove)
    : new ProtectedPathChecker().disabled();
}

const ruleKey = (rule: { effect: string; pattern: string; source: string }) =>
  `${rule.effect} ${rule.source} ${rule.pattern}`;
