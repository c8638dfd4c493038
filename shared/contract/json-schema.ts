/**
 * Makes JSON Schemas of the words on the wire from zod, for agents in other languages.
 * `npm run schemas` writes the files.
 */
import * as z from 'zod';
import { action, actionSpace, agentSnapshot } from './action-space.ts';
import { approval, askedCall, person, question, stage, vote, voter } from './approval.ts';
import { auditEntry, callRecord } from './audit-entry.ts';
import { callDecision, decidedBy, decision } from './decision.ts';
import { EXAMPLES } from './examples.ts';
import { callError, callResult, executionRequest, redeemAnswer, redeemRequest } from './execution.ts';
import { journalEntry } from './journal-entry.ts';
import { openEnum } from './open-enum.ts';
import { operation } from './operation.ts';
import { outcome } from './outcome.ts';
import { permit } from './permit.ts';
import { digest, identifier, instant, mode, SCHEMA_VERSION, severity } from './primitives.ts';
import {
  actionChoiceProposal,
  cancelProposal,
  inputRequestProposal,
  singleCallProposal,
  taskMessageProposal,
  toolCall,
  toolCallProposal,
} from './proposal.ts';
import { asStored } from './stored.ts';

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
  proposal: ['A question of an agent: one message on the proposals queue.', proposal],
  decision: ['The terminal answer to the agent.', decision],
  approval: ['One wait for people.', approval],
  permit: ['The right to run one approved call once.', permit],
  outcome: ['The end of the run of an approved action, as its runner reports it.', outcome],
  'execution-request': [
    'A call that the gate runs for an agent: one message on the executions queue.',
    executionRequest,
  ],
  'call-result': ['The end of a call that the gate ran.', callResult],
  'redeem-request': ['The question to the redeem function before a tool runs.', redeemRequest],
  'redeem-answer': ['Whether the call may run now.', redeemAnswer],
  'audit-entry': ['One line of the record.', auditEntry],
  'journal-entry': ['An answer that a run of the kernel cannot compute again.', journalEntry],
  operation: ['An order of an operator: one message on the operators queue.', operation],
} as const satisfies Readonly<Record<string, readonly [string, z.ZodType]>>;

export type WordName = keyof typeof WORDS;
export const WORD_NAMES = Object.keys(WORDS) as readonly WordName[];

/**
 * Words that come out of the gate: a later version may add properties and values of an enum, and a reader that validates takes them. Words that come in are
 * closed, so that a misspelt property is refused before it is sent.
 */
const OUTGOING: ReadonlySet<WordName> = new Set([
  'decision',
  'approval',
  'permit',
  'call-result',
  'redeem-answer',
  'audit-entry',
  'journal-entry',
]);

/** Words that others are made of, by their names in `$defs`: generators of code make one type of each. */
const PARTS = {
  Action: action,
  ActionSpace: actionSpace,
  AgentSnapshot: agentSnapshot,
  AskedCall: askedCall,
  CallDecision: callDecision,
  CallError: callError,
  CallRecord: callRecord,
  DecidedBy: decidedBy,
  Digest: digest,
  Identifier: identifier,
  Instant: instant,
  Mode: mode,
  Permit: permit,
  Person: person,
  Question: question,
  Severity: severity,
  Stage: stage,
  ToolCall: toolCall,
  Vote: vote,
  Voter: voter,
} as const satisfies Readonly<Record<string, z.ZodType>>;

/** Ids of the specification, which readers of a schema do not have. */
const CITED = / \((?:(?:R\d-|AU-)\d{3}|[DAG]\d{1,3}[a-z]?)(?:, (?:(?:R\d-|AU-)\d{3}|[DAG]\d{1,3}[a-z]?))*\)/g;
/** A description without the ids that it cites. */
export const uncited = (description: string): string => description.replace(CITED, '');

/** Names the parts for one schema; a word is no part of itself. */
function partsOf(name: WordName): z.core.$ZodRegistry<{ id?: string }> {
  const registry = z.registry<{ id?: string }>();
  const [, word] = WORDS[name];
  for (const [id, part] of Object.entries(PARTS))
    if ((part as z.ZodType) !== word) registry.add(OUTGOING.has(name) ? asStored(part as z.ZodType) : part, { id });
  return registry;
}

/**
 * The JSON Schema of one word, with the examples of `examples.ts`. `target`: the dialect; the files are written in the newest. AsyncAPI
 * reads draft 7, in which a schema stands inside of another document: there it names no parts.
 */
export function wordSchema(
  name: WordName,
  target: 'draft-2020-12' | 'draft-7' = 'draft-2020-12',
): Readonly<Record<string, unknown>> {
  const [description, word] = WORDS[name];
  const isOutgoing = OUTGOING.has(name);
  const schema: z.ZodType = isOutgoing ? asStored(word as z.ZodType) : word;
  const descriptions = (part: z.core.$ZodType) => z.globalRegistry.get(part)?.description;
  const { $schema, ...rest } = z.toJSONSchema(schema, {
    io: 'input',
    target,
    ...(target === 'draft-7' ? {} : { metadata: partsOf(name) }),
    // Descriptions stand in the global registry, which the registry of parts takes the place of.
    override({ zodSchema, jsonSchema }) {
      const text = descriptions(zodSchema);
      const words = jsonSchema.description ?? text;
      if (words !== undefined) jsonSchema.description = uncited(words);
      if (isOutgoing && zodSchema instanceof z.ZodEnum) openEnum(jsonSchema);
    },
  });
  const openness = isOutgoing ? '. Later versions may add properties, and values to an `enum` beside `string`' : '';
  return {
    $schema,
    $id: `urn:countersign:schema:${name}:${SCHEMA_VERSION}`,
    title: `Countersign ${name}`,
    description,
    $comment: `Version ${SCHEMA_VERSION}${openness}`,
    examples: EXAMPLES[name] satisfies readonly object[],
    ...rest,
  };
}
