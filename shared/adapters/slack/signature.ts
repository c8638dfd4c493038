/** Checks Slack's request signature over the raw bytes, before anything is parsed. */
import { createHmac, timingSafeEqual } from 'node:crypto';

/** Largest difference between Slack's clock and ours, either way, in seconds. */
const SKEW_S = 300;

type Verified = { readonly ok: true } | { readonly ok: false; readonly why: 'missing' | 'time' | 'signature' };

/**
 * Checks `v0=HMAC-SHA256(secret, "v0:<timestamp>:<body>")`. Any of `secrets` may have signed: the current one, and the pending one
 * during a rotation. `now` in milliseconds. @throws Error if there is no secret to check with.
 */
export function verifySignature(
  headers: Readonly<Record<string, string | undefined>>,
  body: Uint8Array,
  secrets: readonly string[],
  now: number,
): Verified {
  if (!secrets.length || secrets.some((secret) => secret.length === 0))
    throw new Error('the signing secret is missing or empty');
  const timestamp = headers['x-slack-request-timestamp'];
  const signature = headers['x-slack-signature'];
  if (!timestamp || !signature) return { ok: false, why: 'missing' };
  if (!/^\d{1,12}$/.test(timestamp)) return { ok: false, why: 'time' };
  if (Math.abs(now / 1000 - Number(timestamp)) > SKEW_S) return { ok: false, why: 'time' };
  const given = Buffer.from(signature);
  const matches = secrets.map((secret) => {
    const expected = Buffer.from(
      `v0=${createHmac('sha256', secret).update(`v0:${timestamp}:`).update(body).digest('hex')}`,
    );
    return expected.length === given.length && timingSafeEqual(expected, given);
  });
  return matches.includes(true) ? { ok: true } : { ok: false, why: 'signature' };
}
