/** Asks the service's classifier and parent. A failure or a time-out is a fact, not an exception. */

import { systemTimers } from '../../ports/timers.ts';
import { LATE, withTimeout } from '../../ports/with-timeout.ts';
import type { CallContext } from '../call/call-context.ts';
import type { ClassifierContext } from '../classifiers/context.ts';
import type { ClassifierFact, Decided, ParentFact } from '../model/types.ts';
import type { CheckOptions, ParentService, PermissionDecision, PermissionServiceConfig } from './config.ts';

const DEFAULT_TIMEOUT_MS = 10_000;
const FAILED: ClassifierFact = { state: 'failed', why: 'the classifier failed' };
/** Longest chain of parents in bubble; a longer one is a denial (D9). */
const MAX_CHAIN = 16;

export async function askClassifier(
  config: PermissionServiceConfig,
  context: ClassifierContext,
  call: CallContext,
): Promise<ClassifierFact> {
  const { classifier } = config;
  if (classifier === undefined) return { state: 'none' };
  const timeout = config.classifierTimeoutMs ?? DEFAULT_TIMEOUT_MS;
  try {
    const lookup = call.tools.lookup(call.toolName);
    const question = {
      toolName: call.toolName,
      input: call.input,
      ...(lookup.kind === 'refused' ? {} : { comments: lookup.entry.comments ?? [] }),
      cwd: call.hasProjectRoot === false ? undefined : call.cwd,
      context,
    };
    const result = await withTimeout(timeout, systemTimers.after, async (signal) =>
      classifier.classify({ ...question, signal }),
    );
    return result === LATE ? FAILED : { state: 'answered', result };
  } catch {
    return FAILED;
  }
}

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
    const answer = await parent.check(call.toolName, call.input, { chain });
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
