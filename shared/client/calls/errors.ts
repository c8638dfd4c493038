/** Declares the client's errors, with stable codes. A call without approval ends in one of them. */
import type { Decision, DecisionOutcome } from '../../contract/decision.ts';
import { CountersignError, isCountersignError } from '../../domain/errors.ts';
import type { Refused } from './calls.ts';
import { settingAtFault } from './setting-at-fault.ts';

/**
 * The gate decided, and not in favour: a rule or a person refused, nobody answered, it was cancelled or superseded, or the gate could not judge it.
 * `code` is the outcome, `decision.reasonCode` the gate's reason, `message` is written for the model.
 *
 * @example
 * try {
 *   await refund({ orderId: 'o-1', amount: 25 });
 * } catch (error) {
 *   if (!(error instanceof NotApprovedError)) throw error;
 *   if (error.code === 'expired') console.log('nobody answered; ask again later');
 *   console.log(error.message);
 * }
 */
export class NotApprovedError extends CountersignError<Refused['outcome']> {
  override readonly name = 'NotApprovedError';
  readonly decision: Refused;
  constructor(decision: Refused) {
    super(decision.outcome, decision.message);
    this.decision = decision;
  }
}

/** The refusal that a decision is. `outcome`: of the one call that is meant, where there are several. */
export function refusalOf(
  { decidedBy, message, reasonCode, answer }: Pick<Decision, 'decidedBy' | 'message' | 'reasonCode' | 'answer'>,
  proposalId: string,
  outcome: Exclude<DecisionOutcome, 'approved'>,
): Refused {
  const verdict = { proposalId, decidedBy, message, reasonCode };
  return outcome === 'answered' ? { ...verdict, outcome, answer } : { ...verdict, outcome };
}

/**
 * The gate would refuse to read the proposal, so that it was not sent. `code` says why, as in the gate's own answer (`unknown_field`,
 * `unsafe_number`, `too_deep`, `too_large`, `duplicate_key`, `lone_surrogate`, …), or is `not_json` for a value that JSON cannot hold.
 */
export class InvalidProposalError extends CountersignError {
  override readonly name = 'InvalidProposalError';
  /** Where in the proposal, as in `input.to`; empty for the whole. */
  readonly field: string;
  constructor({ code, message, field }: { readonly code: string; readonly message: string; readonly field: string }) {
    super(code, message);
    this.field = field;
  }
}

/**
 * No decision within the time that the caller allowed, or the decisions could not be read, as `cause` says. `code` is `unanswered` if the gate has
 * recorded nothing at all: a wrong setting, most likely. Unless the proposal was withdrawn, it may still be decided later.
 */
export class NoDecisionError extends CountersignError<'no_decision' | 'unanswered'> {
  override readonly name = 'NoDecisionError';
  readonly proposalId: string;
  /** The caller's time was over, and nobody comes back for the decision: the proposal is withdrawn. */
  readonly isGivenUp: boolean;
  /** The gate had judged the proposal, and asks people. */
  readonly isAsked: boolean;
  constructor(
    proposalId: string,
    options?: ErrorOptions & {
      readonly isUnanswered?: boolean;
      readonly isGivenUp?: boolean;
      readonly isAsked?: boolean;
    },
  ) {
    const isUnreadable = options?.cause !== undefined;
    const message = isUnreadable
      ? `the decision on ${proposalId} cannot be read (${wordOf(options.cause)}): do not run the tool. Is the gate there, in AWS_REGION, is auditTable the ` +
        "stack's output AuditTable, and does this process run under the role of its agent? A role reads its own agent's decisions alone"
      : options?.isUnanswered
        ? `the gate has recorded nothing of ${proposalId} yet: is the deployment's name right, is this role an agent's? Compare deployment, ` +
          "queueUrl and auditTable with the stack's outputs Deployment, ProposalsQueueUrl and AuditTable, or take all of them from the agent's " +
          'AgentEnvironment; countersign status shows whether the gate is behind. What is not on record after a day was lost: propose it again under a new id'
        : options?.isGivenUp
          ? `nobody decided ${proposalId} in the time that its caller waits, and it is withdrawn: do not run the tool. This is no refusal: the call ` +
            'may be made again, under a new id, if it is still needed'
          : `there is no decision on ${proposalId} yet: do not run the tool`;
    super(options?.isUnanswered ? 'unanswered' : 'no_decision', message, options);
    this.proposalId = proposalId;
    this.isGivenUp = options?.isGivenUp ?? false;
    this.isAsked = options?.isAsked ?? false;
  }
}

/** The kind of a fault, such as `AccessDeniedException` or `ECONNREFUSED`: its text may name accounts and roles, and a model may read this one. */
function wordOf(cause: unknown): string {
  const { name, code } = (cause ?? {}) as { readonly name?: unknown; readonly code?: unknown };
  return settingAtFault(cause) ?? String(code ?? name ?? 'Error');
}

/** The decision speaks of another action than the one that was proposed: never run it. */
export class DigestMismatchError extends CountersignError<'action_digest_mismatch'> {
  override readonly name = 'DigestMismatchError';
  constructor(proposalId: string) {
    super(
      'action_digest_mismatch',
      `the decision on ${proposalId} is about another action: do not run the tool. If another call had this id, propose this one under its own`,
    );
  }
}

/** The gate was to run the call and has not answered in time: it may still run it. */
export class NoResultError extends CountersignError<'no_result'> {
  override readonly name = 'NoResultError';
  constructor(proposalId: string, options?: ErrorOptions) {
    const unread = options?.cause === undefined ? '' : ` (it cannot be read: ${wordOf(options.cause)})`;
    const message = `there is no result of ${proposalId} yet${unread}: the gate may still run it, do not run it elsewhere`;
    super('no_result', message, options);
  }
}

/** The permit of an approval has run out: propose the call again under a new id. */
export class PermitExpiredError extends CountersignError<'permit_expired'> {
  override readonly name = 'PermitExpiredError';
  constructor(proposalId: string) {
    super(
      'permit_expired',
      `the permit of ${proposalId} has expired: propose the call again under a new id. If it was approved just now, the clock of this machine is wrong: set it`,
    );
  }
}

/** The folder of the call leads elsewhere than when the call was proposed: a link on its way was swapped. */
export class PlaceChangedError extends CountersignError<'place_changed'> {
  override readonly name = 'PlaceChangedError';
  constructor(proposalId: string) {
    super(
      'place_changed',
      `the folder of ${proposalId} leads elsewhere than when it was approved: the tool was not run`,
    );
  }
}

/** Whether it is an error of one of these classes, also if another copy of the package threw it: a client may come from one. */
export const isNamed = (error: unknown, ...names: readonly string[]): error is CountersignError =>
  isCountersignError(error) && names.includes(error.name);

/** Whether a call ended undecided, and its proposal is withdrawn. */
export const isGivenUp = (error: unknown): boolean =>
  isNamed(error, 'NoDecisionError') && (error as Partial<NoDecisionError>).isGivenUp === true;

/** Whether the time is over, and nothing else is wrong: people may still answer. */
export const isUndecided = (error: unknown): error is NoDecisionError =>
  isNamed(error, 'NoDecisionError') && error.code === 'no_decision' && !error.cause;
