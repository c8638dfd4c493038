/** Tells whether people who answered may still have: nobody for whom the session works. */
import type { Policy } from '../../../../config/compile.ts';
import type { HumanAnswer, Person, Voter } from '../../../../contract/index.ts';
import { samePerson } from '../../../../domain/approval/ballot.ts';
import { peopleAbove } from '../../state/lineage.ts';
import type { Session } from '../../state/session.ts';

export const peopleOf = (by: HumanAnswer['by']): Voter[] => by.map(({ person }) => person);

/** Lists who answered about this call: of a batch not everybody answers about each. */
export function answerersOf({ by, decisions }: Pick<HumanAnswer, 'by' | 'decisions'>, id: string): HumanAnswer['by'] {
  const own = decisions?.find((decision) => decision.id === id)?.by;
  return own ? by.filter((_, index) => own.includes(index)) : by;
}

/** A self-confirmation is the requester's, and nobody else's. */
export const withoutRequester = <Who extends Person>(
  people: readonly Who[],
  { requester }: Pick<Session, 'requester'>,
): readonly Who[] => people.filter((one) => !requester || !samePerson(one, requester));

/** Whether none of them, nor anybody whose seat they had, owns an agent that the session works for, or asked for what it does. */
export function isImpartial(
  people: readonly Voter[],
  session: Pick<Session, 'requester' | 'agent' | 'lineage'>,
  policy: Policy,
): boolean {
  const barred = barredFrom(session, policy);
  return !withoutRequester(people, session)
    .flatMap((one) => (one.standsFor ? [one, one.standsFor] : [one]))
    .some((one) => barred.some((other) => samePerson(one, other)));
}

/** Owners of today, and people in whose names its session was started. */
export const barredFrom = ({ agent, lineage }: Pick<Session, 'agent' | 'lineage'>, policy: Policy): Person[] =>
  peopleAbove(lineage ?? { agents: [agent], requesters: [] }, policy);
