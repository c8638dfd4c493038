/** From whoever clicked to a voter: which places they hold in the groups that an approval asks, and what bars them (G19, D31). */
import type { Policy } from '../config/compile.ts';
import type { Approval, Person } from '../contract/index.ts';
import { groupsOf, type Seat, samePerson, type Voter } from '../domain/approval.ts';
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
}

export async function voterOf(who: Claimant, approval: Approval, gate: VoterGate): Promise<Voter> {
  const known = Object.values(gate.policy.settings.people).find(({ team, user }) =>
    samePerson({ team, user }, who.person),
  );
  const standing = await gate.people.standing(who.person);
  const seats: Seat[] = [];
  for (const group of groupsOf(approval)) {
    if (gate.policy.membersOf(group).some((member) => samePerson(member, who.person))) seats.push({ group });
  }
  const barred = {
    member: undefined,
    bot: undefined,
    deactivated: 'deactivated_person',
    foreign: 'foreign_workspace',
    unknown: 'membership_unknown',
  } as const;
  return {
    person: who.person,
    name: known?.name ?? who.name,
    isBot: who.isBot || standing === 'bot',
    seats: standing === 'unknown' ? [] : seats,
    barred: barred[standing],
  };
}
