/** Tells faults that everybody has at the moment from those of one message. */
import type { CardProblem } from '../../../ports/stores/approval-store.ts';
import { SlackProblemError } from './errors.ts';

/** Problems of the app or of Slack as a whole: every other card would meet them too. */
const OF_EVERYBODY: ReadonlySet<CardProblem> = new Set(['down', 'token_refused', 'other_workspace', 'missing_scope']);

/** Answers of AWS about the one object that was asked for. */
const OF_ONE: ReadonlySet<string> = new Set([
  'NoSuchKey',
  'NotFound',
  'ValidationException',
  'ItemCollectionSizeLimitExceededException',
]);

/** Whether waiting helps: Slack or a service of AWS is down, throttles, or refuses the function its rights. */
export function isOutage(error: unknown): boolean {
  if (error instanceof SlackProblemError) return OF_EVERYBODY.has(error.problem);
  if (!(error instanceof Error)) return false;
  // Each address of a name refused the connection.
  if (error instanceof AggregateError) return error.errors.some(isOutage);
  if ('$metadata' in error) return !OF_ONE.has(error.name);
  return error.name === 'TimeoutError' || error.name === 'AbortError' || 'syscall' in error;
}
