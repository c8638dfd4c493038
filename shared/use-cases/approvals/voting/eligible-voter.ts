/** Turns whoever clicked into a voter: the seats they hold, and what bars them. */
import type { Approval, Person } from '../../../contract/index.ts';
import { groupsOf, type Voter } from '../../../domain/approval/approval.ts';
import { ownersOf, seatsIn, type VoterDependencies } from '../../people/seats.ts';

export interface Claimant {
  readonly person: Person;
  readonly isBot: boolean;
}

const BARS = {
  member: undefined,
  bot: undefined,
  deactivated: 'deactivated_person',
  foreign: 'foreign_workspace',
  unknown: 'membership_unknown',
} as const;

export async function voterOf(who: Claimant, approval: Approval, deps: VoterDependencies): Promise<Voter> {
  const accountStatus = await deps.people.accountStatus(who.person);
  const places = accountStatus === 'unknown' ? [] : await seatsIn(groupsOf(approval), who.person, deps);
  const seats = places.filter((seat) => seat !== 'unknown');
  return {
    person: who.person,
    isBot: who.isBot || accountStatus === 'bot',
    seats,
    ownersNow: ownersOf([approval.agent, ...(approval.above?.agents ?? [])], deps.policy),
    barred: BARS[accountStatus] ?? (seats.length < places.length ? 'membership_unknown' : undefined),
  };
}
