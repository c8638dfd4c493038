/** Finds the task that "it" means: the one that the agent named in its newest message. */
import type { HistoryMessage } from '../../contract/task-conversation.ts';
import { SUCCESS } from '../decisions/templates.ts';
import type { TaskIntent } from './patterns.ts';
import type { Utterance } from './utterance.ts';

const POINTERS: ReadonlySet<string> = new Set(['it', 'that', 'this']);

/** A mark that no person writes: what stands in its place in a template is the task. */
const MARK = '\u0000';
const NAMING = [SUCCESS.add_task(MARK), SUCCESS.complete_task(MARK)].map((template) => template.split(MARK));
/** The new text is the task now; an old text may hold the same words between quotes. */
const [RENAMED_START = '', RENAMED_TO = '', RENAMED_END = ''] = SUCCESS.update_task(MARK, MARK).split(MARK);

export const NAMES_TASK: ReadonlySet<TaskIntent> = new Set<TaskIntent>(['COMPLETE_TASK', 'UPDATE_TASK', 'DELETE_TASK']);

/** The parameters of a wish, with the task that "it" means where the message names none. */
export function withReferent(
  intent: TaskIntent,
  params: Record<string, string> | null,
  utterance: Utterance,
  history: readonly HistoryMessage[],
): Record<string, string> | null {
  if (!NAMES_TASK.has(intent) || params?.['task_reference'] !== undefined) return params;
  const referent = referentOf(utterance, history);
  return referent === undefined ? params : { ...params, task_reference: referent };
}

/**
 * Undefined where the message points at nothing, or where the newest message of the agent names no task: a list names many, and a
 * deleted task is gone.
 */
function referentOf(utterance: Utterance, history: readonly HistoryMessage[]): string | undefined {
  if (!utterance.words.some(({ key }) => POINTERS.has(key))) return undefined;
  const newest = history.findLast(({ role }) => role === 'assistant')?.content;
  return newest === undefined ? undefined : taskNamedIn(newest);
}

function taskNamedIn(text: string): string | undefined {
  for (const [start = '', end = ''] of NAMING)
    if (text.startsWith(start) && text.endsWith(end)) return text.slice(start.length, text.length - end.length);
  if (!text.startsWith(RENAMED_START) || !text.endsWith(RENAMED_END)) return undefined;
  const to = text.lastIndexOf(RENAMED_TO);
  return to < RENAMED_START.length ? undefined : text.slice(to + RENAMED_TO.length, text.length - RENAMED_END.length);
}
