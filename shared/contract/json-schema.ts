/**
 * JSON Schema of every word on the wire, made from the zod schemas: for agents in other languages.
 * `npm run schemas` writes the files.
 */
import * as z from 'zod';
import { approval } from './approval.ts';
import { auditEntry } from './audit-entry.ts';
import { decision } from './decision.ts';
import { callResult, executionRequest, redeemAnswer, redeemRequest } from './execution.ts';
import { journalEntry } from './journal-entry.ts';
import { operation } from './operation.ts';
import { outcome } from './outcome.ts';
import { permit } from './permit.ts';
import { SCHEMA_VERSION } from './primitives.ts';
import {
  actionChoiceProposal,
  cancelProposal,
  inputRequestProposal,
  singleCallProposal,
  taskMessageProposal,
  toolCallProposal,
} from './proposal.ts';

/** A message without a kind is a tool call. */
const kind = { kind: z.literal('tool-call').default('tool-call') };

/** As agents send it: one call beside the envelope, or a list of calls. */
const proposal = z.union([
  singleCallProposal.extend(kind),
  toolCallProposal.extend(kind),
  actionChoiceProposal,
  inputRequestProposal,
  taskMessageProposal,
  cancelProposal,
]);

/** File name → word. Messages are described as they are sent, before defaults. */
const WORDS = {
  proposal: ['What an agent asks for: one message on the proposals queue.', proposal],
  decision: ['The terminal answer to the agent.', decision],
  approval: ['One wait for people.', approval],
  permit: ['The right to run one approved call once.', permit],
  outcome: ['What happened when an approved action ran.', outcome],
  'execution-request': ['What an agent has the gate run: one message on the executions queue.', executionRequest],
  'call-result': ['What became of a call that the gate ran.', callResult],
  'redeem-request': ['What whoever runs a tool asks the redeem function first.', redeemRequest],
  'redeem-answer': ['Whether the call may run now.', redeemAnswer],
  'audit-entry': ['One line of the record.', auditEntry],
  'journal-entry': ['An answer that a run of the kernel cannot compute again.', journalEntry],
  operation: ['What an operator may tell the gate: one message on the operators queue.', operation],
} as const satisfies Readonly<Record<string, readonly [string, z.ZodType]>>;

export type WordName = keyof typeof WORDS;
export const WORD_NAMES = Object.keys(WORDS) as readonly WordName[];

export function wordSchema(name: WordName): Readonly<Record<string, unknown>> {
  const [description, word] = WORDS[name];
  const { $schema, ...rest } = z.toJSONSchema(word, { io: 'input' });
  return { $schema, title: `Countersign ${name}`, description, $comment: `Version ${SCHEMA_VERSION}`, ...rest };
}
