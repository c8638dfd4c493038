/** What `wait` and `gate` throw; `code` is stable. Anything that is not an approval ends in one of these, and the tool does not run. */
import type { CallDecision, Decision } from '../contract/decision.ts';
import { CountersignError } from '../domain/errors.ts';

/** The gate decided, and not in favour: a rule or a person refused, nobody answered, it was cancelled or superseded, or it was wrong. */
export class NotApprovedError extends CountersignError {
  override readonly name = 'NotApprovedError';
  readonly decision: Decision | CallDecision;
  constructor(decision: Decision | CallDecision) {
    super(decision.reasonCode, decision.message);
    this.decision = decision;
  }
}

/**
 * The gate would refuse to read the proposal, so that it was not sent. `code` says why, as in the gate's own answer (`unknown_field`,
 * `unsafe_number`, `too_deep`, `too_large`, `duplicate_key`, `lone_surrogate`, …); the message names the field.
 */
export class InvalidProposalError extends CountersignError {
  override readonly name = 'InvalidProposalError';
  constructor({ code, message }: { readonly code: string; readonly message: string }) {
    super(code, message);
  }
}

/**
 * No decision within the time that the caller allowed, or the decisions could not be read, as `cause` says. The proposal may still be
 * decided later.
 */
export class NoDecisionError extends CountersignError {
  override readonly name = 'NoDecisionError';
  readonly proposalId: string;
  constructor(proposalId: string, options?: ErrorOptions) {
    super('no_decision', `there is no decision on ${proposalId} yet: do not run the tool`, options);
    this.proposalId = proposalId;
  }
}

/** The decision speaks of another action than the one that was proposed: never run it. */
export class DigestMismatchError extends CountersignError {
  override readonly name = 'DigestMismatchError';
  constructor(proposalId: string) {
    super('action_digest_mismatch', `the decision on ${proposalId} is about another action: do not run the tool`);
  }
}

/** The gate was asked to run the call and has not answered in time: it may still run it. */
export class NoResultError extends CountersignError {
  override readonly name = 'NoResultError';
  constructor(proposalId: string) {
    super('no_result', `there is no result of ${proposalId} yet: the gate may still run it, do not run it elsewhere`);
  }
}

/** The permit of an approval has run out. */
export class PermitExpiredError extends CountersignError {
  override readonly name = 'PermitExpiredError';
  constructor(proposalId: string) {
    super('permit_expired', `the permit of ${proposalId} has expired: propose the call again under a new id`);
  }
}

/** The folder of the call leads elsewhere than when the call was proposed: a link on its way was swapped. */
export class PlaceChangedError extends CountersignError {
  override readonly name = 'PlaceChangedError';
  constructor(proposalId: string) {
    super(
      'place_changed',
      `the folder of ${proposalId} leads elsewhere than when it was approved: the tool was not run`,
    );
  }
}
