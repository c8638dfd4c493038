/** Reads the people, groups and channels of a policy file by their names. */
import type { Person } from '../../contract/index.ts';
import { CANARY, CANARY_APPROVER, CANARY_CHANNEL, CANARY_OWNER } from '../../domain/canary.ts';
import { ownValue } from '../../domain/own.ts';
import type { PolicyFile } from '../schema/policy-file.ts';

export interface PolicyPeople {
  readonly settings: PolicyFile;
  person(name: string): Person;
  membersOf(group: string): readonly Person[];
  channelOf(group: string): { readonly team: string; readonly id: string };
  /** The Slack user group of a group that has one instead of members. */
  userGroupOf(group: string): { readonly team: string; readonly id: string } | undefined;
}

/** @throws Error, when asked for it, for a name that the file does not declare. `settings`: without prototypes. */
export function peopleOf(settings: PolicyFile): PolicyPeople {
  const person = (name: string): Person => {
    if (name === CANARY) return CANARY_OWNER;
    const { team, user } = known(settings.people, name, 'person');
    return { team, user };
  };
  const channelOf = (name: string) =>
    name === CANARY
      ? CANARY_CHANNEL
      : known(settings.channels, known(settings.approvers, name, 'group of approvers').channel, 'channel');
  return {
    settings,
    person,
    channelOf,
    membersOf: (name) => (name === CANARY ? [CANARY_APPROVER] : (settings.approvers[name]?.members?.map(person) ?? [])),
    userGroupOf(name) {
      const id = settings.approvers[name]?.userGroup;
      return id === undefined ? undefined : { team: channelOf(name).team, id };
    },
  };
}

function known<Value>(map: Readonly<Record<string, Value>>, name: string, what: string): Value {
  const value = ownValue(map, name);
  if (value === undefined) throw new Error(`no ${what} is named ${name}`);
  return value;
}
