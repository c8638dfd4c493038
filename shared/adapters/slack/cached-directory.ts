/**
 * Caches what Slack says of people and user groups for a few minutes, in one process.
 *
 * A person or group that cannot be found counts against the vote.
 */
import type { UsersInfoResponse } from '@slack/web-api';
import type { Person } from '../../contract/approval.ts';
import type { Clock } from '../../ports/clock.ts';
import type { AccountStatus, PeopleDirectory } from '../../ports/people.ts';

/** Somebody who left, or left a group, may vote for so long at most. */
const KEEP_MS = 5 * 60_000;
/** Slack limits both calls: after one that failed it is left alone for a moment. */
const KEEP_FAILURE_MS = 5_000;
const MAX_CACHED = 1_000;

/** Slack's answers of this moment. Rejects where there is none. */
export interface SlackPeople {
  userOf(user: string): Promise<UsersInfoResponse['user']>;
  /** User ids. */
  membersOf(userGroup: string): Promise<readonly string[] | undefined>;
}

export function cachedDirectory(slack: SlackPeople, clock: Clock): PeopleDirectory {
  const accounts = cache<Account>(clock, ({ status }) => status !== 'unknown');
  const groups = cache<readonly Person[] | undefined>(clock, (members) => members !== undefined);
  const accountOf = (person: Person) =>
    accounts(
      `${person.team}/${person.user}`,
      async () => {
        const user = await slack.userOf(person.user);
        return user?.id === person.user ? { status: statusOf(user, person), name: user.name } : UNKNOWN;
      },
      UNKNOWN,
    );
  return {
    accountStatus: async (person) => (await accountOf(person)).status,
    nameOf: async (person) => (await accountOf(person)).name,
    membersOf: ({ team, id }) =>
      groups(`${team}/${id}`, async () => (await slack.membersOf(id))?.map((user) => ({ team, user })), undefined),
  };
}

interface Account {
  readonly status: AccountStatus;
  readonly name?: string | undefined;
}

const UNKNOWN: Account = { status: 'unknown' };

function statusOf(user: NonNullable<UsersInfoResponse['user']>, person: Person): AccountStatus {
  if (user.deleted) return 'deactivated';
  if (user.is_bot) return 'bot';
  if (user.team_id !== person.team || user.is_stranger) return 'foreign';
  return user.is_restricted || user.is_ultra_restricted ? 'guest' : 'member';
}

/** Remembers what was found out, and for a moment that it could not be; one question at a time for each key. */
function cache<Value>(clock: Clock, isKnown: (value: Value) => boolean) {
  const cached = new Map<string, { readonly until: number; readonly value: Promise<Value> }>();
  return (key: string, find: () => Promise<Value>, failed: Value): Promise<Value> => {
    const known = cached.get(key);
    if (known && clock.now() < known.until) return known.value;
    const value = find().catch(() => failed);
    cached.delete(key);
    cached.set(key, { until: clock.now() + KEEP_MS, value });
    for (const oldest of cached.keys()) {
      if (cached.size <= MAX_CACHED) break;
      cached.delete(oldest);
    }
    void value.then((found) => {
      if (!isKnown(found) && cached.get(key)?.value === value)
        cached.set(key, { until: clock.now() + KEEP_FAILURE_MS, value });
    });
    return value;
  };
}
