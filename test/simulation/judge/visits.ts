/** Judges App Home and commands: people see, and order, what is theirs. */
import type { History } from '../model/history.ts';
import { isEligible } from '../model/policies.ts';
import type { Fail } from '../world/remains.ts';
import { seatsOf } from './seats.ts';

export function judgeVisits(history: History, fail: Fail): void {
  const { looked, delegated, revoked, votes, strangers } = history;
  for (const { who, at, since, waiting, given } of looked) {
    const isAsked = votes.some((one) => one.to === who);
    const mayAnswer = isAsked || seatsOf(history, who, { since, at }).length > 0;
    if (waiting && !mayAnswer) fail('G19', `${who} is shown ${waiting} questions that others are asked`);
    const gave = votes.some((one) => one.who === who && one.remember);
    if (given && who === 'sam' && !gave) fail('G19', `${who} is shown ${given} approvals for later of others`);
  }
  for (const { id, promise, doneAt, person } of delegated)
    if (promise && doneAt !== undefined && !isEligible(person) && person !== 'olga')
      fail('G19', `${person} delegates a seat that is not theirs, as ${id}`);
  const promised = [...delegated, ...revoked].filter(({ promise }) => promise === 'made');
  for (const [id, same] of Map.groupBy(promised, (one) => one.id))
    if (same.length > 1) fail('G33', `${same.length} orders of people are one, ${id}`);
  for (const what of strangers) fail('G19', `another app that shares the secret is served: ${what}`);
}
