/** Declares the words that others are made of: ids, texts, times, and the bounds of a message. */
import * as z from 'zod';

/** Version of every word that this gate writes. */
export const SCHEMA_VERSION = '2026-11-01';
/**
 * Versions of messages that this gate reads; one of another version is refused, by name. Agents state the oldest that can express their
 * message, so that gate and agents can be upgraded in any order.
 */
export const MESSAGE_VERSIONS = ['2026-11-01'] as const;
/** Of rows and answers that state no version: all that were written before a second one existed. */
export const UNSTATED_VERSION = '2026-11-01';

export const LIMITS = {
  /** Bytes of one message on the proposals queue. */
  messageBytes: 256 * 1024,
  /** Levels of objects and arrays in one message. */
  depth: 64,
  /** Calls in one proposal. */
  calls: 20,
  /** Milliseconds that people may be waited for at most; `approvals.timeout` cannot be longer. */
  approvalMs: 30 * 24 * 60 * 60_000,
  /** Bytes of an input that is kept in the row itself; a larger one goes to the input store (A15). */
  inlineInputBytes: 8 * 1024,
  /** Characters of one answer of a language model, so that a journal entry stays under 32 KB (A15). */
  modelAnswer: 8_000,
  /** Characters that are kept of what a model was asked. */
  modelPrompt: 600,
} as const;

/** In a message that comes in. */
export const schemaVersion = z
  .enum(MESSAGE_VERSIONS)
  .describe('Version of this word. Optional in messages: the newest that the gate reads is meant.');

/** In an answer or a row: kept as it was written, and read whichever it is. */
export const writtenVersion = z
  .string()
  .regex(/^\d{4}-\d{2}-\d{2}$/, 'must be a version like 2026-11-01')
  .describe('Version of the gate’s words when this was written.');

/** An identifier that somebody outside chose: at most 128 of `[A-Za-z0-9._:-]`. */
export const identifier = z
  .string()
  .min(1, 'must not be empty')
  .max(128, 'must have at most 128 characters')
  .regex(/^[A-Za-z0-9._:-]+$/, 'may hold only A-Z a-z 0-9 . _ : -');

/** Where in a run something was asked: a named path such as `composite.approver/human`, sixteen policies deep at most. */
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
export type ErrorCategory = z.infer<typeof errorCategory>;

export const mode = z.enum(['default', 'plan', 'acceptEdits', 'bypass', 'dontAsk', 'auto', 'bubble']);
export type Mode = z.infer<typeof mode>;

/** An agent's folders as the policy file names them: a call that states no folder runs in the project, and `~` is its home. */
export const agentFolders = z.strictObject({ projectRoot: text(1000), home: text(1000) });
export type AgentFolders = z.infer<typeof agentFolders>;

export const jsonObject = z.record(z.string(), z.unknown());
