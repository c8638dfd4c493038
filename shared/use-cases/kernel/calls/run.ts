/** Declares the results of a run of the kernel: an answer, a question to people, or needs. */
import type { DecidedBy, Decision, DecisionOutcome, Question } from '../../../contract/index.ts';
import type { StageRecord } from '../../../policies/agent-policy.ts';
import type { Need } from '../state/need.ts';
import type { CallWithVerdict } from './authorization/call-with-verdict.ts';

export type KernelRun =
  | (RunCalls & { readonly kind: 'decided'; readonly answer: KernelAnswer })
  | (RunCalls & { readonly kind: 'suspended'; readonly question: Question })
  /** Needs to be answered first; see `decideWith`. */
  | { readonly kind: 'needs'; readonly needs: readonly Need[] };

interface RunCalls {
  readonly calls: readonly CallWithVerdict[];
  /** The steps to an action choice, each with the person or model that took it. */
  readonly choice?: ChoiceTrace;
}

/** How the stages of an agent policy fared, inner ones first. */
export interface ChoiceTrace {
  readonly policy: string;
  readonly stages: readonly StageRecord[];
}

/** A run that came to its end. */
export type Ended = Exclude<KernelRun, { kind: 'needs' }>;

/** A decision without its envelope. */
export type KernelAnswer = Pick<
  Decision,
  'outcome' | 'message' | 'reasonCode' | 'decidedBy' | 'actionDigest' | 'calls' | 'answer'
>;

/** Why a proposal as a whole is not judged, or not to its end. */
export interface KernelRefusal {
  readonly code: string;
  readonly message: string;
  /** Absent: `error`. */
  readonly outcome?: DecisionOutcome | undefined;
}

/** An answer about the proposal as a whole: nothing in it was judged. */
export function refused(
  reasonCode: string,
  message: string,
  outcome: DecisionOutcome = 'error',
): Extract<KernelRun, { kind: 'decided' }> {
  const decidedBy: DecidedBy = { type: 'system', id: reasonCode };
  return {
    kind: 'decided',
    answer: { outcome, message, reasonCode, decidedBy, actionDigest: null, calls: [] },
    calls: [],
  };
}
