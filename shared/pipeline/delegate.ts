/** Out of office: another person votes in somebody's place until a date, besides what the policy file says (D31). */
import type { Delegation, Delegations } from '../contract/delegation.ts';
import type { Person } from '../contract/index.ts';
import { samePerson } from '../domain/approval.ts';
import type { Clock } from '../ports/clock.ts';
import type { DelegationStore } from '../ports/delegation-store.ts';

/** What changes: a place that goes to somebody, or comes back. */
export type Place = Pick<Delegation, 'person'> & Partial<Pick<Delegation, 'to' | 'from' | 'until'>>;

export interface DelegatingGate {
  readonly delegations: DelegationStore;
  readonly clock: Clock;
}

const TRIES = 5;
const REMEMBERED = 50;
const MOST = 500;
/** Whoever is away longer than this is no approver: the policy file should say so. */
const LONGEST_MS = 90 * 24 * 60 * 60 * 1000;

/** `changed`, or why not. `id` names the operation: one delivered again is done once, whatever was done after it. */
export async function changeDelegation(
  place: Place,
  by: string,
  id: string,
  { delegations, clock }: DelegatingGate,
): Promise<'changed' | 'until_is_over' | 'until_is_too_late' | 'until_is_before_from' | 'no_delegation' | 'too_many'> {
  const { person, to, from, until } = place;
  for (let attempt = 0; attempt < TRIES; attempt++) {
    const read = await delegations.read();
    if (read.done.includes(id)) return 'changed';
    const now = clock.now();
    const others = read.delegations.filter((one) => now < Date.parse(one.until) && !samePerson(one.person, person));
    const added = to && until ? [{ person, to, ...(from ? { from } : {}), until, by: by.slice(0, 200) }] : [];
    if (until !== undefined) {
      if (Date.parse(until) <= now) return 'until_is_over';
      if (Date.parse(until) > now + LONGEST_MS) return 'until_is_too_late';
      if (from !== undefined && Date.parse(from) >= Date.parse(until)) return 'until_is_before_from';
      if (others.length >= MOST) return 'too_many';
    } else if (!read.delegations.some((one) => samePerson(one.person, person) && now < Date.parse(one.until))) {
      return 'no_delegation';
    }
    const done = [...read.done, id].slice(-REMEMBERED);
    if (await delegations.write({ version: read.version + 1, delegations: [...others, ...added], done }))
      return 'changed';
  }
  throw new Error('the delegations kept changing while they were written');
}

/** Whether it holds now. A time that cannot be read compares false. */
export const delegationHolds = ({ from, until }: Pick<Delegation, 'from' | 'until'>, now: number): boolean =>
  (from === undefined || now >= Date.parse(from)) && now < Date.parse(until);

/** Those that are about this person, either way, and are not over. */
export const delegationsAbout = ({ delegations }: Delegations, person: Person, now: number): Delegation[] =>
  delegations.filter(
    (one) => now < Date.parse(one.until) && (samePerson(one.person, person) || samePerson(one.to, person)),
  );
