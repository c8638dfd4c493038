/** Verifies the signature of an AWS request, so that the keys of one agent cannot speak for another. */
import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { ownValue } from '../../domain/own.ts';

/** One HTTP request as it arrived. */
export interface SignedRequest {
  readonly method: string;
  /** Path and query as sent. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: Uint8Array;
}

/** As AWS allows between the clocks of both sides. */
const MAX_SKEW_MS = 5 * 60_000;

const AUTHORIZATION =
  /^AWS4-HMAC-SHA256 Credential=([^/,\s]+)\/(\d{8})\/([\w-]+)\/([\w-]+)\/aws4_request, ?SignedHeaders=([\w;-]+), ?Signature=([0-9a-f]{64})$/;

const sha256 = (data: string | Uint8Array): string => createHash('sha256').update(data).digest('hex');
const hmac = (key: string | Uint8Array, data: string): Buffer => createHmac('sha256', key).update(data).digest();

/**
 * Signature Version 4 (docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html), for requests without a query.
 *
 * @param secretOf the secret key of an access key id; undefined for an id that nobody has
 * @returns the access key id that signed; undefined for every request that is not signed as it should be
 */
export function signerOf(
  { method, url, headers, body }: SignedRequest,
  secretOf: (accessKeyId: string) => string | undefined,
  now: number,
): string | undefined {
  const [, keyId = '', day = '', region = '', service = '', names = '', signature = ''] =
    AUTHORIZATION.exec(String(headers['authorization'] ?? '')) ?? [];
  const secret = keyId === '' ? undefined : secretOf(keyId);
  const date = String(headers['x-amz-date'] ?? '');
  const signed = names.split(';');
  // Without these the bytes could be another's, or of another day.
  if (secret === undefined || !signed.includes('host') || !signed.includes('x-amz-date')) return undefined;
  if (!date.startsWith(day) || !(Math.abs(instantOf(date) - now) <= MAX_SKEW_MS) || url.includes('?')) return undefined;
  const textOf = (name: string) => String(ownValue(headers, name) ?? '').trim();
  const lines = signed.map((name) => `${name}:${textOf(name).replace(/ +/g, ' ')}\n`);
  const path = url.split('/').map(encodeURIComponent).join('/');
  const canonical = [method, path, '', lines.join(''), names, sha256(body)].join('\n');
  const scope = `${day}/${region}/${service}/aws4_request`;
  const key = [day, region, service, 'aws4_request'].reduce<string | Buffer>(hmac, `AWS4${secret}`);
  const expected = hmac(key, ['AWS4-HMAC-SHA256', date, scope, sha256(canonical)].join('\n'));
  return timingSafeEqual(expected, Buffer.from(signature, 'hex')) ? keyId : undefined;
}

/** Milliseconds since 1970 of `20261121T090000Z`; not a number for anything else. */
function instantOf(date: string): number {
  const [, day = '', time = ''] = /^(\d{8})T(\d{6})Z$/.exec(date) ?? [];
  const apart = (text: string, sign: string) => text.match(/^\d\d(?=\d{4}$)|\d\d/g)?.join(sign) ?? '';
  return Date.parse(`${day.slice(0, 4)}-${apart(day.slice(4), '-')}T${apart(time, ':')}Z`);
}
