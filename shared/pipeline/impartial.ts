/** Tells whether people who answered a question may still have answered it: the owner of an agent may not, whenever it became theirs (D52). */
import type { Policy } from '../config/compile.ts';
import type { HumanAnswer, Person } from '../contract/index.ts';
import { samePerson } from '../domain/ballot.ts';
import type { Session } from './session.ts';

export const peopleOf = (by: HumanAnswer['by']): Person[] => by.map(({ person }) => person);

/** A self-confirmation is the requester's, and nobody else's (D34). */
export const withoutRequester = (
  people: readonly Person[],
  { requester }: Pick<Session, 'requester'>,
): readonly Person[] => people.filter((one) => !requester || !samePerson(one, requester));

/** Whether none of them owns the agent today. */
export function isImpartial(
  people: readonly Person[],
  session: Pick<Session, 'requester' | 'settings'>,
  { person }: Pick<Policy, 'person'>,
): boolean {
  const owner = person(session.settings.owner);
  return !withoutRequester(people, session).some((one) => samePerson(one, owner));
}
