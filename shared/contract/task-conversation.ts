/** Declares the rows of a conversation with the task agent: its deletion and its turn that wait. */
import * as z from 'zod';
import { digest, instant } from './primitives.ts';

/** Any UUID by form: the contract asks for the format, not for a version. */
export const uuid = z.guid();
/** ISO 8601 with a zone: without one, two machines would read two instants. */
export const zonedInstant = z.iso.datetime({ offset: true });

export const pendingConfirmation = z.strictObject({
  action_type: z.literal('DELETE_TASK'),
  task_id: uuid,
  task_description: z.string(),
  created_at: zonedInstant,
  expires_at: zonedInstant,
});
/** A task action that waits for a yes of the person who wanted it. */
export type PendingConfirmation = z.infer<typeof pendingConfirmation>;

export const historyMessage = z.strictObject({
  role: z.enum(['user', 'assistant']),
  content: z.string(),
  timestamp: zonedInstant,
});
/** One earlier message of a conversation. */
export type HistoryMessage = z.infer<typeof historyMessage>;

/** So many messages of a chat can be kept at most. */
export const MAX_HISTORY = 20;

export const taskConversation = z.strictObject({
  key: digest.describe('Of whose it is and which: nobody meets a conversation of somebody else.'),
  version: z
    .int()
    .nonnegative()
    .describe('Every change is written on the condition that it is still the one read (A7).'),
  pending: z
    .strictObject({
      confirmation: pendingConfirmation,
      askedBy: digest.describe('The pid of the message that was answered with the question: what a button names.'),
      saidAt: z
        .string()
        .max(40)
        .optional()
        .describe('The place of that message among those of its channel: a yes from before it is no answer.'),
    })
    .optional()
    .describe('At most one (R2-057); whether it has expired is compared on read.'),
  turn: z
    .strictObject({
      pid: digest.describe('The message whose calls its sender runs (R2-074).'),
      context: z.record(z.string(), z.unknown()),
      at: instant.describe('When the message came: the clock stands until the turn is over.'),
      intent: z.unknown().describe('As classified then: a second opinion would be another decision.'),
      pending: pendingConfirmation.optional(),
    })
    .optional(),
  history: z
    .array(historyMessage)
    .max(MAX_HISTORY)
    .optional()
    .describe(
      'The newest messages of a chat, oldest first; without a setting only an open question and its wish. Their age is compared on read.',
    ),
  updatedAt: instant,
});
export type TaskConversation = z.infer<typeof taskConversation>;

export const endedQuestion = z.strictObject({
  by: digest.describe('The pid of the message that answered or dropped it, or found it too old.'),
  askedBy: digest.describe('The pid of the message that was answered with the question.'),
  text: z.string().describe('Shown beneath the question, without its buttons.'),
  at: instant,
});
/** A question of the task agent that waits no more. */
export type EndedQuestion = z.infer<typeof endedQuestion>;
