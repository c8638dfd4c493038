/** Asks a function of the program: for tests, and for rules written as code. */
import { fn } from '../../domain/settings.ts';
import type { Answer, Asker, AskOptions, Question } from '../../ports/asker.ts';

/** Answers a question in code; `undefined` is a refusal. */
export type Responder = (question: Question, options: AskOptions) => Answer | undefined | Promise<Answer | undefined>;

/**
 * An asker that passes on the function's answer. Rejects with the function's error.
 *
 * @example
 * const ask = callbackAsker(({ kind }) => (kind === 'call' ? { type: 'approved', by: 'a test' } : undefined));
 * console.log(await new PermissionService({ ask }).decide('Bash', { command: 'make' }));
 */
export function callbackAsker(responder: Responder): Asker {
  fn(responder, 'responder');
  return async (question, options) =>
    (await responder(question, options)) ?? { type: 'rejected', reason: 'Nobody answered.' };
}
