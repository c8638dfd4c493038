/** States versions, bounds and the form of identifiers, for readers that need no schema. */

/** Version of every word that this gate writes. */
export const SCHEMA_VERSION = '2026-11-01';
/**
 * Versions of messages that this gate reads; one of another version is refused, by name. Agents state the oldest that can express their
 * message, so that gate and agents can be upgraded in any order.
 */
export const MESSAGE_VERSIONS = ['2026-11-01'] as const;
/** The version of rows and answers that state none: all that were written before a second one existed. */
export const UNSTATED_VERSION = '2026-11-01';

/** The session of a message that names none. */
export const DEFAULT_SESSION = 'main';

export const LIMITS = {
  /** Bytes of one message on the proposals queue. */
  messageBytes: 256 * 1024,
  /** Levels of objects and arrays in one message. */
  depth: 64,
  /** Calls in one proposal. */
  calls: 20,
  /** Stages of one question, and votes on it. */
  stages: 10,
  votes: 200,
  /** Agents that may stand above a session that nobody started. */
  possibleParents: 64,
  /** People who gave one approval for later. */
  givers: 20,
  /** Milliseconds after it was sent until which a proposal that states when is judged at all (D18). */
  judgedWithinMs: 24 * 60 * 60_000,
  /** Milliseconds that people may be waited for at most; `approvals.timeout` cannot be longer. */
  approvalMs: 30 * 24 * 60 * 60_000,
  /** The longest that a right given for later may hold, in milliseconds: an allow rule for all sessions, a delegated seat, a grant. */
  laterMs: 90 * 24 * 60 * 60_000,
  /** The latest end that an operator may name, in milliseconds from now: the record would forget an operation before a later end. */
  namedEndMs: 366 * 24 * 60 * 60_000,
  /** Bytes of an input that is kept in the row itself; a larger one goes to the input store (A15). */
  inlineInputBytes: 8 * 1024,
  /** Characters of one answer of a language model, so that a journal entry stays under 32 KB (A15). */
  modelAnswer: 8_000,
  /** The most entries that are counted of a person who was forgotten: so many may mean more. */
  countedEntries: 1_000,
  /** Characters that are kept of what a model was asked. */
  modelPrompt: 600,
  /** Characters of the reason of a vote, and of an answer to a question. */
  voteReason: 1_000,
  voteAnswer: 3_000,
} as const;

/** An identifier that somebody outside chose. */
export const IDENTIFIER = { max: 128, pattern: /^[A-Za-z0-9._:-]+$/ } as const;

/** As the schema `identifier` decides. */
export const isIdentifier = (value: unknown, max: number = IDENTIFIER.max): value is string =>
  typeof value === 'string' && value.length <= max && IDENTIFIER.pattern.test(value);
