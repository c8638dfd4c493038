/** Finds the seats that people hold today, as members or by delegation, and the owners of agents. */
import type { PolicyPeople } from '../../config/readers/people-of.ts';
import type { Person } from '../../contract/index.ts';
import { type Seat, samePerson } from '../../domain/approval/approval.ts';
import type { Clock } from '../../ports/clock.ts';
import type { AccountStatus, PeopleDirectory } from '../../ports/people.ts';
import type { DelegationStore } from '../../ports/stores/delegation-store.ts';
import { delegationHolds } from './delegation.ts';

export interface VoterDependencies {
  readonly policy: PolicyPeople;
  readonly people: PeopleDirectory;
  readonly delegations: Pick<DelegationStore, 'read'>;
  readonly clock: Clock;
}

/** Today's owner of each of these agents. An agent that the file no longer lists has none. */
export const ownersOf = (agents: readonly string[], { settings, person }: PolicyPeople): Person[] =>
  agents.flatMap((agent) => {
    const owner = Object.hasOwn(settings.agents, agent) ? settings.agents[agent]?.owner : undefined;
    return owner === undefined ? [] : [person(owner)];
  });

/** Somebody who acts, and the Slack workspace that their request came from, where it names one. */
export interface Actor {
  readonly person: Person;
  readonly workspace?: string | undefined;
}

/**
 * The account's status as it counts for votes. A guest counts as a member only if the policy file names the guest: people who edit user groups may
 * add guests to them, but they cannot add anybody to the file. A person who acts in a workspace that the file does not
 * name is foreign there, whatever the account is at home (G19).
 */
export async function voterStatus(
  { person, workspace }: Actor,
  { people, policy }: Pick<VoterDependencies, 'people' | 'policy'>,
): Promise<AccountStatus> {
  if (workspace !== undefined && !namesWorkspace(workspace, policy)) return 'foreign';
  const status = await people.accountStatus(person);
  const isNamed = () => Object.values(policy.settings.people).some((one) => samePerson(one, person));
  return status === 'guest' && isNamed() ? 'member' : status;
}

/**
 * The account of whoever acts. A command or an event names the workspace that it came from; the policy file may list the account with another one of
 * the organisation. Slack says whether the account is there. From within a workspace that the file does not name, nobody acts as a listed account (G19).
 */
export async function accountOf(
  person: Person,
  { people, policy }: Pick<VoterDependencies, 'people' | 'policy'>,
): Promise<Person> {
  const listed = Object.values(policy.settings.people).filter(({ user }) => user === person.user);
  if (!listed.length || listed.some((one) => samePerson(one, person))) return person;
  if (!namesWorkspace(person.team, policy)) return person;
  if ((await people.accountStatus(person)) !== 'foreign') return person;
  for (const { team, user } of listed)
    if (!['foreign', 'unknown'].includes(await people.accountStatus({ team, user }))) return { team, user };
  return person;
}

/** Whether people or channels of the policy file are of this Slack workspace. */
export const namesWorkspace = (workspace: string, { settings: { people, channels } }: PolicyPeople): boolean =>
  [...Object.values(people), ...Object.values(channels)].some(({ team }) => team === workspace);

/** A seat that the person holds, or `unknown` where Slack cannot tell the group's members now. */
type EligibleSeat = Seat | 'unknown';

/** The groups of the policy file that the person is in. A group whose members are not known now does not count. */
export async function groupsOfPerson(
  person: Person,
  deps: Pick<VoterDependencies, 'policy' | 'people'>,
): Promise<string[]> {
  const groups = Object.keys(deps.policy.settings.approvers);
  const members = await Promise.all(groups.map((group) => membersOf(group, deps)));
  return groups.filter((_, index) => members[index]?.some((member) => samePerson(member, person)));
}

/** The person's seats in a group: their own, or else those that absent members delegated to them. */
export async function seatsInGroup(group: string, person: Person, deps: VoterDependencies): Promise<EligibleSeat[]> {
  const members = await membersOf(group, deps);
  const includes = (one: Person) => members?.some((member) => samePerson(member, one)) === true;
  if (includes(person) || groupsGivenTo(person, deps).includes(group)) return [{ group }];
  if (!members) return ['unknown'];
  const absent = await seatsDelegatedTo(person, deps);
  return absent.filter(includes).map((standsFor): EligibleSeat => ({ group, standsFor }));
}

/** Everybody who has delegated their seats to this person, in the policy file or since by people and operators. */
export const seatsDelegatedTo = async (person: Person, deps: VoterDependencies): Promise<Person[]> => [
  ...seatsGrantedTo(person, deps),
  ...(await seatsArrangedFor(person, deps)),
];

export async function seatsIn(
  groups: readonly string[],
  person: Person,
  deps: VoterDependencies,
): Promise<EligibleSeat[]> {
  const seats = await Promise.all(groups.map((group) => seatsInGroup(group, person, deps)));
  return seats.flat();
}

export async function membersOf(
  group: string,
  { policy, people }: Pick<VoterDependencies, 'policy' | 'people'>,
): Promise<readonly Person[] | undefined> {
  const userGroup = policy.userGroupOf(group);
  return userGroup ? people.membersOf(userGroup) : policy.membersOf(group);
}

/** The file's delegations to this person that hold now: compared on each vote, so that an end date needs nobody to act. */
const delegationsTo = (person: Person, { policy, clock }: VoterDependencies) =>
  policy.settings.delegations.filter(
    (one) => samePerson(policy.person(one.to), person) && delegationHolds(one, clock.now()),
  );

export const groupsGivenTo = (person: Person, deps: VoterDependencies): string[] =>
  delegationsTo(person, deps).flatMap(({ group }) => group ?? []);

const seatsGrantedTo = (person: Person, deps: VoterDependencies): Person[] =>
  delegationsTo(person, deps).flatMap((one) => (one.person === undefined ? [] : deps.policy.person(one.person)));

/** Delegations that people and operators made since: read only for somebody who has no seat of their own. */
async function seatsArrangedFor(person: Person, { delegations, clock }: VoterDependencies): Promise<Person[]> {
  const now = clock.now();
  return (await delegations.read()).delegations
    .filter((one) => samePerson(one.to, person) && delegationHolds(one, now))
    .map((one) => one.person);
}
