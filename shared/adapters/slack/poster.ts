/** Posts and updates cards through Slack's Web API; says plainly what a failure means for the message that asked for it (A22). */
import { ErrorCode, WebClient, type WebClientOptions } from '@slack/web-api';
import type { Card } from '../../ports/approval-store.ts';
import type { RenderedCard } from './card.ts';

export interface SlackPoster {
  post(channel: string, card: RenderedCard): Promise<Card>;
  update(at: Card, card: RenderedCard): Promise<void>;
  say(channel: string, text: string): Promise<void>;
}

/** Slack asks to wait: the message is to be seen again after this many seconds. */
export class SlackBusyError extends Error {
  readonly retryAfterSeconds: number;
  constructor(retryAfterSeconds: number, options?: ErrorOptions) {
    super(`Slack asks to wait ${retryAfterSeconds} s`, options);
    this.name = 'SlackBusyError';
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** Slack will never take this: the message is gone, or the card is not one. Trying again would only hold up its channel. */
export class SlackRefusedError extends Error {
  /** Slack's own word, such as `invalid_blocks`. */
  readonly reason: string;
  constructor(reason: string, options?: ErrorOptions) {
    super(`Slack refused the message: ${reason}`, options);
    this.name = 'SlackRefusedError';
    this.reason = reason;
  }
}

/** Of Slack's answers, those that no waiting mends. A missing channel, a revoked token or an outage may be mended while the card waits. */
const FINAL = new Set([
  'invalid_blocks',
  'invalid_blocks_format',
  'invalid_arguments',
  'msg_too_long',
  'msg_blocks_too_long',
  'no_text',
  'message_not_found',
  'cant_update_message',
  'edit_window_closed',
]);

/** Options for a client inside a function: it must not retry for the half hour that is its default. */
export const clientOptions = (slackApiUrl: string | undefined): WebClientOptions => ({
  ...(slackApiUrl ? { slackApiUrl } : {}),
  retryConfig: { retries: 2, minTimeout: 100, maxTimeout: 1_000 },
  rejectRateLimitedCalls: true,
  timeout: 5_000,
});

export function slackPoster(token: string, slackApiUrl: string | undefined): SlackPoster {
  const client = new WebClient(token, clientOptions(slackApiUrl));
  return {
    async post(channel, { text, blocks }) {
      const sent = await heeding(() =>
        client.chat.postMessage({ channel, text, blocks, unfurl_links: false, unfurl_media: false }),
      );
      if (!sent.ts || !sent.channel) throw new Error('Slack answered without naming the message');
      return { channel: sent.channel, ts: sent.ts };
    },
    async update({ channel, ts }, { text, blocks }) {
      await heeding(() => client.chat.update({ channel, ts, text, blocks }));
    },
    async say(channel, text) {
      await heeding(() => client.chat.postMessage({ channel, text, mrkdwn: false, unfurl_links: false }));
    },
  };
}

async function heeding<Result>(call: () => Promise<Result>): Promise<Result> {
  try {
    return await call();
  } catch (error) {
    if (isRateLimited(error)) throw new SlackBusyError(error.retryAfter, { cause: error });
    const reason = answerOf(error);
    if (reason !== undefined && FINAL.has(reason)) throw new SlackRefusedError(reason, { cause: error });
    throw error;
  }
}

const isRateLimited = (error: unknown): error is { readonly retryAfter: number } =>
  error instanceof Error && 'code' in error && error.code === ErrorCode.RateLimitedError;

/** What Slack answered, if it answered. */
function answerOf(error: unknown): string | undefined {
  const { data } = error instanceof Error ? (error as { data?: { error?: unknown } }) : {};
  return typeof data?.error === 'string' ? data.error : undefined;
}
