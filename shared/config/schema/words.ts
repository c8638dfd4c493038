/** Declares the words that the sections of countersign.yaml share. */
import ms from 'ms';
import * as z from 'zod';
import { identifier } from '../../contract/primitives.ts';

export { section } from '../../domain/section.ts';

/** `90s`, `15m`, `1h`, `30d`; kept as milliseconds. */
export const duration = z
  .string()
  .regex(/^\d{1,5} ?(s|m|h|d)$/, 'must be a duration like 90s, 15m, 1h or 30d')
  .transform((value) => ms(value as ms.StringValue));

export const name = identifier.regex(/^[A-Za-z0-9]/, 'must begin with a letter or a digit');

export const toolName = z.string().regex(/^[A-Za-z0-9_.-]{1,128}$/, 'is not a tool name');

export const slackId = z.string().regex(/^[A-Z][A-Z0-9]{1,20}$/, 'must be a Slack id such as U012ABCDEF');
