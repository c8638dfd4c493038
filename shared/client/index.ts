/** `countersign/client`: what agents import. */

export type { Decision, Proposal, ToolCallProposal } from '../contract/index.ts';
export { GuardrailError } from '../guardrails/errors.ts';
export { actionOf } from './choice.ts';
export {
  type ChoiceEnvelope,
  type ChoosingPolicy,
  CountersignClient,
  type CountersignClientOptions,
  type ProposedCall,
} from './client.ts';
export {
  DigestMismatchError,
  InvalidProposalError,
  NoDecisionError,
  NoResultError,
  NotApprovedError,
  PermitExpiredError,
  PlaceChangedError,
} from './errors.ts';
export type { WaitOptions } from './wait.ts';
