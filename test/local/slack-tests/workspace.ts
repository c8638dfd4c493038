/** Makes a small workspace for tests of the local Slack, and a real web client that talks to it. */
import { LogLevel, WebClient } from '@slack/web-api';
import { type LocalSlack, startLocalSlack } from '../slack/server.ts';
import type { LocalSlackOptions } from '../slack/types.ts';

export const SECRET = 'local-signing-secret';
export const TOKEN = 'xoxb-local-test';
export const TEAM = 'T0LOCAL';
export const BOT = 'U0BOT';
export const ANN = 'U0ANN';
export const BEN = 'U0BEN';
export const GENERAL = 'C0GENERAL';

export function startWorkspace(changes: Partial<LocalSlackOptions> = {}): Promise<LocalSlack> {
  return startLocalSlack({
    signingSecret: SECRET,
    botToken: TOKEN,
    appId: 'A0LOCAL',
    appName: 'Bakery Bot',
    teamId: TEAM,
    teamName: 'Bakery',
    botUserId: BOT,
    users: [
      { id: ANN, name: 'ann', realName: 'Ann Miller' },
      { id: BEN, name: 'ben', realName: 'Ben Okafor' },
      { id: 'U0EVE', name: 'eve', realName: 'Eve Outside', teamId: 'T0OTHER' },
      { id: 'U0GONE', name: 'gone', realName: 'Gone Person', deleted: true },
    ],
    channels: [
      { id: GENERAL, name: 'general', members: [ANN, BEN, BOT] },
      { id: 'C0AWAY', name: 'away', members: [ANN] },
      { id: 'C0SECRET', name: 'secret', members: [ANN], isPrivate: true },
    ],
    userGroups: [
      { id: 'S0BAKERS', handle: 'bakers', users: [ANN, BEN] },
      { id: 'S0OLD', handle: 'old', users: [], disabled: true },
    ],
    ...changes,
  });
}

export function webClient(slack: LocalSlack, token: string = TOKEN): WebClient {
  return new WebClient(token, {
    slackApiUrl: slack.apiUrl,
    retryConfig: { retries: 0 },
    rejectRateLimitedCalls: true,
    logLevel: LogLevel.ERROR,
  });
}

/** The error code of a call that has to fail. */
export async function errorOf(call: Promise<unknown>): Promise<string> {
  try {
    await call;
  } catch (error) {
    const { data, code } = error as { data?: { error?: string }; code?: string };
    return data?.error ?? code ?? String(error);
  }
  throw new Error('the call went through');
}
