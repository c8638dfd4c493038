/** `countersign/client`: what agents import. */

export type { Decision, Proposal, ToolCallProposal } from '../contract/index.ts';
export { CountersignClient, type CountersignClientOptions, type ProposedCall } from './client.ts';
export { DigestMismatchError, NoDecisionError, NotApprovedError, PermitExpiredError } from './errors.ts';
export type { WaitOptions } from './wait.ts';
