/** Asks one question at a time, in the order in which the questions came. */
import { fn } from '../../domain/settings.ts';
import type { Asker } from '../../ports/asker.ts';

/**
 * An asker for a screen that shows one question at a time: the next question waits until the one before has its answer, or nobody waits for it.
 *
 * @example
 * const ask = queued(webhookAsker('https://approvals.example/ask', { timeout: '3m' }));
 * const service = new PermissionService({ ask });
 */
export function queued(ask: Asker): Asker {
  fn(ask, 'ask');
  let last: Promise<unknown> = Promise.resolve();
  return (question, { signal }) => {
    const turn = last.then(async () => {
      signal.throwIfAborted();
      return ask(question, { signal });
    });
    const withdrawn = new Promise<never>((_, reject) => {
      const giveUp = () => reject(signal.reason);
      if (signal.aborted) giveUp();
      else signal.addEventListener('abort', giveUp, { once: true });
      // The next question does not wait for an asker that does not hear of the abort.
      void turn.catch(() => {}).then(() => signal.removeEventListener('abort', giveUp));
    });
    const answer = Promise.race([turn, withdrawn]);
    last = answer.catch(() => {});
    return answer;
  };
}
