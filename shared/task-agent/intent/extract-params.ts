/** Turns what a phrase captured into the parameters that the contract names. */
import type { TaskIntent } from './patterns.ts';
import type { Captures } from './phrases.ts';
import { isOnlyPunctuation, trimEndOf, trimStartOf } from './utterance.ts';

/** Extracts the parameters that the message holds, and no others: an absent parameter is a question to ask. */
export function extractParams(intent: TaskIntent, captures: Captures): Record<string, string> | null {
  const reference = cleanReference(captures['task_reference'] ?? '');
  switch (intent) {
    case 'LIST_TASKS':
      return null;
    case 'CREATE_TASK':
      return nonEmpty({ description: captures['description'] ?? '' });
    case 'COMPLETE_TASK':
    case 'DELETE_TASK':
      return nonEmpty({ task_reference: reference });
    case 'UPDATE_TASK': {
      const addition = captures['addition'];
      const text = addition && reference ? `${reference} and ${addition}` : (captures['new_description'] ?? '');
      return nonEmpty({ task_reference: reference, new_description: text });
    }
    default:
      return intent satisfies never;
  }
}

function nonEmpty(params: Record<string, string>): Record<string, string> | null {
  const entries = Object.entries(params).filter(([, value]) => !isOnlyPunctuation(value));
  return entries.length > 0 ? Object.fromEntries(entries) : null;
}

/** Words that name no task: "all done" would complete "call mom", which holds the letters. */
const POINTERS = new Set([
  ...['the', 'my', 'this', 'that', 'it', 'one', 'task', 'tasks'],
  ...['all', 'both', 'these', 'those', 'them'],
]);
/** Praise, as in "well done"; but "the well" is a thing. */
const PRAISE = 'well';
/** Pointers only in front of a noun: "delete a task" names none, "change a to b" does. */
const ARTICLES = new Set(['a', 'an']);
const ENDINGS = [' please', ' from my list', ' off my list', ' from the list', ' off the list', ' task'];
const QUOTES = `'"“”‘’`;

/** Without a leading "the", a trailing " task", the sentence's punctuation, and quotes around it. */
function cleanReference(captured: string): string {
  const whole = bare(captured);
  let text = whole;
  for (const ending of ENDINGS) {
    if (text.toLowerCase().endsWith(ending)) text = bare(text.slice(0, -ending.length));
  }
  if (text.toLowerCase() === PRAISE) return '';
  if (text.toLowerCase().startsWith('the ')) text = text.slice(4);
  const unquoted = trimStartOf(trimEndOf(text, QUOTES), QUOTES).trim();
  const isPointer = POINTERS.has(unquoted.toLowerCase()) || (text !== whole && ARTICLES.has(text.toLowerCase()));
  return isPointer ? '' : unquoted;
}

const bare = (text: string): string => trimEndOf(text, ' .!?,;:');
