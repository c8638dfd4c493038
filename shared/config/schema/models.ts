/**
 * Declares language models: where they are asked, with which key, and how long at most.
 * Shared by policies and the classifier.
 */
import ms from 'ms';
import * as z from 'zod';
import { text } from '../../contract/primitives.ts';
import { type Bound, bound, calls, dollars } from './bounds.ts';
import { duration, endpoint, name, secretName, section } from './common-fields.ts';

/** How long one call of a model may take. */
export const callTime = (most: `${number}s`) =>
  duration
    .refine((value) => value > 0 && value <= ms(most), `must be 1s to ${most}`)
    .prefault('10s')
    .describe(`Of one call, at most ${most}.`);

/** Everything but the name of the model. */
const modelAccess = {
  provider: z
    .enum(['anthropic', 'vercel', 'bedrock'])
    .describe('vercel: the AI Gateway. bedrock: Amazon Bedrock, by the role of the function that asks.'),
  secret: secretName
    .optional()
    .describe('Name of the secret that holds the API key: required, but for bedrock, which takes none.'),
  region: z
    .string()
    .regex(/^[a-z]{2,4}(?:-[a-z]+)+-\d{1,2}$/, 'must be a region such as eu-central-1')
    .optional()
    .describe('Of bedrock only; the gate’s own if absent.'),
  baseUrl: endpoint
    .optional()
    .describe('Instead of the address of the provider itself: https, or http on this machine.'),
  // A model is asked in `deliberate` only, which has a minute for all its questions.
  timeout: callTime('20s'),
} as const;

/** One model, to be asked about one thing. */
export const modelSettings = {
  ...modelAccess,
  model: text(200).min(1).describe('As its provider names it.'),
} as const;

const price = section({
  input: dollars.describe('Of what is sent.'),
  output: dollars.describe('Of what is answered.'),
});

/** Bounds on the questions to the classifier's model; beyond them a person decides. */
export const modelBounds = {
  perMinute: bound(calls)
    .prefault({ perAgent: 60, inAll: 300 })
    .describe('Calls in one minute of the clock: a number, or { perAgent, inAll }. Beyond them a person decides.'),
  perDay: bound(calls).prefault({ perAgent: 2_000, inAll: 10_000 }).describe('Calls in one UTC day, likewise.'),
  price: price.optional().describe('US dollars a million tokens; costPerDay counts by it.'),
  costPerDay: bound(dollars)
    .optional()
    .describe('US dollars in one UTC day, likewise; needs a price. Default with a price: 5 an agent, 20 in all.'),
} as const;

export const DEFAULT_COST_PER_DAY: Bound = { perAgent: 5, inAll: 20 };

export const models = z
  .record(
    name,
    section({
      ...modelAccess,
      price: price.optional().describe('US dollars a million tokens; with it the record says what a choice cost.'),
    }),
  )
  .default({})
  .describe('Where the llm policies ask; one that names no client asks the only one that is declared here.');

export type ModelAccess = z.infer<z.ZodObject<typeof modelAccess>>;
