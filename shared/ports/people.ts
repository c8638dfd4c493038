/**
 * Declares the chat platform's facts about people, for votes.
 * A fact that cannot be found out counts against the vote.
 */
import type { Person } from '../contract/approval.ts';

/** `guest`: was let into some channels of the workspace, and may be in its user groups. */
export type AccountStatus = 'member' | 'guest' | 'bot' | 'deactivated' | 'foreign' | 'unknown';

export interface PeopleDirectory {
  /** Whether this account may act at all in its workspace; `unknown` if that cannot be found out now. */
  accountStatus(person: Person): Promise<AccountStatus>;
  /** As the platform calls the person now, for people to read; undefined if that cannot be found out. */
  nameOf(person: Person): Promise<string | undefined>;
  /** Members of a Slack user group; undefined if they cannot be found out now. */
  membersOf(userGroup: { readonly team: string; readonly id: string }): Promise<readonly Person[] | undefined>;
}

/** Where there is no platform to ask: people of the policy file are who they are, and nobody is in a user group. */
export const NO_DIRECTORY: PeopleDirectory = {
  accountStatus: async () => 'member',
  nameOf: async () => undefined,
  membersOf: async () => undefined,
};
