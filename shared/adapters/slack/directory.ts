/** Looks up people and user groups as Slack knows them now, or knew them a few minutes ago. */
import { WebClient } from '@slack/web-api';
import type { Clock } from '../../ports/clock.ts';
import type { PeopleDirectory } from '../../ports/people.ts';
import { cachedDirectory } from './cached-directory.ts';
import { clientOptions, type OnTokenRefused } from './posting/client-options.ts';

/** A click has to be answered within three seconds: each of the two calls is made at most once for it, or at once for all who are asked. */
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
