/** Lets only a POST of Slack in, signed over its raw bytes. */
import type { LambdaFunctionURLEvent, LambdaFunctionURLResult } from 'aws-lambda';
import { verifySignature } from '../../shared/adapters/slack/signature.ts';
import type { Clock } from '../../shared/ports/clock.ts';
import type { CachedSecrets } from '../runtime/clients/slack-secrets.ts';
import { count, faultName, log, logFault } from '../runtime/telemetry/observe.ts';
import type { VerifiedRequest } from './app.ts';

const MAX_BYTES = 256 * 1024;
const TELL_EVERY_MS = 1_000;
/** Slack waits this long for an answer. */
const SLACK_WAITS_MS = 3_000;

interface VerifierDependencies {
  readonly secrets: CachedSecrets;
  readonly clock: Clock;
  /** Answers a verified request, and loads its code only then. */
  answer(request: VerifiedRequest): Promise<LambdaFunctionURLResult>;
}

export function answerVerified({ secrets, clock, answer }: VerifierDependencies) {
  const refuse = refusing(clock);
  /** The platform's own time of the request: a cold start is part of what Slack waits for. */
  const sinceRequest = (timeEpoch: number | undefined): number =>
    timeEpoch ? Math.max(0, clock.now() - timeEpoch) : 0;
  return async (event: LambdaFunctionURLEvent): Promise<LambdaFunctionURLResult> => {
    // A link that a program follows or prefetches speaks for nobody.
    if (event.requestContext.http.method !== 'POST') return refuse('method', 405);
    const body = Buffer.from(event.body ?? '', event.isBase64Encoded ? 'base64' : 'utf8');
    if (body.byteLength > MAX_BYTES) return refuse('too_large', 413);
    try {
      const why = await problemOf(event.headers, body, secrets, clock);
      if (why) return refuse(why, 401);
    } catch (error) {
      return refuse(faultName(error), 500, error);
    }
    const { timeEpoch } = event.requestContext;
    try {
      const answered = await answer({ body: body.toString('utf8'), headers: event.headers });
      count('ClickAck', sinceRequest(timeEpoch));
      return answered;
    } catch (error) {
      logFault('a verified request could not be answered', error, { run: true });
      // Slack shows an error at once, as it does after its own time-out.
      count('ClickAck', Math.max(SLACK_WAITS_MS, sinceRequest(timeEpoch)));
      return { statusCode: 500, body: '' };
    }
  };
}

/** Says why a request is not Slack's; undefined for one that is. */
async function problemOf(
  headers: LambdaFunctionURLEvent['headers'],
  body: Buffer,
  secrets: CachedSecrets,
  clock: Clock,
): Promise<string | undefined> {
  const { signingSecrets } = await secrets.get();
  const first = verifySignature(headers, body, signingSecrets, clock.now());
  if (first.ok) return undefined;
  if (first.why !== 'signature' || !(await secrets.refresh())) return first.why;
  const again = verifySignature(headers, body, (await secrets.get()).signingSecrets, clock.now());
  return again.ok ? undefined : again.why;
}

/** Writes at most one log line and one metric a second, with the count since the last: a flood cannot fill the log. */
function refusing(clock: Clock) {
  let lastTold = Number.NEGATIVE_INFINITY;
  let untold = 0;
  return (why: string, statusCode: number, fault?: unknown): LambdaFunctionURLResult => {
    untold += 1;
    const now = clock.now();
    if (now - lastTold >= TELL_EVERY_MS) {
      count('ForgedRequests', untold);
      const ids = { unverified: true, why, statusCode, refused: untold } as const;
      if (fault === undefined) log('warn', 'a request was refused before its signature was verified', ids);
      else logFault('no request can be verified', fault, ids);
      lastTold = now;
      untold = 0;
    }
    return { statusCode, body: '' };
  };
}
