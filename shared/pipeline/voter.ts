/** From whoever clicked to a voter: which places they hold in the groups that an approval asks, and what bars them (G19, D31, D36). */
import type { Policy } from '../config/compile.ts';
import type { Approval, Person } from '../contract/index.ts';
import { groupsOf, type Seat, samePerson, type Voter } from '../domain/approval.ts';
import type { Clock } from '../ports/clock.ts';
import type { PeopleDirectory } from '../ports/people.ts';

export interface Claimant {
  readonly person: Person;
  /** As the platform wrote it; shown, never compared. */
  readonly name: string;
  readonly isBot: boolean;
}

export interface VoterGate {
  readonly policy: Policy;
  readonly people: PeopleDirectory;
  readonly clock: Clock;
}

const BARS = {
  member: undefined,
  bot: undefined,
  deactivated: 'deactivated_person',
  foreign: 'foreign_workspace',
  unknown: 'membership_unknown',
} as const;

export async function voterOf(who: Claimant, approval: Approval, gate: VoterGate): Promise<Voter> {
  const known = Object.values(gate.policy.settings.people).find(({ team, user }) =>
    samePerson({ team, user }, who.person),
  );
  const standing = await gate.people.standing(who.person);
  const places = standing === 'unknown' ? [] : await placesIn(groupsOf(approval), who.person, gate);
  const seats = places.filter((place) => place !== 'unknown');
  return {
    person: who.person,
    name: known?.name ?? who.name,
    isBot: who.isBot || standing === 'bot',
    seats,
    barred: BARS[standing] ?? (seats.length < places.length ? 'membership_unknown' : undefined),
  };
}

/** A place that the person holds, or `unknown` where Slack does not say now who is in the group. */
type Place = Seat | 'unknown';

async function placesIn(groups: readonly string[], person: Person, gate: VoterGate): Promise<Place[]> {
  const places = await Promise.all(groups.map((group) => placesInGroup(group, person, gate)));
  return places.flat();
}

async function placesInGroup(group: string, person: Person, gate: VoterGate): Promise<Place[]> {
  const members = await membersOf(group, gate);
  const delegated = delegationsTo(person, gate);
  if (delegated.some((one) => one.group === group)) return [{ group }];
  if (!members) return ['unknown'];
  const includes = (one: Person) => members.some((member) => samePerson(member, one));
  if (includes(person)) return [{ group }];
  return delegated.flatMap((one): Place[] => {
    const standsFor = one.person === undefined ? undefined : gate.policy.person(one.person);
    return standsFor && includes(standsFor) ? [{ group, standsFor }] : [];
  });
}

async function membersOf(group: string, { policy, people }: VoterGate): Promise<readonly Person[] | undefined> {
  const userGroup = policy.userGroupOf(group);
  return userGroup ? people.membersOf(userGroup) : policy.membersOf(group);
}

/** The file's delegations to this person that hold now: compared on each vote, so that an end date needs nobody to act. */
function delegationsTo(person: Person, { policy, clock }: VoterGate) {
  const now = clock.now();
  return policy.settings.delegations.filter(
    ({ to, from, until }) =>
      samePerson(policy.person(to), person) &&
      (from === undefined || now >= Date.parse(from)) &&
      now < Date.parse(until),
  );
}
