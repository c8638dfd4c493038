/** Turns the words of a case of the task agent into contexts, tools, classifiers and deadlines. */
import {
  type Deadline,
  DeadlineError,
  type TaskAgentPorts,
  type ToolCall,
  type ToolRunner,
} from '../../../shared/task-agent/index.ts';
import { type Fields, isFields, objectsOf } from '../fields.ts';
import { whole } from '../reading.ts';
import { Uninterpretable } from './uninterpretable.ts';
import type { VirtualTime } from './virtual-time.ts';
import { spoken } from './words.ts';

interface GivenTask {
  readonly id: string;
  readonly description: string;
  readonly completed: boolean;
}

export const tasksOf = (given: Fields): GivenTask[] =>
  objectsOf(given['tasks']).map((task) => ({
    id: String(task['id']),
    description: String(task['description']),
    completed: task['completed'] === true,
  }));

/** As given, so that what is missing or wrong stays so. */
export function contextOf(given: Fields): Fields {
  return {
    user_id: 'user_id' in given ? whole(given['user_id']) : 'u1',
    message: messageOf(given),
    conversation_id:
      'conversation_id' in given ? whole(given['conversation_id']) : '99999999-9999-4999-8999-999999999999',
    ...('message_history' in given ? { message_history: whole(given['message_history']) } : {}),
    pending_confirmation: whole(given['pending_confirmation'] ?? given['pending'] ?? null),
  };
}

function messageOf(given: Fields): unknown {
  if ('message_len' in given) return String(given['char'] ?? 'x').repeat(Number(given['message_len']));
  if ('message_prefix' in given) return `${given['message_prefix']}${'x'.repeat(Number(given['description_len']))}`;
  return 'message' in given ? whole(given['message']) : 'hello';
}

/** Runs a call as the case says; what was run is kept in `calls`. */
export function toolsOf(given: Fields, calls: ToolCall[], time: VirtualTime): ToolRunner {
  const tasks = tasksOf(given);
  const succeed: ToolRunner = async ({ tool_name: name }) => ({
    success: true,
    data: name === 'list_tasks' ? tasks : null,
  });
  const behave = behaviourOf(given, succeed, time);
  return (call) => {
    calls.push(call);
    return behave(call);
  };
}

function behaviourOf(given: Fields, succeed: ToolRunner, time: VirtualTime): ToolRunner {
  const result = whole(given['tool_result']);
  if (isFields(result)) {
    const isError = typeof result['error_code'] === 'string' || typeof result['error'] === 'string';
    const answer = { success: !isError, data: null, ...result };
    const reachesOthers = tasksOf(given).length > 0;
    return async (call) => (call.tool_name === 'list_tasks' && reachesOthers ? succeed(call) : answer);
  }
  const words = given['tool'];
  if (words === undefined || words === 'ok') return succeed;
  const { subject } = spoken(String(words));
  const fault = faultOf(words, time);
  return async (call) => {
    if (subject !== undefined && subject !== 'tool' && subject !== call.tool_name) return succeed(call);
    await fault();
    return succeed(call);
  };
}

/**
 * "raises …" throws its text, "times out" never answers, "sleeps 50ms" takes its time. A tool's name in front means that tool alone.
 *
 * Read before the engine runs: it would take our protest for a fault.
 */
function faultOf(words: unknown, time: VirtualTime): () => Promise<void> {
  const { fault, why, delayMs } = spoken(String(words));
  if (fault === undefined && delayMs === 0) throw new Uninterpretable(`fault ${String(words)}`);
  return async () => {
    if (delayMs > 0) await time.sleep(delayMs);
    if (fault === 'silent') return new Promise<never>(() => {});
    if (fault) throw new Error(why);
  };
}

export function classifierOf(stated: unknown, time: VirtualTime): Pick<TaskAgentPorts, 'classifier'> {
  const given = whole(stated);
  if (given === undefined || given === null) return {};
  if (typeof given === 'object') return { classifier: () => given };
  const fault = faultOf(given, time);
  return { classifier: async () => fault().then(() => undefined) };
}

export const deadlineIn =
  (time: VirtualTime): Deadline =>
  (work, ms) =>
    new Promise((resolve, reject) => {
      const stop = time.start(() => reject(new DeadlineError()), ms);
      work.then(resolve, reject).finally(stop);
    });
