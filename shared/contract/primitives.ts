/** Declares the words that others are made of: ids, texts, times, and the bounds of a message. */
import * as z from 'zod';
import { IDENTIFIER, MESSAGE_VERSIONS } from './bounds.ts';

export { LIMITS, MESSAGE_VERSIONS, SCHEMA_VERSION, UNSTATED_VERSION } from './bounds.ts';

/** The version that an incoming message states. */
export const schemaVersion = z
  .enum(MESSAGE_VERSIONS)
  .describe('Version of this word. Optional in messages: the newest that the gate reads is meant.');

/** The version that an answer or a row states. Any version is read. */
export const writtenVersion = z
  .string()
  .regex(/^\d{4}-\d{2}-\d{2}$/, 'must be a version like 2026-11-01')
  .describe('Version of the gate’s words when this was written.');

/** An identifier that somebody outside chose: at most 128 of `[A-Za-z0-9._:-]`. */
export const identifier = z
  .string()
  .min(1, 'must not be empty')
  .max(IDENTIFIER.max, 'must have at most 128 characters')
  .regex(IDENTIFIER.pattern, 'may hold only A-Z a-z 0-9 . _ : -');

/** The path of a question in the policy tree, such as `composite.approver/human`; at most sixteen policies deep. */
export const place = z
  .string()
  .min(1, 'must not be empty')
  .max(400, 'must have at most 400 characters')
  .regex(/^[A-Za-z0-9._:/-]+$/, 'may hold only A-Z a-z 0-9 . _ : / -');

/** Lower-case hex SHA-256. */
export const digest = z.string().regex(/^[0-9a-f]{64}$/, 'must be 64 lower-case hex digits');

/** RFC 3339 time in UTC, with milliseconds or without. */
export const instant = z.iso.datetime({ error: 'must be a time like 2026-11-21T09:30:00Z' });

/** Text written by an agent or a person; shown as text, never as markup. */
export const text = (max: number) => z.string().max(max, `must have at most ${max} characters`);

export const severity = z.enum(['low', 'medium', 'high', 'critical']);
export type Severity = z.infer<typeof severity>;

/** The effect of a tool on the world. Undeclared is `NonIdempotentWrite`. */
export const effect = z.enum(['Pure', 'IdempotentWrite', 'NonIdempotentWrite', 'ExternalSideEffects']);
export type Effect = z.infer<typeof effect>;

/** The kind of failure that ended a call. */
export const errorCategory = z.enum(['ContractError', 'PolicyError', 'AuthError', 'ExecutionError', 'SystemError']);
/** The kind of failure that ended a call, as `errorCategory` reads it. */
export type ErrorCategory = z.infer<typeof errorCategory>;

export const mode = z.enum(['default', 'plan', 'acceptEdits', 'bypass', 'dontAsk', 'auto', 'bubble']);
export type Mode = z.infer<typeof mode>;

/** An agent's folders as the policy file names them: a call that states no folder runs in the project, and `~` is its home. */
export const agentFolders = z.strictObject({ projectRoot: text(1000), home: text(1000) });
export type AgentFolders = z.infer<typeof agentFolders>;

export const jsonObject = z.record(z.string(), z.unknown());
