/** Holds a call with its verdict, as the kernel turns verdicts into decisions. */
import type { ToolCall } from '../../../../contract/index.ts';
import type { Decided, TraceEntry } from '../../../../permissions/model/types.ts';
import type { AskingAgent, Grounds } from './authorize-call.ts';

export interface CallWithVerdict {
  readonly call: ToolCall;
  /** The call as it may be kept and shown, if that is not as it is. */
  readonly shown?: ToolCall;
  readonly actionDigest: string | null;
  /** The call that runs in place of the proposed one, if the gate prints its command. */
  readonly printed?: PrintedCall;
  readonly verdict: Decided;
  readonly trace: readonly TraceEntry[];
  /** The agents that ask; absent: the proposal's own. */
  readonly asks?: readonly AskingAgent[] | undefined;
  /** The rules and grants that an allow rests on, for its permit. */
  readonly grounds?: Grounds | undefined;
  /** The call would run in another folder now than the one it was judged for at first. */
  readonly hasMoved?: true;
}

export interface PrintedCall {
  readonly input: Record<string, unknown>;
  readonly actionDigest: string;
}
