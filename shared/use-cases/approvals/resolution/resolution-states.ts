/**
 * Lists the states of an approval on its way to its end.
 *
 * Each has the data that its transition needs.
 */
import type { AnswerEntry, Decision, HumanAnswer, Proposal, Question } from '../../../contract/index.ts';
import type { ApprovalView } from '../../../ports/stores/approval-store.ts';
import type { Ended, KernelAnswer } from '../../kernel/calls/run.ts';
import type { Journal } from '../../kernel/state/journal.ts';
import type { SessionCache } from '../../sessions/session-cache.ts';

export type State = Pending | Answered | LacksModel | Asking | Resolved | Decided | Stale | Over;

/** The approval's round has not ended. */
export interface Pending {
  readonly kind: 'pending';
  readonly view: ApprovalView;
}

/** The approval's round has ended, and nothing is decided. */
export interface Answered {
  readonly kind: 'answered';
  readonly view: ApprovalView;
}

/** The run with people's answer needs a model or a hook, which cannot be asked here. */
export interface LacksModel {
  readonly kind: 'lacks_model';
  readonly view: ApprovalView;
}

/** The run with people's answer came to another question. */
export interface Asking extends Redecided {
  readonly kind: 'asking';
  readonly question: Question;
}

/** The run with people's answer came to its end; nothing of it is written. */
export interface Resolved extends Redecided {
  readonly kind: 'resolved';
  readonly answer: KernelAnswer;
}

/** The approval's decision is written. */
export interface Decided {
  readonly kind: 'decided';
  readonly view: ApprovalView;
  readonly decision: Decision;
}

/** Others changed the row or a session meanwhile: it is read again. */
export interface Stale {
  readonly kind: 'stale';
}

/** All ways in which one call may end. */
export interface Over {
  readonly kind: 'over';
  /** `waiting`: people or a model are asked. `sealed`: only who may read the original can go on. */
  readonly as: 'done' | 'waiting' | 'missing' | 'sealed' | 'unheard';
}

/** One run with people's answer. */
interface Redecided {
  readonly view: ApprovalView;
  readonly proposal: Proposal;
  readonly human: HumanAnswer;
  readonly journal: Journal;
  /** The answers of models and hooks on the way. */
  readonly answers: readonly AnswerEntry[];
  readonly calls: Ended['calls'];
  readonly choice: Ended['choice'];
  readonly sessionCache: SessionCache;
  /** False: the original is gone, and sessions remember nothing of it. */
  readonly isKnown: boolean;
  readonly now: number;
}
