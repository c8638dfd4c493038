/** Reads a message that answers the question of the agent, and completes the wish before it. */
import type { IntentType, ReadContext, UserIntent } from '../decisions/schemas.ts';
import { CLARIFICATION } from '../decisions/templates.ts';
import { classifyIntent } from '../intent/classify-intent.ts';
import { confirmationOf } from '../intent/confirmation-words.ts';
import { extractParams } from '../intent/extract-params.ts';
import { SMALL_TALK, type TaskIntent } from '../intent/patterns.ts';
import { NAMES_TASK } from '../intent/referent.ts';
import { isUnclearReply } from '../intent/unclear-wish.ts';
import { readUtterance, trimEndOf, type Utterance } from '../intent/utterance.ts';
import { type Choice, choiceIn } from './choice.ts';
import { listPositionOf } from './rule-3-task-reference.ts';

/** Whether a text of the agent is a question that a message may answer without repeating its wish. */
export const isOpenQuestion = (text: string): boolean =>
  text === CLARIFICATION.whichTask || text === CLARIFICATION.missingDescription || choiceIn(text) !== undefined;

/** The completed wish; the intent as it is where the message is no answer. */
export function wishOfReply(intent: UserIntent, { message, message_history: history }: ReadContext): UserIntent {
  const [asked, question] = history.slice(-2);
  const reply = readUtterance(message);
  if (asked?.role !== 'user' || question?.role !== 'assistant' || !mayAnswer(intent, reply)) return intent;
  const { intent_type: type, extracted_params: params } = classifyIntent(asked.content, history.slice(0, -2));
  const missing = isTaskIntent(type) ? missingIn(question.content, type, reply) : undefined;
  if (!isTaskIntent(type) || !missing) return intent;
  const captures = { ...(params as Record<string, string> | null), [missing]: reply.text };
  return { intent_type: type, confidence: intent.confidence, extracted_params: extractParams(type, captures) };
}

const isTaskIntent = (type: IntentType): type is TaskIntent => type.endsWith('_TASK');

/** Words without a wish of their own. Small talk is none ("ok, thanks"), nor is a question back, nor "no, thanks" and "I don't know". */
function mayAnswer({ intent_type: type }: UserIntent, reply: Utterance): boolean {
  const isBare = type === 'GENERAL_CHAT' || (type === 'AMBIGUOUS' && reply.words.length === 1);
  const said = reply.words.find(({ key }) => confirmationOf(key) !== 'CONFIRM_YES');
  return isBare && said !== undefined && !NO_ANSWERS.has(said.key) && !isPause(reply) && !isUnclearReply(reply);
}
const NO_ANSWERS: ReadonlySet<string> = new Set([...SMALL_TALK, 'please', 'no', 'nope', 'nah', 'nevermind', 'nothing']);

/** "Oh wait" and "hold on a sec" answer nothing, as whole messages: "wait for the plumber" is a task. */
const isPause = ({ words }: Utterance): boolean => PAUSE.test(words.map(({ key }) => key).join(' '));
const A_MOMENT = '(?:a|one) (?:sec|second|moment|min|minute|bit|while)';
const PAUSE = new RegExp(
  '^(?:(?:oh|ah|uh|um+|er|hm+|well|so|no|actually|sorry|just|ok|okay|but|please) )*' +
    `(?:wait|hold|hang|hold it|(?:give me )?${A_MOMENT}|let me (?:think|see)|(?:maybe )?later|skip|leave|stop|scratch|whatever|(?:i )?changed my mind|nvm|idk|dunno|hm+|uh|um+)` +
    `(?: (?:on|up|now|then|please|it|that|this|there|about|sorry|just|for|let me (?:think|see)|${A_MOMENT}))*$`,
  'u',
);

/** The parameter that the question asks for. */
function missingIn(question: string, type: TaskIntent, reply: Utterance): string | undefined {
  if (question === CLARIFICATION.missingDescription)
    return ({ CREATE_TASK: 'description', UPDATE_TASK: 'new_description' } as Partial<Record<TaskIntent, string>>)[
      type
    ];
  const choice = choiceIn(question);
  const isAnswer = choice ? isAmong(choice, reply) : question === CLARIFICATION.whichTask;
  return isAnswer && NAMES_TASK.has(type) ? 'task_reference' : undefined;
}

/** A place, a whole task, or one of its words: a part of a word may be anything. */
function isAmong({ options }: Choice, { text, words }: Utterance): boolean {
  const wanted = trimEndOf(text, ' .!,').toLowerCase();
  const isWordOf = (option: string) =>
    words.length === 1 && readUtterance(option).words.some(({ key }) => key === words[0]?.key);
  return (
    listPositionOf(wanted, options.length) !== undefined ||
    options.some((option) => option.toLowerCase() === wanted || isWordOf(option))
  );
}
