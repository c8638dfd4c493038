/** Checks the signature of a request to AWS by the published steps, with nothing of the SDK. */
import { createHash, createHmac } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

interface SignedRequest {
  readonly method: string;
  /** With its query, as it was sent. */
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

const ALGORITHM = 'AWS4-HMAC-SHA256';
const FORM =
  /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/([^/]+)\/aws4_request, SignedHeaders=([\w;-]+), Signature=([0-9a-f]{64})$/;
/** Headers whose change would change the request. */
const BOUND = ['host', 'x-amz-date'];

export interface Scope {
  readonly accessKeyId: string;
  readonly region: string;
  readonly service: string;
}

/** The scope of a request that says it is signed; undefined for any other. */
export function scopeOf({ authorization = '' }: IncomingHttpHeaders): Scope | undefined {
  const [, accessKeyId, , region, service] = FORM.exec(authorization) ?? [];
  return accessKeyId && region && service ? { accessKeyId, region, service } : undefined;
}

/** The problem of a signature; undefined if it is right for these keys. */
export function signatureProblem(request: SignedRequest, secretAccessKey: string): string | undefined {
  const { headers, body } = request;
  const match = FORM.exec(headers.authorization ?? '');
  if (!match) return 'Missing Authentication Token';
  const [, , day = '', region = '', service = '', named = '', signature = ''] = match;
  const names = named.split(';');
  const missing = [...BOUND, ...('x-amz-security-token' in headers ? ['x-amz-security-token'] : [])].find(
    (name) => !names.includes(name),
  );
  if (missing) return `${missing} is not signed`;
  const time = String(headers['x-amz-date']);
  if (!time.startsWith(day)) return 'the day of the scope is not the date’s';
  const canonical = [
    request.method,
    // Every service but S3 encodes the path once more than it is sent.
    (request.url.split('?')[0] ?? '').split('/').map(encodeURIComponent).join('/'),
    request.url.split('?')[1] ?? '',
    ...names.map((name) => `${name}:${String(headers[name] ?? '').trim()}`),
    '',
    named,
    sha256(body),
  ].join('\n');
  const scope = [day, region, service, 'aws4_request'];
  const toSign = [ALGORITHM, time, scope.join('/'), sha256(canonical)].join('\n');
  const key = scope.reduce<Buffer | string>((secret, part) => hmac(secret, part), `AWS4${secretAccessKey}`);
  return hmac(key, toSign).toString('hex') === signature ? undefined : 'The request signature does not match';
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
const hmac = (key: Buffer | string, text: string): Buffer => createHmac('sha256', key).update(text).digest();
