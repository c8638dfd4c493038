/** `countersign/client`: what agents import. */

export type { AwsCredentials, AwsOptions } from '../adapters/aws/agent-side.ts';
export type { Action, ActionSpace, AgentSnapshot } from '../contract/action-space.ts';
export type { DecidedBy, Decision, DecisionOutcome } from '../contract/decision.ts';
export type { CallResult, RedeemAnswer, RedeemRequest } from '../contract/execution.ts';
export type { Permit } from '../contract/permit.ts';
export type { ActionChoiceProposal, InputRequestProposal, Proposal, ToolCallProposal } from '../contract/proposal.ts';
export type { SessionName } from '../contract/session.ts';
export type { DigestedAction } from '../domain/digest.ts';
export type { Duration } from '../domain/duration.ts';
export { CountersignError, InvalidSettingError, isCountersignError } from '../domain/errors.ts';
export {
  SchemaError,
  type SchemaInput,
  type SchemaIssue,
  type SchemaOutput,
  type StandardSchema,
} from '../domain/standard-schema.ts';
export {
  type DetailsOf,
  type EffectKnowledge,
  type ErrorCategory,
  type GuardrailDetails,
  GuardrailError,
  type GuardrailErrorFacts,
  isGuardrailError,
  type ToolError,
} from '../guardrails/settings/errors.ts';
export type { DecisionReader, ProposalQueue, ReadDecision, Redeemer } from '../ports/agent-side.ts';
export type { Clock } from '../ports/clock.ts';
export type { ClaimVerdict } from '../ports/stores/audit-log.ts';
export type { ResultReader } from '../ports/stores/result-store.ts';
export type { Annotations, CallOptions, Urgency } from './calls/call-options.ts';
export type {
  Approved,
  CallDecision,
  ChoiceEnvelope,
  ChoosingPolicy,
  GatedTool,
  PendingCall,
  ProposedCall,
  Refused,
  RunContext,
  StatedCall,
  Verdict,
} from './calls/calls.ts';
export {
  DigestMismatchError,
  InvalidProposalError,
  NoDecisionError,
  NoResultError,
  NotApprovedError,
  PermitExpiredError,
  PlaceChangedError,
} from './calls/errors.ts';
export type { Links, RealPath } from './calls/folder.ts';
export type { GuardedCall, GuardOptions, GuardSettings } from './calls/guarded-call.ts';
export type { JsonOf, Opaque } from './calls/json-of.ts';
export type { CountersignClientOptions } from './calls/options.ts';
export { actionOf } from './choice.ts';
export { CountersignClient, type QuestionEnvelope } from './client.ts';
export type { WaitOptions } from './exchange/wait.ts';
export type { RunGuard, ToolOfRun, TurnGuard } from './guard.ts';
export type { WithChange } from './running/change.ts';
export type { Permitted } from './running/run.ts';
export type { WholeAction } from './running/runnable.ts';
