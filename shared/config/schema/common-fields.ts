/** Declares the words that the sections of countersign.yaml share. */
import ms from 'ms';
import * as z from 'zod';
import { LIMITS } from '../../contract/bounds.ts';
import { identifier } from '../../contract/primitives.ts';
import { isLoopback } from '../../domain/loopback.ts';

export { section } from '../../domain/section.ts';

/** Also the words for a number, which is no time without its unit. */
const DURATION_WORDS = 'must be a duration like 90s, 15m, 1h or 30d';

/** `90s`, `15m`, `1h`, `30d`; kept as milliseconds. */
export const duration = z
  .string({ error: ({ input }) => (input === undefined ? undefined : DURATION_WORDS) })
  .regex(/^\d{1,5} ?(s|m|h|d)$/, DURATION_WORDS)
  .transform((value) => ms(value as ms.StringValue));

/** A time that rows in use outlive: they are stored for 120 days. */
export const laterTime = duration.refine((value) => value <= LIMITS.laterMs, 'must be at most 90d');

/** A time that somebody waits: none at all would be no time to answer in, or a reminder without end. */
export const waitingTime = duration.refine((value) => value > 0, 'must be at least 1s');

/** The address of a service that is sent secrets: over TLS; one on this machine may be plain. */
export const endpoint = z.url({ protocol: /^https?$/, abort: true }).refine(
  (value) => {
    const { protocol, hostname, username, password } = new URL(value);
    return (protocol === 'https:' || isLoopback(hostname)) && !username && !password;
  },
  { error: 'must be https, without a password; plain http is for loopback only' },
);

export const name = identifier.regex(/^[A-Za-z0-9]/, 'must begin with a letter or a digit');

export const toolName = z.string().regex(/^[A-Za-z0-9_.-]{1,128}$/, 'is not a tool name');

/** As Secrets Manager takes it; with the colons of an ARN. */
export const secretName = z
  .string()
  .max(500, 'must have at most 500 characters')
  .regex(/^[A-Za-z0-9/_+=.@:-]+$/, 'must be the name of a secret, of A-Z a-z 0-9 / _ + = . @ -');

const slackId = (letters: string, what: string) =>
  z
    .string()
    .regex(
      new RegExp(`^[${letters}][A-Z0-9]{1,20}$`),
      `must be the id of a ${what} in Slack, such as ${letters[0]}012ABCDEF`,
    );

/** Ids of Slack, whose first letter tells them apart: the id of a person posts no card, and that of a channel never votes. */
export const slackTeam = slackId('TE', 'workspace');
export const slackUser = slackId('UW', 'person');
export const slackChannel = slackId('CGD', 'channel');
export const slackGroup = slackId('S', 'user group');
