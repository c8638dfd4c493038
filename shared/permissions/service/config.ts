/** Configures a `PermissionService`; everything has a default except the human. */
import type { Duration } from '../../domain/duration.ts';
import type { CallAsker } from '../../ports/asker.ts';
import type { Clock } from '../../ports/clock.ts';
import type { PermissionClassifier } from '../classifiers/classifier.ts';
import type { ClassifierContext } from '../classifiers/context.ts';
import type { DenialTracker } from '../classifiers/denial-tracker.ts';
import type { Reason, StageName, StageSettings } from '../model/stages.ts';
import type { FileSystemView, HookFact, Mode, RuleInput, Severity, ToolEntry } from '../model/types.ts';
import type { ProtectedPathChecker } from '../protected/protected-paths.ts';
import type { ShellParser } from '../shell/syntax/shell-parser.ts';
import type { SessionApprovalCache } from './approval-cache.ts';
import type { PermissionAuditSink } from './audit-sinks.ts';
import type { GrantBinding } from './grants.ts';
import type { PermissionRequestHandler } from './human-loop.ts';

/** Settings of a `PermissionService`. All are optional; without rules every call asks or follows the mode. */
export interface PermissionServiceConfig extends Partial<StageSettings> {
  /** Default: `'default'`. */
  readonly mode?: Mode | undefined;
  /** Default: none. */
  readonly rules?: readonly RuleInput[] | undefined;
  /** The tools with the permissions that they need, besides the built-in ones. */
  readonly tools?: readonly ToolEntry[] | undefined;
  /** True makes bypass deny. */
  readonly bypassDisabled?: boolean | undefined;
  /** Whether deny and ask rules hold in bypass; default true. */
  readonly bypassHonoursRules?: boolean | undefined;
  /** Paths that no mode and no approval opens. Default: the built-in names. */
  readonly protectedPaths?: ProtectedPathChecker | undefined;
  /** Default: one of its own, whose approvals hold for 30 minutes. */
  readonly cache?: SessionApprovalCache | undefined;
  /** Default: one of its own, with a limit of 3 denials in a row and 20 in all. */
  readonly tracker?: DenialTracker | undefined;
  /** Judges in mode auto what no rule decides. Default: none, and people are asked. */
  readonly classifier?: PermissionClassifier | undefined;
  /** Facts for the classifier. Default: those of the service and of the call. */
  readonly classifierContext?: ClassifierContext | undefined;
  /** How long the classifier has to answer: after it, it has failed. Default: `'10s'`. */
  readonly classifierTimeout?: Duration | undefined;
  /** Asks people. Without it, and without a `requestHandler`, nobody is asked. */
  readonly ask?: CallAsker | undefined;
  /** Asks people, in the spelling of the seed: state this or `ask`. */
  readonly requestHandler?: PermissionRequestHandler | undefined;
  /** How long a person has to answer: after it the call is denied. Default: `'5m'`. */
  readonly askTimeout?: Duration | undefined;
  /** Takes an entry of every decision. Default: none. */
  readonly auditSink?: PermissionAuditSink | undefined;
  /** Nothing is allowed without its record: without a sink, or with one that fails, an allow is a denial. */
  readonly auditRequired?: boolean | undefined;
  /** Answers bubble: the parent agent's service, or a stub of it. */
  readonly parent?:
    | { check(toolName: string, input: unknown, options?: CheckOptions): Promise<PermissionDecision> }
    | undefined;
  /** Where calls run, absolute; default: the project root. */
  readonly cwd?: string | undefined;
  /** The project's folder, absolute; default: `cwd`. Without either nothing lies inside the project, and reading and editing files ask. */
  readonly projectRoot?: string | undefined;
  /** The folder that `~` stands for, absolute. Default: `/home/user`. */
  readonly home?: string | undefined;
  /** Default: paths are judged as they are stated. */
  readonly fs?: FileSystemView | undefined;
  /** Default: `'agent'`. */
  readonly agentName?: string | undefined;
  /** Default: `'main'`. */
  readonly sessionId?: string | undefined;
  /** Replaces what approvals are bound to, value by value. */
  readonly binding?: Partial<GrantBinding> | undefined;
  /** Nobody is asked: an ask is a denial. Default: false. */
  readonly unattended?: boolean | undefined;
  /** Default: the clock of this machine. */
  readonly clock?: Clock | undefined;
  /** Microseconds that only grow, for durations. */
  readonly micros?: (() => number) | undefined;
  /** @internal Another parser, for tests of its failure. */
  readonly shell?: (() => Promise<ShellParser>) | undefined;
}

/** Answers bubble: the parent's own check, or a stub of it. */
export type ParentService = NonNullable<PermissionServiceConfig['parent']>;

/** Options of one check. */
export interface CheckOptions {
  /** The mode for this call only. */
  readonly mode?: Mode | undefined;
  /** The answers of all hooks to this call, put together. Default: no hook was asked. */
  readonly hook?: HookFact | undefined;
  /** Aborts when nobody waits for the decision any more: classifier and people are let go, and the call is denied. */
  readonly signal?: AbortSignal | undefined;
  /** Services that have already been asked: in bubble a cycle is a denial. */
  readonly chain?: readonly unknown[] | undefined;
}

/** The decision with what decided it. `require_approval` is an ask that no rule asked for. */
export interface PermissionDecision {
  readonly decision: 'allow' | 'deny' | 'ask' | 'require_approval';
  readonly reason: Reason | 'no_service';
  /** The stage that decided. */
  readonly source: StageName | 'agent';
  /** Why, written for the model. */
  readonly message: string;
  /** The error that kept it from being judged at all, such as `unknown_tool`. */
  readonly error?: string | undefined;
  readonly suggestions?: readonly string[] | undefined;
  readonly severity?: Severity | undefined;
  readonly rule?: string | undefined;
  /** A rule asks, here or in a session above: no allow elsewhere answers it. */
  readonly humanRequired?: boolean | undefined;
  /** Run these, not the originals: what a person changed, or the command as the gate prints it. */
  readonly modifiedArgs?: unknown;
}

/** The answer of `decide`, which asks people where needed, so that there is no third answer. */
export type PermissionVerdict =
  | {
      readonly decision: 'allow';
      /** Run the tool with this: the input that was judged, or what a person made of it or the gate printed of it. */
      readonly input: unknown;
      readonly reason: PermissionDecision['reason'];
      readonly source: PermissionDecision['source'];
      readonly message: string;
    }
  | {
      readonly decision: 'deny';
      readonly reason: PermissionDecision['reason'];
      readonly source: PermissionDecision['source'];
      /** Why, written for the model. */
      readonly message: string;
      readonly error?: string | undefined;
    };
