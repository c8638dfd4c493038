/** Declares the section `webhooks`: receivers outside that are told of events. */
import * as z from 'zod';
import { EVENT_NAMES } from '../../domain/record/event-catalogue.ts';
import { name, secretName, section } from './common-fields.ts';
import { hookUrl } from './hooks.ts';
import type { PolicyProblem } from './problems.ts';

const webhook = section({
  url: hookUrl.describe(
    'Is sent each event as a CloudEvent with POST; https, and no private address (http on this machine).',
  ),
  secret: secretName.describe(
    'Name of the secret that signs the messages: `whsec_` and base64, as Standard Webhooks has it.',
  ),
  events: z
    .array(z.enum(EVENT_NAMES))
    .min(1)
    .optional()
    .describe('The events that it is sent, by their names; default: all.'),
});
type WebhookSettings = z.output<typeof webhook>;

/** A rule of the event bus each. */
const MAX_WEBHOOKS = 10;

export const webhooks = z
  .record(name.max(64), webhook)
  .default({})
  .describe('Who outside is told of events, at most ten (`docs/events.md`).');

/** Finds problems across the keys of webhooks. */
export function webhookProblems(given: Readonly<Record<string, WebhookSettings>>): PolicyProblem[] {
  return Object.keys(given).length > MAX_WEBHOOKS
    ? [{ path: ['webhooks'], message: `holds more than ${MAX_WEBHOOKS} webhooks` }]
    : [];
}
