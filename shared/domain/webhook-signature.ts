/** How a request to somebody else's endpoint is signed, so that the receiver can trust it. */
import { createHmac } from 'node:crypto';

/** HMAC-SHA-256 over `v1:<seconds>:<body>`; the receiver computes the same. */
export function webhookSignature(secret: string, seconds: number, body: string): string {
  return `v1=${createHmac('sha256', secret).update(`v1:${seconds}:${body}`).digest('hex')}`;
}

/** The headers of a JSON request with its signature and the time that it covers. */
export function signedHeaders(secret: string, nowMs: number, body: string): Record<string, string> {
  const seconds = Math.floor(nowMs / 1000);
  return {
    'content-type': 'application/json',
    'x-countersign-timestamp': String(seconds),
    'x-countersign-signature': webhookSignature(secret, seconds, body),
  };
}
