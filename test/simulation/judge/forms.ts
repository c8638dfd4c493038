/** Judges forms: for whom they open, and whether people are told what the record says. */
import type { History } from '../model/history.ts';
import type { Fail, Remains } from '../world/remains.ts';
import { seatsOf } from './seats.ts';

export function judgeForms(history: History, { proposals }: Remains, fail: Fail): void {
  for (const { id, who, form, at, endedAt = at, isOpen, told, refusal, status } of history.forms) {
    const what = `a click of ${who} for the form ${form} on ${id}`;
    if (isOpen && !seatsOf(history, who, { id, since: at, at: endedAt }).length)
      fail('G19', `${what} opens it, and they may not answer`);
    if (isOpen && refusal !== undefined) fail('G20', `${what} opens it, and is recorded as ${refusal}`);
    if (!isOpen && status === 200 && told === undefined) fail('A23', `${what} opens nothing, and nobody says why`);
  }
  for (const { id, who, isClosed, heard } of history.submitted) {
    if (heard === 'counted' && !isClosed) fail('G20', `a form of ${who} on ${id} counts, and they are told otherwise`);
    if (heard !== 'counted' && isClosed && !history.isFaulty)
      fail('G20', `a form of ${who} on ${id} does not count (${heard}), and they are told otherwise`);
  }
  for (const { id, who, choice, told } of history.votes) {
    const isRecorded = proposals.get(id)?.records.some(({ entry }) => entry.type === 'pass');
    if (choice === 'pass' && told === 'counted' && !isRecorded)
      fail('G35', `that ${who} passes on ${id} is not on record`);
  }
}
