/** Reads answers to the question which of several tasks is meant: its numbers count in its own list. */
import type { HistoryMessage } from '../../contract/task-conversation.ts';
import type { ReadContext, UserIntent } from '../decisions/schemas.ts';
import { CLARIFICATION } from '../decisions/templates.ts';
import { classifyIntent } from '../intent/classify-intent.ts';
import { NAMES_TASK } from '../intent/referent.ts';
import { readUtterance, trimEndOf } from '../intent/utterance.ts';
import { placeOf, type ReferableTask, type Resolution, resolveReference } from './rule-3-task-reference.ts';

/** The question, taken apart. */
interface Choice {
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

const openChoice = (history: readonly HistoryMessage[]) => {
  const newest = history.at(-1);
  return newest?.role === 'assistant' ? choiceIn(newest.content) : undefined;
};

/**
 * The task at a place of the list that the agent has just shown; undefined where the reference is no place, or none of it. A list that
 * would be another one now has no places any more.
 */
export function chosenFrom<T extends ReferableTask>(
  history: readonly HistoryMessage[],
  reference: string,
  tasks: readonly T[],
): Resolution<T> | undefined {
  const choice = openChoice(history);
  if (!choice || placeOf(reference, choice.options.length) === undefined) return undefined;
  for (const openOnly of [true, false]) {
    const matches = resolveReference(choice.reference, tasks, { openOnly });
    const found = matches.kind === 'several' ? matches.tasks : [];
    const shown = found.map(({ description }) => description);
    if (CLARIFICATION.multipleMatches(choice.reference, shown) !== choice.question) continue;
    const task = found[(placeOf(reference, found.length) ?? 0) - 1];
    return task && { kind: 'one', task };
  }
  return { kind: 'none' };
}

/** The wish that the agent's question was about, where the message only names one of its tasks; else the intent as it is. */
export function wishOfReply(intent: UserIntent, { message, message_history: history }: ReadContext): UserIntent {
  const choice =
    intent.intent_type === 'AMBIGUOUS' || intent.intent_type === 'GENERAL_CHAT' ? openChoice(history) : undefined;
  const asked = history.at(-2);
  if (!choice || asked?.role !== 'user') return intent;
  const reply = trimEndOf(readUtterance(message).text, ' .!?,');
  const isAnswer = placeOf(reply, choice.options.length) !== undefined || names(choice.options, reply);
  const wish = isAnswer ? classifyIntent(asked.content, history.slice(0, -2)) : intent;
  if (!(NAMES_TASK as ReadonlySet<string>).has(wish.intent_type)) return intent;
  return { ...wish, extracted_params: { ...wish.extracted_params, task_reference: reply } };
}

/** A whole task, or one of its words: a part of a word may be small talk. */
function names(options: readonly string[], reply: string): boolean {
  const wanted = reply.toLowerCase();
  return options.some(
    (option) => option.toLowerCase() === wanted || readUtterance(option).words.some(({ key }) => key === wanted),
  );
}
