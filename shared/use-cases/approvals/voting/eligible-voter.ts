/** Turns whoever clicked into a voter: the seats they hold, and what bars them. */
import type { Approval } from '../../../contract/index.ts';
import { groupsOf, type Voter } from '../../../domain/approval/approval.ts';
import { type Actor, ownersOf, seatsIn, type VoterDependencies, voterStatus } from '../../people/seats.ts';

export interface Claimant extends Actor {
  readonly isBot: boolean;
}

const BARS = {
  member: undefined,
  guest: 'guest_not_named',
  bot: undefined,
  deactivated: 'deactivated_person',
  foreign: 'foreign_workspace',
  unknown: 'membership_unknown',
} as const;

export async function voterOf(who: Claimant, approval: Approval, deps: VoterDependencies): Promise<Voter> {
  const status = await voterStatus(who, deps);
  const isKnown = status !== 'unknown' && status !== 'guest';
  const places = isKnown ? await seatsIn(groupsOf(approval), who.person, deps) : [];
  const seats = places.filter((seat) => seat !== 'unknown');
  return {
    person: who.person,
    isBot: who.isBot || status === 'bot',
    seats,
    ownersNow: ownersOf([approval.agent, ...(approval.above?.agents ?? [])], deps.policy),
    barred: BARS[status] ?? (seats.length < places.length ? 'membership_unknown' : undefined),
  };
}
