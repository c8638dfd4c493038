/** Tells whether a sentence denies a wish, or asks about it: a trigger alone is then no wish. */
import { clauseTo, isDenied, isNegation } from './denial.ts';
import type { Utterance, Word } from './utterance.ts';

const QUESTION_WORDS: ReadonlySet<string> = new Set(['how', 'why', 'what', "what's", 'whats', 'which', 'who']);
/** Soon behind a question word they make the question: "what I need to do is rest" is none. */
const AUXILIARIES: ReadonlySet<string> = new Set('do does did should can could must will would'.split(' '));
/** Questions in front of a subject: "did the laundry" and "is done" are none, unless a question mark says so. */
const FORMS_OF_BE: ReadonlySet<string> = new Set(['am', 'is', 'are', 'was', 'were']);
const QUESTION_VERBS: ReadonlySet<string> = new Set(['did', 'does', 'has', 'should']);
/** "do remind me?" is none even with the mark. */
const WISHING_VERBS: ReadonlySet<string> = new Set(['do', 'have', 'had']);
const SUBJECTS: ReadonlySet<string> = new Set(['i', 'we', 'you', 'he', 'she', 'it', 'they']);
const ARTICLES: ReadonlySet<string> = new Set(['there', 'the', 'my', 'our', 'this', 'that', 'any', 'anything', 'all']);

/** "I haven't finished the report" finishes nothing, and "do I need to buy milk?" adds nothing. The trigger begins at word `at`. */
export function isUnclearWish(utterance: Utterance, from: number, at: number): boolean {
  const clause = clauseTo(utterance, from, at);
  return isDenied(clause) || isQuestion(clause, utterance);
}

/** Whether a message without a trigger is unclear: "I don't know", "not now", "what do you mean". A later negation may be a part of a task's text. */
export const isUnclearReply = (utterance: Utterance): boolean =>
  utterance.text.endsWith('?') ||
  utterance.words.slice(0, 3).some((_, i, head) => isNegation(head, i)) ||
  isQuestion(utterance.words, utterance);

function isQuestion([first, second, third]: readonly Word[], { text }: Utterance): boolean {
  if (first === undefined) return false;
  const { key } = first;
  const hasMark = text.endsWith('?');
  if (QUESTION_WORDS.has(key)) return hasMark || [second, third].some((word) => word && AUXILIARIES.has(word.key));
  const hasSubject = second !== undefined && SUBJECTS.has(second.key);
  if (WISHING_VERBS.has(key)) return hasSubject;
  if (QUESTION_VERBS.has(key)) return hasMark || hasSubject;
  return FORMS_OF_BE.has(key) && (hasMark || hasSubject || (second !== undefined && ARTICLES.has(second.key)));
}
