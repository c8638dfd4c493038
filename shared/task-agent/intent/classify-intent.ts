/** Classifies a message by the contract's patterns: no model, no state, the same answer every time. */
import type { HistoryMessage } from '../../contract/task-conversation.ts';
import type { UserIntent } from '../decisions/schemas.ts';
import { confirmationOf } from './confirmation-words.ts';
import { extractParams } from './extract-params.ts';
import { CONNECTORS, OPENERS, PATTERNS, SMALL_TALK, type TaskIntent } from './patterns.ts';
import { type Match, matchAnywhere, matchAt, type Phrase, phrase } from './phrases.ts';
import { NAMES_TASK, withReferent } from './referent.ts';
import { isUnclearWish } from './unclear-wish.ts';
import { readUtterance, type Utterance } from './utterance.ts';

/**
 * @param history - earlier messages, oldest first: "it" is the task that the agent named last.
 *
 * @example
 * console.log(classifyIntent('add buy milk to my list'));
 */
export function classifyIntent(message: string, history: readonly HistoryMessage[] = []): UserIntent {
  const utterance = readUtterance(message);
  const several = intentsOfClauses(utterance);
  if (several.length > 1) return ambiguous(several);
  const confirmation = confirmationOf(utterance.text);
  if (confirmation) return { intent_type: confirmation, confidence: 1, extracted_params: null };
  const task = taskIntentOf(utterance);
  if (task) {
    const other = wishAboutTask(utterance);
    if (other) return ambiguous(['CREATE_TASK', other]);
    const { intent, captures, at } = task;
    // The list may be shown to whoever only asks about it; anything else changes it.
    const isUnclear = intent !== 'LIST_TASKS' && isUnclearWish(utterance, startOf(utterance), at);
    if (isUnclear) return ambiguous(['LIST_TASKS', intent]);
    const params = withReferent(intent, extractParams(intent, captures), utterance, history);
    return { intent_type: intent, confidence: 0.9, extracted_params: params };
  }
  if (isUnclearWord(utterance)) return ambiguous(['CREATE_TASK', 'COMPLETE_TASK']);
  return { intent_type: 'GENERAL_CHAT', confidence: 0.8, extracted_params: null };
}

/** A message with several wishes, which are named so that a person can choose. */
export const ambiguous = (possible: readonly TaskIntent[]): UserIntent => ({
  intent_type: 'AMBIGUOUS',
  confidence: 0.4,
  extracted_params: { possible_intents: [...possible] },
});

interface IntentMatch extends Match {
  readonly intent: TaskIntent;
}

/** "I need to delete the milk task" may be a task to add, or a wish about one: nobody can say which. */
function wishAboutTask(utterance: Utterance): TaskIntent | undefined {
  const { description = '' } = matchAt(NEED, utterance, startOf(utterance)) ?? {};
  const wish = readUtterance(description);
  if (!TASK_NOUNS.has(wish.words.at(-1)?.key ?? '')) return undefined;
  const intent = leadingIntentOf(wish, 0)?.intent;
  return intent !== undefined && NAMES_TASK.has(intent) ? intent : undefined;
}
const NEED = phrase('i need to {description?}');
const TASK_NOUNS: ReadonlySet<string> = new Set(['task', 'tasks']);

/**
 * The trigger at the start of a message decides ("delete the create slides task" deletes). Without a trigger there,
 * the first row of the table that occurs in the message decides.
 */
function taskIntentOf(utterance: Utterance): IntentMatch | undefined {
  const start = startOf(utterance);
  const spoken = new Set(utterance.words.map((word) => word.key));
  const canOccur = (phrase: Phrase) => phrase.opensWithHole || [...phrase.firstWords].some((word) => spoken.has(word));
  const anywhere = (phrase: Phrase) => (canOccur(phrase) ? matchAnywhere(phrase, utterance, start) : undefined);
  return leadingIntentOf(utterance, start) ?? firstOf(anywhere);
}

function leadingIntentOf(utterance: Utterance, start: number): IntentMatch | undefined {
  const first = utterance.words[start]?.key ?? '';
  if (!TRIGGER_STARTS.has(first)) return undefined;
  return firstOf((phrase) => {
    const captures = phrase.firstWords.has(first) ? matchAt(phrase, utterance, start) : undefined;
    return captures && { at: start, captures };
  });
}

const startsOf = (phrases: readonly Phrase[]): ReadonlySet<string> =>
  new Set(phrases.flatMap((phrase) => [...phrase.firstWords]));
const TRIGGER_STARTS = startsOf(PATTERNS.flatMap((row) => row.phrases));
const OPENER_STARTS = startsOf(OPENERS);

function firstOf(match: (phrase: Phrase) => Match | undefined): IntentMatch | undefined {
  for (const { intent, phrases } of PATTERNS) {
    for (const phrase of phrases) {
      const found = match(phrase);
      if (found) return { intent, ...found };
    }
  }
  return undefined;
}

/** The word behind the politeness; never behind the whole message. */
function startOf(utterance: Utterance): number {
  for (let start = 0; ; ) {
    const starts = OPENER_STARTS.has(utterance.words[start]?.key ?? '');
    const opener = starts ? OPENERS.find((phrase) => matchAt(phrase, utterance, start)) : undefined;
    if (!opener || start + opener.steps.length >= utterance.words.length) return start;
    start += opener.steps.length;
  }
}

/** The distinct wishes of the clauses, by appearance. A clause after a connector counts only if it starts with a trigger. */
function intentsOfClauses(utterance: Utterance): readonly TaskIntent[] {
  const [head, ...others] = clausesOf(utterance);
  if (head === undefined || others.length === 0) return [];
  const found = [taskIntentOf(readUtterance(head)), ...others.map(leadingIntentOfClause)];
  return [...new Set(found.flatMap((clause) => clause?.intent ?? []))];
}

function leadingIntentOfClause(clause: string): IntentMatch | undefined {
  const read = readUtterance(clause);
  return leadingIntentOf(read, startOf(read));
}

/** The first clause, and of the others those whose first word can begin a wish: a list of a thousand things is passed over unread. */
function clausesOf({ text, words }: Utterance): readonly string[] {
  const clauses: string[] = [];
  let from = 0;
  let first: string | undefined;
  const cut = (end: number, next: number) => {
    const matters = first !== undefined && (TRIGGER_STARTS.has(first) || OPENER_STARTS.has(first));
    if (matters || (first !== undefined && clauses.length === 0)) clauses.push(text.slice(from, end));
    first = undefined;
    from = next;
  };
  let comma = text.indexOf(',');
  for (const word of words) {
    for (; comma !== -1 && comma < word.start; comma = text.indexOf(',', comma + 1)) cut(comma, comma + 1);
    if (CONNECTORS.has(word.key)) cut(word.start, word.end);
    else first ??= word.key;
  }
  cut(text.length, text.length);
  return clauses;
}

/** One word that is neither a wish nor small talk. */
function isUnclearWord({ text, words }: Utterance): boolean {
  const [only] = words;
  return words.length === 1 && only !== undefined && !text.includes(' ') && !SMALL_TALK.has(only.key);
}
