/** Names who can answer a question now, as far as cards and messages name them. */
import type { Person } from '../contract/index.ts';

/** `mention`: named so that Slack notifies them; `dm`: by a direct message; `none`: not at all. */
type Notify = 'mention' | 'dm' | 'none';

export interface Answerer {
  readonly person: Person;
  /** As the policy file calls them. */
  readonly name: string;
  readonly notify: Notify;
}

/** The answerers of one group. A person in two groups is listed in the first. */
export interface AskedGroup {
  readonly group: string;
  /** Where the group's card is. */
  readonly channel: string;
  readonly people: readonly Answerer[];
  /** A Slack user group that is mentioned as a whole: all its members can answer, or Slack cannot tell its members now. */
  readonly userGroup?: string | undefined;
  /** Members of that user group, as far as they are known. */
  readonly members?: readonly Person[] | undefined;
  /** True: a member passed the question on, and is asked no more, but could still answer. */
  readonly isPassedOn?: boolean | undefined;
}

export type Audience = readonly AskedGroup[];
