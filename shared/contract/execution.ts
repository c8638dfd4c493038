/** Declares requests to run or redeem an approved call, and their answers. */
import * as z from 'zod';
import { outcomeStatus } from './outcome.ts';
import {
  effect,
  errorCategory,
  identifier,
  instant,
  jsonObject,
  LIMITS,
  schemaVersion,
  text,
  writtenVersion,
} from './primitives.ts';
import { sessionName } from './session.ts';

/** The call as it was approved: any other action has another digest. */
const action = {
  toolName: z.string().min(1, 'must not be empty').max(LIMITS.messageBytes),
  input: jsonObject
    .optional()
    .describe('Absent: what people approved, which the gate keeps. What was allowed without them has to be sent.'),
  cwd: text(4096).optional(),
  starts: sessionName
    .optional()
    .describe(
      'As the proposal stated it: the session that a call starts is part of the approved action. Left out with `input`.',
    ),
};

const underPermit = {
  schemaVersion: schemaVersion.optional(),
  proposalId: identifier,
  callId: identifier,
  permitId: identifier.describe('Of the approved decision: it names the one call that may run, once.'),
  ...action,
  limits: z
    .record(identifier, z.number())
    .optional()
    .describe('Guardrail settings of this call alone, such as `timeoutMs`; they only tighten (R3-082).'),
};

/** One message on the executions queue. The agent is who sent it. */
export const executionRequest = z.strictObject({
  ...underPermit,
  requestId: identifier.describe(
    'Chosen by the agent: where it will read the result. The same id is the same request, so that each call needs one of its own.',
  ),
  idempotencyKey: identifier
    .optional()
    .describe('Passed to the tool on every attempt. By default that of the proposal, else one of the call.'),
});
/** A call that the gate runs for an agent. */
export type ExecutionRequest = z.infer<typeof executionRequest>;

const MAX_LINKS = 100;

/** The question of a tool server, or of an agent's own tool runner, before it runs a call. */
export const redeemRequest = z.strictObject({
  ...underPermit,
  agent: identifier,
  fs: z
    .strictObject({
      symlinks: z
        .record(text(4096), text(4096))
        .refine((links) => Object.keys(links).length <= MAX_LINKS, `must be at most ${MAX_LINKS} links`),
    })
    .optional()
    .describe(
      'Symbolic links where the call would run, as they are now, by where they lead. They are judged besides the paths as written, ' +
        'and can only refuse.',
    ),
  reporter: z
    .literal('redeemer')
    .optional()
    .describe(
      'Only a report with the id of this redemption counts: no agent reports in the place of a tool server. Absent: a report of the agent counts too.',
    ),
});
/** The request that asks whether an approved call may run now. */
export type RedeemRequest = z.infer<typeof redeemRequest>;

/** An error that an agent can act on: `details` holds elapsed, deadline, retry-after or reset in milliseconds. */
export const callError = z.strictObject({
  category: errorCategory,
  code: identifier,
  message: text(1000),
  isRetryable: z.boolean(),
  details: jsonObject,
  origin: text(300).optional(),
});
/** Why a call was refused or failed, with `code`, `category` and whether another try may work. */
export type CallError = z.infer<typeof callError>;

const permitLeft = z.enum(['usable', 'spent', 'none']).describe('Whether the same permit may be tried again.');

export const redeemAnswer = z.discriminatedUnion('granted', [
  z.strictObject({
    granted: z.literal(true),
    redemptionId: identifier.describe('Names this run when its outcome is reported.'),
    idempotencyKey: identifier,
    effect,
    timeoutMs: z.number().positive(),
    deadlineAt: instant.describe('The call has to be over by then.'),
    reportBy: instant.describe('Without a report until then the outcome is recorded as unknown.'),
    input: jsonObject.optional().describe('What may run, if the request left it to the gate.'),
  }),
  z.strictObject({ granted: z.literal(false), permit: permitLeft, error: callError }),
]);
/** Whether an approved call may run now, until when, and under which idempotency key. */
export type RedeemAnswer = z.infer<typeof redeemAnswer>;

/** The result that the agent reads of a call that the gate ran for it. */
export const callResult = z.strictObject({
  schemaVersion: writtenVersion,
  requestId: identifier,
  proposalId: identifier,
  callId: identifier,
  status: z.enum([...outcomeStatus.options, 'refused']).describe('`refused`: it was not started.'),
  permit: permitLeft,
  output: z.unknown().optional(),
  redactions: z.array(text(300)).max(100).optional().describe('Where secrets were taken out of the output.'),
  error: callError.optional(),
  attempts: z.int().nonnegative(),
  durationMs: z.number().nonnegative(),
  endedAt: instant,
});
/** The result of a call that the gate ran. */
export type CallResult = z.infer<typeof callResult>;
