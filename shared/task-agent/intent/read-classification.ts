/** Asks the classifier, whoever it is, and believes nothing that it could not have meant. */
import { ownValue } from '../../domain/own.ts';
import { bounded, DeadlineError } from '../decisions/deadline.ts';
import type { TaskAgentPorts } from '../decisions/ports.ts';
import { type ReadContext, type UserIntent, userIntent } from '../decisions/schemas.ts';
import { ambiguous, classifyIntent } from './classify-intent.ts';

interface Classification {
  readonly intent: UserIntent;
  readonly isTimedOut: boolean;
}

const UNKNOWN: UserIntent = ambiguous(['CREATE_TASK', 'COMPLETE_TASK']);

export async function readClassification(
  context: ReadContext,
  ports: TaskAgentPorts,
  signal?: AbortSignal,
): Promise<Classification> {
  const { classifier = classifyIntent } = ports;
  try {
    const answer = await bounded(ports, signal, (either) =>
      classifier(context.message, context.message_history, { signal: either }),
    );
    const parsed = userIntent.safeParse(withoutMultiIntent(answer));
    return { intent: parsed.success ? parsed.data : UNKNOWN, isTimedOut: false };
  } catch (error) {
    return { intent: UNKNOWN, isTimedOut: error instanceof DeadlineError };
  }
}

/** The contract's own project answers MULTI_INTENT with `intents` like CREATE; the contract has AMBIGUOUS. */
function withoutMultiIntent(answer: unknown): unknown {
  if (typeof answer !== 'object' || answer === null || Reflect.get(answer, 'intent_type') !== 'MULTI_INTENT') {
    return answer;
  }
  const params: unknown = Reflect.get(answer, 'extracted_params');
  const intents: unknown = typeof params === 'object' && params !== null ? Reflect.get(params, 'intents') : [];
  const names = (Array.isArray(intents) ? intents : []).map((name: unknown) =>
    typeof name === 'string' ? (ownValue(FULL_NAMES, name) ?? name) : name,
  );
  return { ...answer, intent_type: 'AMBIGUOUS', extracted_params: { possible_intents: names } };
}

const FULL_NAMES: Readonly<Record<string, string>> = {
  CREATE: 'CREATE_TASK',
  LIST: 'LIST_TASKS',
  COMPLETE: 'COMPLETE_TASK',
  UPDATE: 'UPDATE_TASK',
  DELETE: 'DELETE_TASK',
};
