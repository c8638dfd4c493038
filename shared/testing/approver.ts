/** Answers questions in people's place, from a script or from a function of a test. */
import type { Approval } from '../contract/approval.ts';
import type { Proposal } from '../contract/proposal.ts';
import { iterable } from '../domain/settings.ts';

/** A question as people see it on its card. */
export interface AskedQuestion {
  readonly agent: string;
  readonly proposalId: string;
  /** With marks in place of its secrets. */
  readonly proposal: Proposal;
  /** The digest, the severity, and what may be answered. */
  readonly question: Approval['question'];
  /** 1 for the first question about this proposal; an edit that has to be approved asks another. */
  readonly round: number;
}

/** The person who gives an answer. */
export interface Answering {
  /** A name of the policy file's `people`. Default: the first member of the asked group who does not own the agent. */
  readonly by?: string;
}

/** The answer to one of several calls on a card. */
export interface CallAnswer {
  /** The call's id in the proposal. */
  readonly id: string;
  readonly choice: 'approve' | 'reject';
  readonly reason?: string;
}

/** One answer that a person can give with a card. */
export type ApproverAnswer = Answering &
  (
    | {
        readonly choice: 'approve';
        readonly remember?: 'session' | 'session-all-tools';
        /** Single calls of several, some of them perhaps rejected. Default: all are approved. */
        readonly calls?: readonly CallAnswer[];
      }
    | { readonly choice: 'reject'; readonly reason: string }
    /** Other arguments for one call. Default: the first. */
    | { readonly choice: 'edit'; readonly input: Readonly<Record<string, unknown>>; readonly callId?: string }
    /** Another action of the action space, counted from 0. */
    | { readonly choice: 'substitute'; readonly index: number }
    | { readonly choice: 'respond'; readonly answer: string }
  );

/** Returns what a person answers; undefined leaves the question open. */
export type Approver = (question: AskedQuestion) => ApproverAnswer | undefined | Promise<ApproverAnswer | undefined>;

/** An answer, or a choice alone where nothing needs to be added. */
export type ScriptedAnswer = ApproverAnswer | 'approve';

/**
 * Gives its answers in order, and fails if there are more questions than answers.
 *
 * @example
 * const approver = new ScriptedApprover(['approve', { choice: 'reject', reason: 'too much' }]);
 * const gate = createTestGate({ policy, approver: approver.answer });
 */
export class ScriptedApprover {
  /** Every question so far, in order. */
  readonly asked: AskedQuestion[] = [];
  readonly #answers: readonly ScriptedAnswer[];

  constructor(answers: Iterable<ScriptedAnswer>) {
    iterable(answers, 'answers');
    this.#answers = [...answers];
  }

  readonly answer: Approver = (question) => {
    const answer = this.#answers[this.asked.length];
    this.asked.push(question);
    if (answer === undefined)
      throw new Error(`the script has no answer ${this.asked.length}: ${question.agent} asked ${question.proposalId}`);
    return answer === 'approve' ? { choice: 'approve' } : answer;
  };

  /** @throws Error if answers are left */
  assertDone(): void {
    if (this.asked.length === this.#answers.length) return;
    throw new Error(`the script has ${this.#answers.length} answers, ${this.asked.length} were asked for`);
  }
}
