/** Holds a call with its verdict, as the kernel turns verdicts into decisions. */
import type { ToolCall } from '../../contract/index.ts';
import type { Decided, TraceEntry } from '../../permissions/model/types.ts';
import type { AskingAgent, Grounds } from './authorize-call.ts';

export interface JudgedCall {
  readonly call: ToolCall;
  /** The call as it may be kept and shown, if that is not as it is. */
  readonly shown?: ToolCall;
  readonly actionDigest: string | null;
  /** What runs in place of the call as it was proposed, if the gate prints its command. */
  readonly printed?: PrintedCall;
  readonly verdict: Decided;
  readonly trace: readonly TraceEntry[];
  /** The agents that ask; absent: the proposal's own. */
  readonly asks?: readonly AskingAgent[] | undefined;
  /** The rules and grants that an allow rests on, for its permit. */
  readonly grounds?: Grounds | undefined;
  /** It would run somewhere else now than where it was judged at first. */
  readonly hasMoved?: true;
}

export interface PrintedCall {
  readonly input: Record<string, unknown>;
  readonly actionDigest: string;
}
