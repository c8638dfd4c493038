/** Turns whoever clicked into a voter: the seats they hold, and what bars them. */
import type { Approval } from '../../../contract/index.ts';
import { currentStage, groupsOf, type Seat, type Voter } from '../../../domain/approval/approval.ts';
import { type Actor, membersOf, ownersOf, seatsIn, type VoterDependencies, voterStatus } from '../../people/seats.ts';

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
  const found = isKnown ? await seatsIn(groupsOf(approval), who.person, deps) : [];
  const seats = found.filter((seat) => seat !== 'unknown');
  const isUnsure = seats.length < found.length;
  const bar = isUnsure ? 'membership_unknown' : isKnown ? await barOfHome(who, seats, approval, deps) : undefined;
  return {
    person: who.person,
    isBot: who.isBot || status === 'bot',
    seats,
    ownersNow: ownersOf([approval.agent, ...(approval.above?.agents ?? [])], deps.policy),
    barred: BARS[status] ?? bar,
  };
}

/**
 * Tells a member who cannot vote why: Slack lists users of an organisation by their ids alone, but only an account in the group's own workspace
 * has a seat.
 */
async function barOfHome(
  { person }: Claimant,
  seats: readonly Seat[],
  approval: Approval,
  deps: VoterDependencies,
): Promise<'home_elsewhere' | undefined> {
  // Only the groups that are asked now matter.
  const { group, escalateTo } = currentStage(approval);
  const asked = [group, ...(approval.escalated && escalateTo ? [escalateTo.group] : [])];
  if (seats.some((seat) => asked.includes(seat.group))) return undefined;
  const groups = asked.filter((one) => deps.policy.userGroupOf(one));
  const members = (await Promise.all(groups.map((one) => membersOf(one, deps)))).flatMap((some) => some ?? []);
  const isElsewhere = members.some(({ team, user }) => user === person.user && team !== person.team);
  return isElsewhere ? 'home_elsewhere' : undefined;
}
