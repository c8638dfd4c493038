/** Declares the `record` section of countersign.yaml: the texts of entries and their retention. */
import * as z from 'zod';
import { MIN_RETENTION_MS } from '../../domain/record/retention.ts';
import { duration, section } from './common-fields.ts';

const text = z.enum(['redacted', 'digests']);

const retention = duration.refine((time) => time >= MIN_RETENTION_MS, 'must be at least 183d');

export const record = z
  .union([
    text,
    section({
      text: text
        .default('redacted')
        .describe(
          'redacted: entries hold proposals without their secrets, and the text of what people were asked. digests: neither is stored.',
        ),
      people: z
        .enum(['ids', 'aliases'])
        .optional()
        .describe(
          'How entries name people. ids: by their Slack ids. aliases: by words that `countersign forget` makes nobody’s; then neither messages as Slack showed them nor policy files are stored, which name people too. State it after an upgrade, and not with it. Default: ids.',
        ),
      retention: z
        .union([
          retention,
          section({
            decision: retention.optional().describe('Decisions, cancellations and ends of stages. Default: 400d.'),
            vote: retention.optional().describe('Votes, and questions that were passed on. Default: 400d.'),
            click: retention.optional().describe('Clicks that counted for nothing. Default: 400d.'),
            run: retention.optional().describe('How approved calls ended. Default: 400d.'),
            refusal: retention.optional().describe('Messages that were refused. Default: 400d.'),
            operation: retention.optional().describe('What operators did. Default: 400d.'),
          }),
        ])
        .optional()
        .describe('How long entries stay in the table: one time, or one for each kind. At least 183d. Default: 400d.'),
    }),
  ])
  .optional()
  .describe('The record of what was decided: `redacted` (the default) or `digests`, or a section with the retention.');

export type RecordSection = z.infer<typeof record>;
