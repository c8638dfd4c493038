/** Tells from whose seat somebody may vote: from their own, or from one that an operator delegated. */
import { type Delegated, type History, mayCount, type Seen, type Vote } from '../model/history.ts';
import { APPROVERS, isEligible, type PersonName } from '../model/policies.ts';

/** Has no seat of their own, and may hold a delegated one. */
const STANDS_IN: PersonName = 'sam';

/** When a vote is counted, and on what: an approver may ask somebody else about one approval. */
interface Counted extends Seen {
  readonly id?: string;
}

/** Seats from which a vote of this person may count, if it is counted in that time. */
export function seatsOf(history: History, who: PersonName, during: Counted): readonly PersonName[] {
  if (isEligible(who)) return [who];
  if (who !== STANDS_IN) return [];
  const { delegated, votes } = history;
  return APPROVERS.filter(
    (person) =>
      delegated.some((one) => one.person === person && one.to === who && mayHold(one, during, history)) ||
      votes.some((one) => one.who === person && one.id === during.id && one.to === who && mayCount(one.told)),
  );
}

/**
 * A newer order about the same seat ends this one, at the latest when the record says that it is done. An order that met a fault may be
 * done after one that was given later.
 */
function mayHold(one: Delegated, { since, at }: Seen, { delegated, terms }: History): boolean {
  const isOver = delegated.some(
    (other) =>
      other.person === one.person &&
      other.at > (one.doneAt ?? one.at) &&
      (other.doneAt ?? Number.POSITIVE_INFINITY) < since,
  );
  return !isOver && one.at <= at && one.from - terms.apartMs <= at && one.until + terms.apartMs > since;
}

/** When a vote is counted, if it is: some time after the click, and until its person hears of it. */
export const countedIn = ({ at, toldAt, id }: Pick<Vote, 'at' | 'toldAt' | 'id'>): Counted => ({
  id,
  since: at,
  at: toldAt ?? Number.POSITIVE_INFINITY,
});

/** How many people speak with these votes at most: one for each seat, and a delegate counts as the owner of the seat. */
export function countVoices(history: History, votes: History['votes'], barred: readonly PersonName[]): number {
  const own = new Set(votes.map(({ who }) => who).filter((who) => isEligible(who) && !barred.includes(who)));
  const standsIn = votes
    .filter(({ who }) => who === STANDS_IN && !barred.includes(who))
    .flatMap((vote) => seatsOf(history, vote.who, countedIn(vote)))
    .some((seat) => !own.has(seat) && !barred.includes(seat));
  return own.size + (standsIn ? 1 : 0);
}
