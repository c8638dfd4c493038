/** Signs requests as Slack's version 0 does: an HMAC over version, time stamp and raw body. */
import { createHmac } from 'node:crypto';

function signature(secret: string, timestamp: number, body: string): string {
  return `v0=${createHmac('sha256', secret).update(`v0:${timestamp}:${body}`).digest('hex')}`;
}

/** `timestamp` is in seconds since 1970. */
export function signedHeaders(secret: string, timestamp: number, body: string, type: string): Record<string, string> {
  return {
    'content-type': type,
    accept: 'application/json,*/*',
    'user-agent': 'Slackbot 1.0 (+https://api.slack.com/robots)',
    'x-slack-request-timestamp': String(timestamp),
    'x-slack-signature': signature(secret, timestamp, body),
  };
}

export const FORM = 'application/x-www-form-urlencoded';
