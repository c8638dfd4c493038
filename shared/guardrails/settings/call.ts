/** Declares the words of a guarded call: what is asked, which tool answers, what comes back. */
import type { CircuitState } from '../../ports/stores/guardrail-state.ts';
import type { EffectKnowledge, GuardrailError, ToolError } from './errors.ts';
import type { InvocationLimits } from './settings.ts';

/** One call of a tool, with whoever calls and its limits. */
export interface ToolInvocation {
  readonly toolName: string;
  readonly versionRange?: string | undefined;
  readonly input: unknown;
  readonly correlationId?: string | undefined;
  /** Id of the call's cause; told with every event of the call. */
  readonly causationId?: string | undefined;
  readonly idempotencyKey?: string | null | undefined;
  readonly headers?: Readonly<Record<string, unknown>> | undefined;
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
  /** The authenticated principal, as the platform knows it. */
  readonly agentId: string;
  /** Layer 4: only to tighten. */
  readonly limits?: InvocationLimits | undefined;
  /** One reservation per permit and attempt; the call's own id where there is no permit. */
  readonly permitId?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  /**
   * Awaited once, after the first attempt was admitted and before the tool is called: what may not happen twice is written down
   * here. If it throws, everything taken goes back and the call has not started.
   */
  readonly begin?: (() => Promise<void>) | undefined;
  /** Gives an answer when a budget is used up, instead of a refusal. */
  readonly fallback?: ((error: GuardrailError) => Promise<unknown>) | undefined;
}

/** One attempt of a call, as the tool gets it. */
export interface Attempt {
  readonly number: number;
  readonly input: unknown;
  /** The same on every attempt. */
  readonly idempotencyKey?: string;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly correlationId: string;
  /** Milliseconds since the epoch. */
  readonly deadlineAt: number;
  /**
   * Aborts at the deadline, and once the attempt has ended: a tool that answers with a stream under this signal reads it first. A tool
   * that goes on regardless is no longer listened to.
   */
  readonly signal: AbortSignal;
  /** Reports the real cost of the call; a number of at least 0. Called at most once. */
  readonly reportCost: (cost: number) => void;
}

/** A tool's name, origin and checks. */
export interface ToolFacts {
  readonly name: string;
  readonly origin: string;
  readonly version?: string;
  /** The problem in words, or nothing. */
  readonly validateInput?: (input: unknown) => string | undefined;
  readonly validateOutput?: (output: unknown) => string | undefined;
}

/** Throws `GuardrailError` where it knows better than "it failed": 429, transient, refused. */
export type Execute = (attempt: Attempt) => Promise<unknown>;

/** A tool that is looked at and run in one session. */
export interface OpenTool {
  readonly execute: Execute;
  /** Never rejects. */
  readonly close: () => Promise<void>;
}

/**
 * One tool of one origin. Local and MCP tools look the same from here. `open` runs in the place of the call, before it is begun: if
 * it throws, the tool was not called, and the call has not started.
 */
export type GuardedTool = ToolFacts &
  (
    | { readonly execute: Execute; readonly open?: undefined }
    | { readonly open: (signal: AbortSignal) => Promise<OpenTool>; readonly execute?: undefined }
  );

/** Finds a tool by its name; undefined if there is none. */
export type FindTool = (toolName: string, versionRange?: string) => GuardedTool | undefined;

/** Why the agent may not, in words; nothing if it may. */
export type Authorizer = (invocation: ToolInvocation, tool: GuardedTool) => Promise<string | undefined>;

/** The settings that held for a call, for its result. */
export interface PolicySnapshot {
  readonly timeoutMs: number;
  readonly maxRetries: number;
  readonly circuitState: CircuitState | 'unknown';
}

/** `Retryable` exactly when `error.isRetryable`. */
export interface GuardedResult {
  readonly status: 'Ok' | 'Error' | 'Retryable';
  readonly output?: unknown;
  readonly error?: ToolError;
  readonly durationMs: number;
  readonly attempts: number;
  readonly resolvedVersion?: string;
  readonly policySnapshot?: PolicySnapshot;
  readonly correlationId: string;
  readonly origin: string;
  /** Knowledge about the effect. `unknown` is shown to a person, and such a call is never repeated unless it is idempotent. */
  readonly effect: 'succeeded' | EffectKnowledge;
  /** The output is the fallback's. */
  readonly degraded?: true;
}
