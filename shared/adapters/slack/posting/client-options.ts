/** Sets up clients of Slack's Web API that run inside a function. */
import type { WebClientOptions } from '@slack/web-api';
import { refusesToken } from './errors.ts';

/** Told once Slack has answered that it takes the token no more: somebody may have put another one in its place. */
export type OnTokenRefused = () => Promise<unknown>;

/** Options for a client inside a function: it must not retry for the half hour that is its default. */
export const clientOptions = (slackApiUrl: string | undefined, onTokenRefused?: OnTokenRefused): WebClientOptions => ({
  ...(slackApiUrl ? { slackApiUrl } : {}),
  ...(onTokenRefused ? { fetch: tellingOfTokens(onTokenRefused) } : {}),
  retryConfig: { retries: 2, minTimeout: 100, maxTimeout: 1_000 },
  rejectRateLimitedCalls: true,
  timeout: 5_000,
});

const tellingOfTokens =
  (onTokenRefused: OnTokenRefused): NonNullable<WebClientOptions['fetch']> =>
  async (url, init) => {
    const answer = await fetch(url, init);
    const { error } = ((await answer
      .clone()
      .json()
      .catch(() => undefined)) ?? {}) as { readonly error?: unknown };
    if (refusesToken(error)) await onTokenRefused();
    return answer;
  };
