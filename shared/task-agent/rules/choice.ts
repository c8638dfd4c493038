/** Finds the task at a place of the question which of several is meant: places count in its list. */
import type { HistoryMessage } from '../../contract/task-conversation.ts';
import { CLARIFICATION } from '../decisions/templates.ts';
import { listPositionOf, type ReferableTask, type Resolution, resolveReference } from './rule-3-task-reference.ts';

/** The question, taken apart. */
export interface Choice {
  readonly question: string;
  readonly reference: string;
  readonly options: readonly string[];
}

/** Marks that no person writes: what stands around them is the template. */
const [REFERENCE, OPTION] = ['\u0000', '\u0001'];
const [START = '', LIST = '', END = ''] = CLARIFICATION.multipleMatches(REFERENCE, [OPTION])
  .replace(`1. ${OPTION}`, REFERENCE)
  .split(REFERENCE);

/** Undefined for every other text of the agent. */
export function choiceIn(question: string): Choice | undefined {
  const listed = question.indexOf(LIST);
  if (!question.startsWith(START) || !question.endsWith(END) || listed === -1) return undefined;
  const lines = question.slice(listed + LIST.length, -END.length).split('\n');
  const options = lines.map((line) => line.slice(line.indexOf(' ') + 1));
  return { question, reference: question.slice(START.length, listed), options };
}

/**
 * The task at a place of the list that the agent has just shown; undefined where the reference is no place, or none of it. A list that
 * would be another one now has no places any more.
 */
export function chosenFrom<T extends ReferableTask>(
  history: readonly HistoryMessage[],
  reference: string,
  tasks: readonly T[],
): Resolution<T> | undefined {
  const newest = history.at(-1);
  const choice = newest?.role === 'assistant' ? choiceIn(newest.content) : undefined;
  if (!choice || listPositionOf(reference, choice.options.length) === undefined) return undefined;
  for (const openOnly of [true, false]) {
    const matches = resolveReference(choice.reference, tasks, { openOnly });
    const found = matches.kind === 'several' ? matches.tasks : [];
    const shown = found.map(({ description }) => description);
    if (CLARIFICATION.multipleMatches(choice.reference, shown) !== choice.question) continue;
    const task = found[(listPositionOf(reference, found.length) ?? 0) - 1];
    return task && { kind: 'one', task };
  }
  return { kind: 'none' };
}
