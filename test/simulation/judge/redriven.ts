/** Judges dead letters that an operator brings back: none is lost, and none comes twice without need. */
import type { History } from '../model/history.ts';
import type { DeadLetter } from '../world/dead-letters.ts';
import type { Fail, Remains } from '../world/remains.ts';

/** Before an interrupted order is worked again, a FIFO queue remembers what it took. */
const REMEMBERED_MS = 5 * 60_000;

export function judgeRedriven(history: History, { letters = [] }: Remains, fail: Fail): void {
  for (const { id, queue, takenAt, isDeleted } of letters) {
    if (isDeleted && !takenAt.length)
      fail('G33', `the message ${id} of ${queue} is neither brought back nor set aside`);
    const isSoon = takenAt.some((at, index) => at - (takenAt[index - 1] ?? Number.NEGATIVE_INFINITY) < REMEMBERED_MS);
    if (queue === 'cards' && isSoon) fail('G33', `the message ${id} of ${queue} is brought back twice`);
  }
  if (history.isFaulty) return;
  for (const { id, at, queue, isPart, doneAt } of history.redriven)
    if (doneAt !== undefined && !isPart && letters.some((one) => isLeft(one, queue, at)))
      fail('G33', `${id} leaves a message of ${queue} among the dead letters`);
}

const isLeft = (letter: DeadLetter, queue: DeadLetter['queue'], by: number): boolean =>
  letter.queue === queue && letter.setAsideAt < by && !letter.isDeleted;
