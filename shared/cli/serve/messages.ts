/** Declares what programs send to the server and get from it, made of the words of the contract. */
import * as z from 'zod';
import { decidedBy, outcomeOfDecision } from '../../contract/decision.ts';
import { permit } from '../../contract/permit.ts';
import { identifier, jsonObject, text } from '../../contract/primitives.ts';
import { singleCallProposal } from '../../contract/proposal.ts';

const { toolName, cwd, annotations, starts } = singleCallProposal.shape;
const { title, description, reason, urgency, expiresAt, state, sessionId, idempotencyKey } = singleCallProposal.shape;
const id = text(1_000).min(1, 'must not be empty');

/** Body of `POST /v1/calls`. */
export const callRequest = z.strictObject({
  run: id.describe('The run or conversation. With callId it names the call: sent again, it is the same one.'),
  callId: id.describe("The call's own id within the run, such as the model's."),
  tool: toolName.describe('Name of the tool, as in the rules of the policy file.'),
  input: jsonObject.describe('Arguments of the tool.'),
  cwd,
  title,
  description,
  reason,
  urgency,
  annotations,
  expiresAt,
  sessionId,
  starts,
  idempotencyKey,
  state,
});
export type CallRequest = z.infer<typeof callRequest>;

const verdict = { id: identifier, state: z.literal('decided'), message: text(4000), reasonCode: identifier, decidedBy };

const waiting = z.strictObject({
  id: identifier.describe('For GET and DELETE /v1/calls/{id}.'),
  state: z
    .enum(['proposed', 'asked'])
    .describe('proposed: not judged yet; asked: people are asked. Do not run the tool.'),
});
const approved = z.strictObject({
  ...verdict,
  outcome: z.literal('approved'),
  input: jsonObject.describe('Run the tool with exactly these arguments.'),
  edited: z.boolean().describe('Whether they are not those that were proposed.'),
  change: z.string().optional().describe('A sentence for the model, present where the arguments were edited.'),
  permit,
});
const refused = z.strictObject({
  ...verdict,
  outcome: outcomeOfDecision.exclude(['approved']),
  answer: z.unknown().optional().describe('Words of a person in place of a vote.'),
});

/** Answer to a look at a call. Do not run the tool unless the outcome is approved. */
export const callState = z.union([waiting, approved, refused]);
export type CallState = z.infer<typeof callState>;

/** Body of every answer that is no success. */
export const problem = z.strictObject({
  code: text(100).describe('Stable, in snake case.'),
  message: text(2000).describe('Names the field and the problem.'),
});
export type Problem = z.infer<typeof problem>;
