/** From the words of a seed-2 case to contexts, tools, classifiers and deadlines. */
import {
  type Deadline,
  DeadlineError,
  type TaskAgentPorts,
  type ToolCall,
  type ToolRunner,
} from '../../../shared/task-agent/index.ts';
import type { Fields } from './matching.ts';
import { isFields, Uninterpretable } from './seed-0-world.ts';
import type { VirtualTime } from './virtual-time.ts';

export interface GivenTask {
  readonly id: string;
  readonly description: string;
  readonly completed: boolean;
}

export const tasksOf = (given: Fields): GivenTask[] =>
  (Array.isArray(given['tasks']) ? given['tasks'] : []).filter(isFields).map((task) => ({
    id: String(task['id']),
    description: String(task['description']),
    completed: task['completed'] === true,
  }));

/** As given, so that what is missing or wrong stays so. */
export function contextOf(given: Fields): Fields {
  return {
    user_id: 'user_id' in given ? given['user_id'] : 'u1',
    message: messageOf(given),
    conversation_id: 'conversation_id' in given ? given['conversation_id'] : '99999999-9999-4999-8999-999999999999',
    ...('message_history' in given ? { message_history: given['message_history'] } : {}),
    pending_confirmation: given['pending_confirmation'] ?? given['pending'] ?? null,
  };
}

function messageOf(given: Fields): unknown {
  if ('message_len' in given) return String(given['char'] ?? 'x').repeat(Number(given['message_len']));
  if ('message_prefix' in given) return `${given['message_prefix']}${'x'.repeat(Number(given['description_len']))}`;
  return 'message' in given ? given['message'] : 'hello';
}

/** Runs a call as the case says; what was run is kept in `calls`. */
export function toolsOf(given: Fields, calls: ToolCall[]): ToolRunner {
  const succeed: ToolRunner = async ({ tool_name: name }) => ({
    success: true,
    data: name === 'list_tasks' ? tasksOf(given) : null,
  });
  const behave = behaviourOf(given, succeed);
  return (call) => {
    calls.push(call);
    return behave(call);
  };
}

function behaviourOf(given: Fields, succeed: ToolRunner): ToolRunner {
  const result = given['tool_result'];
  if (isFields(result)) {
    const isError = typeof result['error_code'] === 'string' || typeof result['error'] === 'string';
    const answer = { success: !isError, data: null, ...result };
    const reachesOthers = tasksOf(given).length > 0;
    return async (call) => (call.tool_name === 'list_tasks' && reachesOthers ? succeed(call) : answer);
  }
  if (given['tool'] === undefined || given['tool'] === 'ok') return succeed;
  return faultOf(given['tool']);
}

/** "raises …" throws what it says, "times out" never answers. Read before the engine runs: it would take our protest for a fault. */
function faultOf(words: unknown): () => Promise<never> {
  const [, kind, why] = /^(raises|throws|fails|times out|hangs)(.*)$/s.exec(String(words)) ?? [];
  if (!kind) throw new Uninterpretable(`fault ${String(words)}`);
  if (kind === 'times out' || kind === 'hangs') return () => new Promise(() => {});
  return async () => {
    throw new Error(why?.trim());
  };
}

export function classifierOf(given: unknown): Pick<TaskAgentPorts, 'classifier'> {
  if (given === undefined || given === null) return {};
  return { classifier: typeof given === 'object' ? () => given : faultOf(given) };
}

export const deadlineIn =
  (time: VirtualTime): Deadline =>
  (work, ms) =>
    new Promise((resolve, reject) => {
      const stop = time.start(() => reject(new DeadlineError()), ms);
      work.then(resolve, reject).finally(stop);
    });
