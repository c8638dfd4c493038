/** Declares the `taskAgent` section of countersign.yaml: its channels, and the effects of its tools. */
import * as z from 'zod';
import { MAX_HISTORY } from '../../contract/task-conversation.ts';
import { name, section } from './common-fields.ts';
import { callTime, modelSettings } from './models.ts';

export const taskAgent = section({
  enabled: z.boolean().default(false).describe('Whether there is one.'),
  agent: name
    .optional()
    .describe('The agent in whose name it works for people in Slack; without it Slack is not listened to.'),
  directMessages: z.boolean().default(true).describe('Whether it answers direct messages in Slack.'),
  channels: z.array(name).default([]).describe('Where it answers those who mention it.'),
  history: z
    .int()
    .min(0)
    .max(MAX_HISTORY)
    .default(0)
    .describe(
      'So many messages of a chat in Slack, its own included, are kept for an hour, without secrets, so that a person may say "it"; 0 keeps no more than an open question, until the next message. The model is shown the newest six.',
    ),
  // The person who wrote is waiting.
  model: section({ ...modelSettings, timeout: callTime('10s') })
    .optional()
    .describe('Asked what a message wants where no pattern can tell; it can neither confirm nor delete.'),
})
  .prefault({})
  .describe('The agent for task lists that comes with the gate.');
