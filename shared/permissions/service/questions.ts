/** Asks the service's classifier and parent. A failure or a time-out is a fact, not an exception. */
import { type Duration, durationMs } from '../../domain/duration.ts';
import { copyOf } from '../../domain/own.ts';
import { systemTimers } from '../../ports/timers.ts';
import { LATE, withTimeout } from '../../ports/with-timeout.ts';
import type { CallContext } from '../call/call-context.ts';
import type { ClassifierRequest } from '../classifiers/classifier.ts';
import type { ClassifierContext } from '../classifiers/context.ts';
import type { ClassifierFact, Decided, ParentFact } from '../model/types.ts';
import type { CheckOptions, ParentService, PermissionDecision, PermissionServiceConfig } from './config.ts';
import type { PermissionRequest, PermissionRequestHandler, PermissionResponse } from './human-loop.ts';

const DEFAULT_CLASSIFIER_TIMEOUT: Duration = '10s';
const FAILED: ClassifierFact = { state: 'failed', why: 'the classifier failed' };
/** Longest chain of parents in bubble; a longer one is a denial (D9). */
const MAX_CHAIN = 16;

export async function askClassifier(
  config: PermissionServiceConfig,
  context: ClassifierContext,
  call: CallContext,
  { countedBy, signal }: Pick<ClassifierRequest, 'countedBy' | 'signal'>,
): Promise<ClassifierFact> {
  const { classifier } = config;
  if (classifier === undefined) return { state: 'none' };
  const timeout = durationMs(config.classifierTimeout ?? DEFAULT_CLASSIFIER_TIMEOUT, 'classifierTimeout');
  try {
    const lookup = call.tools.lookup(call.toolName);
    const question = {
      toolName: call.toolName,
      // A classifier may take secrets out of what it sends.
      input: copyOf(call.input),
      ...(lookup.kind === 'refused' ? {} : { comments: lookup.entry.comments ?? [] }),
      cwd: call.hasProjectRoot === false ? undefined : call.cwd,
      context,
      countedBy,
    };
    const result = await withTimeout(timeout, systemTimers.after, async (late) =>
      classifier.classify({ ...question, signal: AbortSignal.any([late, ...(signal ? [signal] : [])]) }),
    );
    return result === LATE ? FAILED : { state: 'answered', result };
  } catch {
    return FAILED;
  }
}

/** A service that escalates counts the answer itself: one denial counts once in a tracker that its parent has as well. */
export const isCountedBelow = (tracker: object, { chain = [] }: CheckOptions): boolean =>
  chain.some((below) => (Object(below) as { readonly tracker?: unknown }).tracker === tracker);

/** The call under the parent's mode, rules and session, up to the root; a loop or too long a chain is a denial. */
export async function askParent(
  parent: ParentService | undefined,
  self: unknown,
  call: CallContext,
  options: CheckOptions,
): Promise<ParentFact> {
  if (parent === undefined) return { state: 'none' };
  const chain = [...(options.chain ?? []), self];
  if (chain.includes(parent) || chain.length >= MAX_CHAIN) return { state: 'cycle' };
  try {
    const answer = await parent.check(call.toolName, call.input, { chain, signal: options.signal });
    const { decision, message, humanRequired } = answer;
    if (decision === 'allow') return { state: 'answered', verdict: decision, message, effective: printedBy(answer) };
    if (decision === 'deny') return { state: 'answered', verdict: decision, message };
    return { state: 'answered', verdict: 'ask', message, humanRequired: humanRequired === true || decision === 'ask' };
  } catch {
    return { state: 'answered', verdict: 'error', message: 'The parent could not be asked.' };
  }
}

/** The input that a rule of the parent's covers, in place of the proposed one; what a person changed there is an answer of its own. */
function printedBy({ reason, modifiedArgs }: PermissionDecision): Decided['effective'] {
  const isByRule = reason === 'rule_match' || reason === 'bubble';
  return isByRule && typeof modifiedArgs === 'object' && modifiedArgs !== null ? { ...modifiedArgs } : undefined;
}

const DEFAULT_ASK_TIMEOUT: Duration = '5m';

/**
 * Asks a person, and returns the answer if it comes within `timeout`.
 *
 * @throws what the handler throws; AskTimeoutError when the time is over; the signal's reason if it aborts
 */
export async function askPerson(
  handler: PermissionRequestHandler,
  request: PermissionRequest,
  timeout: Duration = DEFAULT_ASK_TIMEOUT,
  signal?: AbortSignal,
): Promise<PermissionResponse> {
  signal?.throwIfAborted();
  const over = new AbortController();
  const either = AbortSignal.any([over.signal, ...(signal ? [signal] : [])]);
  const timer = setTimeout(() => over.abort(new AskTimeoutError()), durationMs(timeout, 'askTimeout'));
  try {
    const givenUp = new Promise<never>((_, reject) => {
      either.addEventListener('abort', () => reject(either.reason), { once: true });
    });
    return await Promise.race([handler.handle(request, { signal: either }), givenUp]);
  } finally {
    clearTimeout(timer);
  }
}

/** Nobody answered in time. */
export class AskTimeoutError extends Error {
  override readonly name = 'AskTimeoutError';
}
