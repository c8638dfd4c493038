/**
 * Declares the words of permissions: calls, rules, verdicts and traces.
 * The kernel builds a `CallContext` and `SessionFacts`, calls `evaluateCall`, and reads the answer.
 */
import type { Reason, StageName } from './stages.ts';

/** The sources of rules as the policy file spells them; `ruleSourceOf` maps `LocalSettings`, `CliArg` … to these. */
export type RuleSource = 'default' | 'local' | 'project' | 'user' | 'managed' | 'cli' | 'session';

/**
 * The modes as the policy file spells them; `bypass` is displayed as `bypassPermissions`.
 *
 * Written here although the contract has them too, as is `Severity`: types of this library need no zod. The compiler compares both where the
 * gate passes one for the other.
 */
export type Mode = 'default' | 'plan' | 'acceptEdits' | 'bypass' | 'dontAsk' | 'auto' | 'bubble';

/** A permission that a tool needs: reading, writing, executing and so on. */
export type ToolPermission = 'Read' | 'Write' | 'Network' | 'Execute' | 'Sensitive';
/** The harm that a wrong call would do. */
export type Severity = 'low' | 'medium' | 'high' | 'critical';

/** How a rule finds its calls. `pattern` is the usual one; the others come from rule updates and the library. */
export type RuleMatcher =
  | { readonly kind: 'pattern' }
  | { readonly kind: 'tool'; readonly name: string }
  | { readonly kind: 'permission'; readonly permission: ToolPermission }
  | { readonly kind: 'preset'; readonly name: (typeof PRESETS)[number] }
  | { readonly kind: 'all' };

/** Built-in sets of allows. `read-only`: programs that only read, on unprotected paths inside the project root. */
export const PRESETS = ['read-only'] as const;
/** The name of a preset. */
export type PresetName = (typeof PRESETS)[number];

/** A rule as a policy file, a message or a rule update holds it. */
export interface RuleInput {
  readonly effect: 'deny' | 'ask' | 'allow';
  readonly pattern: string;
  readonly source: RuleSource;
  readonly description?: string | undefined;
  readonly reason?: string | undefined;
  readonly severity?: Severity | undefined;
  /** Where the rule was written; lines and columns count from 1. */
  readonly origin?:
    | { readonly file?: string | undefined; readonly line?: number | undefined; readonly column?: number | undefined }
    | undefined;
  readonly suggestions?: readonly string[] | undefined;
  /** Absent: the `pattern` decides. */
  readonly matcher?: RuleMatcher | undefined;
  /** Epoch milliseconds after which the rule no longer counts (an "always" has an end date). */
  readonly expiresAt?: number | undefined;
}

/** The effect of a rule. */
export type RuleEffect = RuleInput['effect'];

/** A rule as verdicts and audit entries name it. `digest` is the SHA-256 of the RFC 8785 form of the rule. */
export interface RuleRef {
  readonly id: string;
  readonly effect: RuleEffect;
  readonly pattern: string;
  readonly source: RuleSource;
  readonly description?: string | undefined;
  readonly origin?: RuleInput['origin'];
  readonly digest: string;
}

/** One line of the registry: the policy file's, or a built-in. Permission sets never come from a message. */
export interface ToolEntry {
  readonly name: string;
  readonly permissions: readonly ToolPermission[];
  readonly severity?: Severity | undefined;
  /** The side effects of a call. Default: `NonIdempotentWrite`. */
  readonly effect?: 'Pure' | 'IdempotentWrite' | 'NonIdempotentWrite' | 'ExternalSideEffects' | undefined;
  readonly argsSchema?: unknown;
  /** True for tools whose `command` is a shell command; default: only `Bash`. */
  readonly shell?: boolean | undefined;
  /** Fields that hold the agent's own words about its call: no classifier's model is told of them. */
  readonly comments?: readonly string[] | undefined;
  /** An allow by rule runs the command as the gate prints it from its own reading; of shell tools only. */
  readonly canonical?: boolean | undefined;
  /** Keys of which one must be a non-empty string; default: that of the built-in tool, else none. */
  readonly subject?: readonly string[] | undefined;
}

/** The emergency brake, already read and matched against this call's agent and tool by the caller. */
export interface PauseState {
  readonly effect: 'deny' | 'ask';
  /** Epoch milliseconds; from then on the pause no longer counts. Absent: until lifted. */
  readonly until?: number | undefined;
  readonly reason?: string | undefined;
}

/** The agent's file system, as far as it is stated. Without it a path is judged as stated. */
export interface FileSystemView {
  /** Link path (absolute or relative to the cwd) → target (absolute or relative to the link's folder). */
  readonly symlinks?: Readonly<Record<string, string>> | undefined;
  readonly caseInsensitive?: boolean | undefined;
}

/** `confidence` is within 0..1; under 0.8 the result is undecided. */
export interface ClassifierResult {
  readonly shouldBlock: boolean;
  readonly reason: string;
  readonly confidence: number;
}

/** The classifier's answer, its failure, or the absence of a classifier. */
export type ClassifierFact =
  | { readonly state: 'answered'; readonly result: ClassifierResult; readonly id?: string | undefined }
  /** An error, a time-out or an unusable answer. */
  | { readonly state: 'failed'; readonly why: string }
  | { readonly state: 'none' };

/** The answer of the parent's session, or the absence of a parent. */
export type ParentFact =
  | {
      readonly state: 'answered';
      readonly verdict: 'allow' | 'deny' | 'ask' | 'error';
      readonly message?: string | undefined;
      /** An ask of a rule, a brake or a hook, there or above: no allow of the child answers it. */
      readonly humanRequired?: boolean | undefined;
      /** Silence does not answer an ask of the parent (`Decided.needsPerson`). */
      readonly needsPerson?: boolean | undefined;
      /** The input that an allow by a rule of the parent covers (`Decided.effective`). */
      readonly effective?: Decided['effective'];
    }
  /** The chain of parents loops or is longer than 16. */
  | { readonly state: 'cycle' }
  | { readonly state: 'none' };

/** The answers of all hooks to a call, put together. */
export type HookFact =
  | { readonly decision: 'block' | 'deny' | 'allow' | 'ask' | 'pass'; readonly reason?: string | undefined }
  /** The hook failed, or wants a person: a call that would be allowed asks. */
  | { readonly decision: 'failed' | 'human'; readonly reason: string };

/** A grant that the caller found for this very call, its binding and expiry already compared. */
export interface GrantFact {
  readonly id?: string | undefined;
  /** `session`: exactly these arguments; `session-all-tools`: any arguments of this tool. */
  readonly scope: 'session' | 'session-all-tools';
  readonly approvedBy?: string | undefined;
}

/** A person's refusal of the same digest in this session within five minutes. */
export interface RefusalFact {
  readonly by?: string | undefined;
  readonly reason?: string | undefined;
}

export const DEFAULT_MAX_CONSECUTIVE = 3;
export const DEFAULT_MAX_TOTAL = 20;

/** How often the session was denied. */
export interface DenialFact {
  readonly consecutive: number;
  readonly total: number;
  /** Thresholds; default 3 and 20. */
  readonly maxConsecutive?: number | undefined;
  readonly maxTotal?: number | undefined;
  /** This call equals one denied in this session, blanks collapsed. */
  readonly deniedBefore?: boolean | undefined;
}

/** Session state, read before by the caller. An absent `classifier` or `parent` means "not asked yet". */
export interface SessionFacts {
  /** Epoch milliseconds. */
  readonly now: number;
  readonly grant?: GrantFact | undefined;
  readonly refusal?: RefusalFact | undefined;
  readonly denials?: DenialFact | undefined;
  readonly classifier?: ClassifierFact | undefined;
  readonly parent?: ParentFact | undefined;
  readonly hook?: HookFact | undefined;
}

/** The verdict of a stage that decides. */
export interface Decided {
  readonly verdict: 'allow' | 'deny' | 'ask' | 'error';
  readonly reason: Reason;
  readonly source: StageName;
  /** A stable code beside the reason, such as `unknown_tool`, `bypass_off` or `critical_delete`. */
  readonly code?: string | undefined;
  readonly rule?: RuleRef | undefined;
  /** Never empty; written for the model. Holds no raw input beyond path and command words. */
  readonly message: string;
  readonly severity?: Severity | undefined;
  readonly suggestions?: readonly string[] | undefined;
  /** No classifier, grant or hook may answer this ask. */
  readonly humanRequired?: boolean | undefined;
  readonly notUnderstood?: boolean | undefined;
  /** An ask about a call that the gate allows in no mode and by no rule: silence does not answer it, whatever the policy says of silence. */
  readonly needsPerson?: boolean | undefined;
  /** A stage-6 outcome, which the denial tracker counts. */
  readonly countsForTracker?: boolean | undefined;
  /**
   * The input that an allow runs in place of the proposed one, with the command printed from the gate's own reading. Only where a
   * rule allows a call of a tool with `canonical`. An approval of people is for the text that they were shown; bypass, hooks, classifiers
   * and remembered approvals speak of the proposed text, too.
   */
  readonly effective?: Readonly<Record<string, unknown>> | undefined;
}

/** The result of one stage of the pipeline for a call. */
export interface TraceEntry {
  readonly stage: StageName;
  readonly looked: string;
  readonly verdict: 'allow' | 'deny' | 'ask' | 'error' | 'pass';
  readonly why: string;
  readonly rule?: RuleRef | undefined;
}

/** A fact that the pipeline needs before it can decide. */
export type Need =
  | { readonly type: 'classifier'; readonly toolName: string; readonly input: unknown }
  | { readonly type: 'parent'; readonly toolName: string; readonly input: unknown }
  | { readonly type: 'shell-parser' };

/** A verdict, or a fact that the pipeline needs before it can give one. */
export type Evaluation =
  | { readonly kind: 'decided'; readonly verdict: Decided; readonly trace: readonly TraceEntry[] }
  | { readonly kind: 'needs'; readonly need: Need; readonly trace: readonly TraceEntry[] };
