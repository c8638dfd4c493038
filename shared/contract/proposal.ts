/** Declares the proposals of agents. One message on the proposals queue is one proposal. */
import * as z from 'zod';
import { action, actionSpace, agentSnapshot } from './action-space.ts';
import { humanChoice } from './approval.ts';
import { identifier, instant, jsonObject, LIMITS, mode, schemaVersion, text } from './primitives.ts';
import { sessionName } from './session.ts';

/** Fields of every proposal about itself. Identity is compared with the sender, never believed. */
const envelope = {
  schemaVersion: schemaVersion.optional(),
  proposalId: identifier.describe('Chosen by the agent; the same id with the same content is the same proposal.'),
  agentId: identifier.optional().describe('Must be the authenticated sender.'),
  tenantId: identifier.optional().describe('Must be this deployment.'),
  requester: identifier
    .optional()
    .describe(
      'The person in whose name the agent asks: a name of the policy file that it lists for the agent. Its owner if absent.',
    ),
  sessionId: identifier.optional().describe("The agent's conversation; `main` if absent."),
  runId: identifier.optional().describe("Shown to people as the agent's own word."),
  parentAgentId: identifier.optional(),
  parentSessionId: identifier.optional(),
  sentAt: instant.optional().describe('Refused if older than 24 hours or more than 5 minutes ahead (D18).'),
  expiresAt: instant.optional().describe("When the wait for people ends; never later than the policy's maximum (A10)."),
  title: text(200).optional(),
  description: text(3000).optional(),
  reason: text(3000).optional(),
  urgency: z
    .enum(['low', 'normal', 'high', 'critical'])
    .optional()
    .describe("Shown to people as the agent's own word (D16)."),
  idempotencyKey: identifier
    .optional()
    .describe('For a proposal of one tool call: its tool gets this key on every run. By default one of the call.'),
  state: text(4096).optional().describe('Opaque; echoed back in the decision.'),
};

/** Hints as in MCP: shown to people, never trusted. */
const annotations = z.strictObject({
  title: text(200).optional(),
  readOnlyHint: z.boolean().optional(),
  destructiveHint: z.boolean().optional(),
  idempotentHint: z.boolean().optional(),
  openWorldHint: z.boolean().optional(),
});

const callFields = {
  toolName: z.string().min(1, 'must not be empty').max(LIMITS.messageBytes),
  input: z.unknown().describe('The arguments of the tool, a JSON object.'),
  cwd: text(4096)
    .optional()
    .describe('Where the call runs: a path of the call (D41). Outside the project root no rule allows its commands.'),
  annotations: annotations.optional(),
  argsSchema: z.unknown().optional().describe("Ignored in favour of the registry's schema (A3)."),
};

export const toolCall = z.strictObject({ id: identifier, ...callFields });
export type ToolCall = z.infer<typeof toolCall>;

/** A rule that a message may add for itself: only to tighten. */
const tighteningRule = z.strictObject({
  effect: z.enum(['deny', 'ask', 'allow']),
  pattern: text(1000),
  source: text(32).optional(),
});

const tightening = {
  mode: mode.optional().describe('Read only to tighten.'),
  rules: z.array(tighteningRule).max(100).optional().describe('Read only to tighten.'),
  allowedDecisions: z.array(humanChoice).min(1).max(5).optional(),
  starts: sessionName
    .optional()
    .describe(
      "The session of a sub-agent that this call starts: once it is approved, this session is that one's parent (A3, D9).",
    ),
};

/** One call, its fields beside the envelope's: the short form. */
export const singleCallProposal = z.strictObject({
  kind: z.literal('tool-call'),
  ...envelope,
  ...tightening,
  toolCallId: identifier.optional(),
  ...callFields,
});

/** Up to 20 calls that share one claim, one approval and one card. */
export const toolCallProposal = z.strictObject({
  kind: z.literal('tool-call'),
  ...envelope,
  ...tightening,
  calls: z.array(toolCall).min(1).max(LIMITS.calls),
});

/** Flow and persona are names that rules and people can use. */
const choosable = action.extend({
  flow_id: identifier,
  persona_id: identifier,
  entry_operation_id: identifier.optional(),
  description: text(3000).optional(),
});

export const actionChoiceProposal = z.strictObject({
  kind: z.literal('action-choice'),
  ...envelope,
  policy: identifier.describe('Name of a policy declared in countersign.yaml.'),
  actionSpace: actionSpace.extend({ persona_id: identifier, actions: z.array(choosable).max(500) }),
  snapshot: agentSnapshot,
});

export const inputRequestProposal = z.strictObject({
  kind: z.literal('input-request'),
  ...envelope,
  question: text(3000).min(1, 'must not be empty'),
  choices: z.array(text(75).min(1)).min(1).max(20).optional().describe('Without choices the answer is free text.'),
});

/** The result of a tool for a caller that runs the task agent's tools itself. */
const taskToolResult = z.strictObject({
  success: z.boolean(),
  data: z.unknown().optional(),
  error: text(1000).nullish(),
  error_code: text(100).nullish(),
});

export const taskMessageProposal = z
  .strictObject({
    kind: z.literal('task-message'),
    ...envelope,
    context: jsonObject.describe(
      "The DecisionContext of the task agent: user_id, message, conversation_id, message_history. What waits for a yes is the gate's own to know.",
    ),
    tools: z
      .enum(['gate', 'caller'])
      .optional()
      .describe('Who runs the tools. `caller`: the decision says what to run, and is asked again with the results.'),
    continues: identifier
      .optional()
      .describe('The proposal whose calls were run; the context then names only user_id and conversation_id.'),
    results: z.array(taskToolResult).max(3).optional().describe('Of all calls of that turn so far, in their order.'),
  })
  .refine(({ tools, continues, results }) => tools === 'caller' || (!continues && !results), {
    path: ['tools'],
    error: 'must be caller where the results of calls are given',
  });

export const cancelProposal = z.strictObject({
  kind: z.literal('cancel'),
  ...envelope,
  cancels: identifier.describe("The proposalId of the sender's own proposal."),
});

export const proposal = z.discriminatedUnion('kind', [
  toolCallProposal,
  actionChoiceProposal,
  inputRequestProposal,
  taskMessageProposal,
  cancelProposal,
]);

/** A proposal of up to 20 tool calls. */
export type ToolCallProposal = z.infer<typeof toolCallProposal>;
/** A proposal that has a policy of the policy file choose one action. */
export type ActionChoiceProposal = z.infer<typeof actionChoiceProposal>;
/** A question to a person, as a proposal. */
export type InputRequestProposal = z.infer<typeof inputRequestProposal>;
/** One message of a person to the task agent, as a proposal. */
export type TaskMessageProposal = z.infer<typeof taskMessageProposal>;
/** Withdraws a proposal of the same agent. */
export type CancelProposal = z.infer<typeof cancelProposal>;
/** One message on the proposals queue: tool calls, a choice, a question, or a cancel. */
export type Proposal = z.infer<typeof proposal>;
/** A proposal that the kernel runs and may ask people about; the task agent has an engine and a confirmation of its own. */
export type DecidableProposal = Exclude<Proposal, CancelProposal | TaskMessageProposal>;
