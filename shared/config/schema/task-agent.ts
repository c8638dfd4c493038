/** Declares the `taskAgent` section of countersign.yaml: its channels, and the effects of its tools. */
import * as z from 'zod';
import { modelSettings } from './models.ts';
import { name, section } from './words.ts';

export const taskAgent = section({
  enabled: z.boolean().default(false).describe('Whether there is one.'),
  agent: name
    .optional()
    .describe('The agent in whose name it works for people in Slack; without it Slack is not listened to.'),
  directMessages: z.boolean().default(true).describe('Whether it answers direct messages in Slack.'),
  channels: z.array(name).default([]).describe('Where it answers those who mention it.'),
  model: section(modelSettings)
    .optional()
    .describe('Asked what a message wants where no pattern can tell; it can neither confirm nor delete.'),
})
  .prefault({})
  .describe('The agent for task lists that comes with the gate.');
