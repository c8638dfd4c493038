/** Asks a function of the program: for tests, and for rules written as code. */
import { fn } from '../../domain/settings.ts';
import type { Answer, Asker, Question } from '../../ports/asker.ts';

/**
 * An asker that passes on the function's answer. Rejects with the function's error.
 *
 * @param responder answers in code; `undefined` is a refusal
 * @example
 * const ask = callbackAsker(({ kind }) => (kind === 'call' ? { type: 'approved', by: 'a test' } : undefined));
 * console.log(await new PermissionService({ ask }).decide('Bash', { command: 'make' }));
 */
export function callbackAsker(
  responder: (
    question: Question,
    options: { readonly signal: AbortSignal },
  ) => Answer | undefined | Promise<Answer | undefined>,
): Asker {
  fn(responder, 'responder');
  return async (question, options) =>
    (await responder(question, options)) ?? { type: 'rejected', reason: 'Nobody answered.' };
}
