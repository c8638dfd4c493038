/** `countersign/client`: what agents import. */
export { CountersignClient, type CountersignClientOptions, type ProposedCall } from './client.ts';
export { DigestMismatchError, NoDecisionError, NotApprovedError, PermitExpiredError } from './errors.ts';
export type { WaitOptions } from './wait.ts';
export type { Decision, Proposal, ToolCallProposal } from '../contract/index.ts';
