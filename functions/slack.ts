/** Slack's requests. The raw bytes are verified before anything else is loaded or parsed (A23); only then comes Bolt. */
import type { LambdaFunctionURLEvent, LambdaFunctionURLResult } from 'aws-lambda';
import { verifySignature } from '../shared/adapters/slack/signature.ts';
import { systemClock } from '../shared/ports/clock.ts';
import { readEnv } from './runtime/env.ts';
import { count, faultName, logger } from './runtime/observe.ts';
import { observing } from './runtime/observing.ts';
import { slackSecrets } from './runtime/secrets.ts';

const env = readEnv('slack');
const secrets = slackSecrets(env.SLACK_SECRET, systemClock);
const MOST_BYTES = 256 * 1024;
const TELL_EVERY_MS = 1_000;
let lastTold = Number.NEGATIVE_INFINITY;
let untold = 0;

export const handler = observing<LambdaFunctionURLEvent, LambdaFunctionURLResult>(async (event) => {
  const body = Buffer.from(event.body ?? '', event.isBase64Encoded ? 'base64' : 'utf8');
  if (body.byteLength > MOST_BYTES) return refuse('too_large', 413);
  try {
    const why = await verify(event.headers, body);
    if (why) return refuse(why, 401);
  } catch (error) {
    return refuse(faultName(error), 500);
  }
  try {
    const { answer } = await import('./slack/app.ts');
    const { botToken } = await secrets.get();
    return await answer({ body: body.toString('utf8'), headers: event.headers }, env, botToken);
  } catch (error) {
    logger.error('a verified request could not be answered', { fault: faultName(error) });
    return { statusCode: 500, body: '' };
  }
});

async function verify(headers: LambdaFunctionURLEvent['headers'], body: Buffer): Promise<string | undefined> {
  const { signingSecrets } = await secrets.get();
  const first = verifySignature(headers, body, signingSecrets, systemClock.now());
  if (first.ok) return undefined;
  if (first.why !== 'signature' || !(await secrets.refresh())) return first.why;
  const again = verifySignature(headers, body, (await secrets.get()).signingSecrets, systemClock.now());
  return again.ok ? undefined : again.why;
}

/** One log line and one metric a second at most, the metric with all since the last: nothing that a flood could fill (A23). */
function refuse(why: string, statusCode: number): LambdaFunctionURLResult {
  untold += 1;
  const now = systemClock.now();
  if (now - lastTold >= TELL_EVERY_MS) {
    count('ForgedRequests', untold);
    logger.warn('a request was refused before its signature was verified', { why, statusCode, refused: untold });
    lastTold = now;
    untold = 0;
  }
  return { statusCode, body: '' };
}
