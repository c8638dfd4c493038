/** Declares the engine's ports. A decision depends on them and on the context alone. */
import type { HistoryMessage } from '../../contract/task-conversation.ts';
import type { Duration } from '../../domain/duration.ts';
import type { Clock } from '../../ports/clock.ts';
import type { ToolCall, ToolResult } from '../tools/tool-schemas.ts';
import type { AuditRecord, ToolInvocationRecord } from './audit-record.ts';

/** Any classifier, the patterns or a model. The engine checks the answer like any other input. `signal` aborts when nobody waits for it any more. */
export type IntentClassifier = (
  message: string,
  history: readonly HistoryMessage[],
  options?: { readonly signal?: AbortSignal | undefined },
) => unknown;

/** Runs one call. `deferred`: the caller will run it and ask again with the result. `signal` aborts when nobody waits for it any more. */
export type ToolRunner = (
  call: ToolCall,
  options?: { readonly signal?: AbortSignal | undefined },
) => Promise<ToolResult | 'deferred'>;

/** Rejects with a `DeadlineError` if the promise is still pending after `ms` milliseconds. */
export type Deadline = <T>(work: Promise<T>, ms: number) => Promise<T>;

/** Takes the record of each decision. */
export interface AuditSink {
  /** Exactly once per decision. */
  readonly decided: (record: AuditRecord) => Promise<void> | void;
  /** Once per tool that ran inline. Callers that run the tools themselves keep these themselves. */
  readonly invoked?: (record: ToolInvocationRecord) => Promise<void> | void;
}

/** Dependencies of `processMessage`: clock, record, and optionally a classifier and tools. */
export interface TaskAgentPorts {
  /** Read once per decision. Two-phase callers let it stand at the message's arrival until the turn is over. */
  readonly clock: Clock;
  readonly audit: AuditSink;
  /** Absent: two-phase, the decision says what to run. */
  readonly tools?: ToolRunner;
  /** Absent: the contract's patterns. */
  readonly classifier?: IntentClassifier;
  /** Absent: nothing is cut short by the engine. */
  readonly deadline?: Deadline;
  /** How long each tool call, the classifier and the audit sink may take. Default: `'10s'`. */
  readonly timeout?: Duration | undefined;
  /** Names of tool invocation records. */
  readonly newId?: () => string;
  readonly messageId?: string;
}
