/** Looks up people and user groups as Slack knows them now, or knew them a few minutes ago. */
import { WebClient } from '@slack/web-api';
import type { Clock } from '../../ports/clock.ts';
import type { PeopleDirectory } from '../../ports/people.ts';
import { cachedDirectory } from './cached-directory.ts';
import { clientOptions, type OnTokenRefused } from './posting/client-options.ts';

/** Slack wants an answer to a click within three seconds, and a click waits for at most two calls, one after the other. */
const TIMEOUT_MS = 1_000;

export function slackDirectory(
  token: string,
  slackApiUrl: string | undefined,
  clock: Clock,
  onTokenRefused?: OnTokenRefused,
): PeopleDirectory {
  const client = new WebClient(token, {
    ...clientOptions(slackApiUrl, onTokenRefused),
    retryConfig: { retries: 0 },
    timeout: TIMEOUT_MS,
  });
  const people = {
    userOf: async (user: string) => (await client.users.info({ user })).user,
    membersOf: async (usergroup: string) => (await client.usergroups.users.list({ usergroup })).users,
  };
  return cachedDirectory(people, clock);
}
