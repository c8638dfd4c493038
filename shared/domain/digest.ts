/**
 * Makes canonical JSON, and digests of it.
 * Every key is a whole SHA-256 over length-delimited fields.
 */
import { createHmac, createSecretKey, hash, type KeyObject } from 'node:crypto';
import canonicalize from 'canonicalize';
import { refuseOpaque } from './json-form.ts';

/** RFC 8785 text of a JSON value. Throws `TypeError` on a value that JSON cannot hold, and on one whose text would leave out what it holds. */
export function canonicalJson(value: unknown): string {
  refuseOpaque(value);
  const text = canonicalize(value);
  if (text === undefined) throw new TypeError('the value has no JSON form');
  return text;
}

/** Lower-case hex SHA-256 of a text (UTF-8) or of bytes. */
export function sha256Hex(data: string | Uint8Array): string {
  return hash('sha256', data);
}

/** Joins fields so that no two lists of fields give the same text: each is preceded by its length in UTF-8 bytes. */
export function lengthDelimited(fields: readonly string[]): string {
  return fields.map((field) => `${Buffer.byteLength(field)}:${field}`).join('');
}

/** The key of a proposal everywhere: who sent it to which deployment under which id. */
export function pidOf(deployment: string, agent: string, proposalId: string): string {
  return sha256Hex(lengthDelimited([deployment, agent, proposalId]));
}

/**
 * Names every run of one call: a tool that is given it twice does its work once. Made of the permit's id, which only the call's own agent
 * reads: an agent that could compute another's key would state it, and have that agent's call taken for one that was done.
 */
export const idempotencyKeyOf = ({ permitId }: { readonly permitId: string }): string =>
  sha256Hex(lengthDelimited(['idempotency', permitId])).slice(0, 32);

/** A UUID made of a hex digest: the same digest, the same id (RFC 9562, version 8). */
export function uuidFrom(digest: string): string {
  const variant = ((Number.parseInt(digest.charAt(16), 16) & 3) | 8).toString(16);
  const parts = [digest.slice(0, 8), digest.slice(8, 12), `8${digest.slice(13, 16)}`, variant + digest.slice(17, 20)];
  return [...parts, digest.slice(20, 32)].join('-');
}

/** A call as an approval, a permit and an executor agree on it: another tool, input or folder is another action. */
export interface DigestedAction {
  readonly toolName: string;
  readonly input: unknown;
  readonly cwd?: string | undefined;
  /** The session of a sub-agent that it starts: what it leads to is part of what is approved. */
  readonly starts?: { readonly agentId: string; readonly sessionId: string } | undefined;
}

/** Binds an action of an action space to a decision or a vote about it: SHA-256 of its RFC 8785 form. */
export const choiceDigest = (action: Readonly<Record<string, unknown>>): string => sha256Hex(canonicalJson(action));

/** SHA-256 of the RFC 8785 form of the real action (D24). Given to the agent and the executor, never stored. */
export function actionDigest({ toolName, input, cwd, starts }: DigestedAction): string {
  return sha256Hex(canonicalJson({ tool: toolName, input, cwd: cwd ?? null, ...(starts ? { starts } : {}) }));
}

/** The form of a digest that is stored or logged: keyed, so that a guessed input cannot be confirmed from it (D24). */
export function auditDigest(digest: string, key: string | Uint8Array): string {
  return createHmac('sha256', keyObjectOf(key)).update(digest).digest('hex');
}

/** A process has one key, and Node takes longer to prepare it than to use it. */
let prepared: { readonly key: string | Uint8Array; readonly object: KeyObject } | undefined;

function keyObjectOf(key: string | Uint8Array): KeyObject {
  if (prepared?.key !== key)
    prepared = { key, object: createSecretKey(typeof key === 'string' ? Buffer.from(key) : key) };
  return prepared.object;
}
