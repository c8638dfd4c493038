/**
 * Signs requests to somebody else's endpoint, so that the receiver can trust them.
 *
 * Signs as Standard Webhooks does, and as before it.
 */
import { createHmac } from 'node:crypto';
import { sha256Hex } from '../digest.ts';
import { text } from '../settings.ts';

/** HMAC-SHA-256 over `v1:<seconds>:<body>`; the receiver computes the same. */
export function webhookSignature(secret: string, seconds: number, body: string): string {
  text(secret, 'secret');
  return `v1=${createHmac('sha256', secret).update(`v1:${seconds}:${body}`).digest('hex')}`;
}

/** A message, as its signature covers it. */
interface WebhookMessage {
  /** The same for every try of a message. */
  readonly id: string;
  readonly seconds: number;
  readonly body: string;
}

/** The headers of [Standard Webhooks](https://www.standardwebhooks.com): a signature for each key of the secret, so that keys can change. */
export function standardHeaders(secret: string, { id, seconds, body }: WebhookMessage): Record<string, string> {
  const signed = `${id}.${seconds}.${body}`;
  return {
    'webhook-id': id,
    'webhook-timestamp': String(seconds),
    'webhook-signature': keysOf(secret)
      .map((key) => `v1,${createHmac('sha256', key).update(signed).digest('base64')}`)
      .join(' '),
  };
}

/** Whether every key of the secret has bytes: with an empty one everybody can sign. */
export function canSign(secret: string): boolean {
  const words = secret.trim().split(/\s+/);
  return words.every((word) => word !== '' && word !== PREFIX) && keysOf(secret).every((key) => key.length > 0);
}

const PREFIX = 'whsec_';

/** `whsec_` and base64, several with blanks between; any other text is one key, byte by byte. */
function keysOf(secret: string): readonly (string | Uint8Array)[] {
  const words = secret.trim().split(/\s+/);
  if (!words.every((word) => word.startsWith(PREFIX) && word.length > PREFIX.length)) return [secret];
  return words.map((word) => Buffer.from(word.slice(PREFIX.length), 'base64'));
}

/**
 * The headers of a JSON request with its signatures and the time that they cover.
 *
 * @param id of the message; default: one of this body at this time
 */
export function signedHeaders(
  secret: string,
  nowMs: number,
  body: string,
  id = messageIdOf(`${nowMs}.${body}`),
): Record<string, string> {
  const seconds = Math.floor(nowMs / 1000);
  return {
    'content-type': 'application/json',
    'x-countersign-timestamp': String(seconds),
    'x-countersign-signature': webhookSignature(secret, seconds, body),
    ...standardHeaders(secret, { id, seconds, body }),
  };
}

/** An id for a message that is known by its text alone. */
export const messageIdOf = (text: string): string => `msg_${sha256Hex(text).slice(0, 32)}`;
