/** `countersign/contract`: the messages between agents and the gate, as types and as zod schemas. */
import { auditEntry } from '../../contract/audit-entry.ts';
import { callResult } from '../../contract/execution.ts';
import { permit } from '../../contract/permit.ts';
import { asStored } from '../../contract/stored.ts';

export type { Action, ActionSpace, AgentSnapshot } from '../../contract/action-space.ts';
export type { Approval } from '../../contract/approval.ts';
export type { AuditEntry } from '../../contract/audit-entry.ts';
export type { DecidedBy, Decision, DecisionOutcome } from '../../contract/decision.ts';
export type { CallError, CallResult, ExecutionRequest, RedeemAnswer, RedeemRequest } from '../../contract/execution.ts';
export { type Operation, operation as operationSchema } from '../../contract/operation.ts';
export { type Outcome, outcome as outcomeSchema } from '../../contract/outcome.ts';
export type { Permit } from '../../contract/permit.ts';
export { SCHEMA_VERSION } from '../../contract/primitives.ts';
export {
  type ActionChoiceProposal,
  type CancelProposal,
  type InputRequestProposal,
  type Proposal,
  proposal as proposalSchema,
  type TaskMessageProposal,
  type ToolCallProposal,
} from '../../contract/proposal.ts';
export { CountersignError } from '../errors.ts';
export { decisionSchema, InvalidDecisionError, parseDecision } from './parse-decision.ts';

/** Reads a permit. Properties that a later version adds pass. */
export const permitSchema = asStored(permit);
/** Reads the result of a call that the gate ran. Properties that a later version adds pass. */
export const callResultSchema = asStored(callResult);
/** Reads one line of the record. Properties that a later version adds pass. */
export const auditEntrySchema = asStored(auditEntry);
