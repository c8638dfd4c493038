/** Tells whether a sentence denies a wish, or asks about it: a trigger alone is then no wish. */
import { CONNECTORS } from './patterns.ts';
import type { Utterance, Word } from './utterance.ts';

/** Also without its apostrophe. */
const NEGATION =
  /n't$|^(?:not|never|cannot|(?:do|does|did|have|ha[sd]|is|are|was|were|wo|ca|could|should|would|must|need)nt)$/;
/** Over these words a negation reaches the trigger. Over any other it denies something else: "I don't have milk remind me to buy some". */
const REACHED_OVER: ReadonlySet<string> = new Set(
  (
    'i we you me us anyone anybody that if whether to be been am are is have should would could can must will want need wish like let dare ' +
    'going gonna try think know sure mean ask ever please yet all quite even really actually fully'
  ).split(' '),
);

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

/** Words that begin another clause, besides the connectors of wishes. */
const CLAUSE_STARTS: ReadonlySet<string> = new Set([...CONNECTORS, 'so', 'but', 'because']);
const CLAUSE_MARKS = /[,.!?;:()–—]| - /u;

/** "I haven't finished the report" finishes nothing, and "do I need to buy milk?" adds nothing. The trigger begins at word `at`. */
export function isUnclearWish(utterance: Utterance, from: number, at: number): boolean {
  const clause = clauseTo(utterance, from, at);
  const before = clause.slice(0, -1);
  const negation = before.findLastIndex(isNegation);
  const isDenied = negation !== -1 && before.slice(negation + 1).every(({ key }) => REACHED_OVER.has(key));
  return isDenied || isQuestion(clause, utterance);
}

/** Of a message without a trigger: "I don't know", "not now", "what do you mean". A negation further on may be a part of a task's text. */
export const isUnclearReply = (utterance: Utterance): boolean =>
  utterance.text.endsWith('?') ||
  utterance.words.slice(0, 3).some(isNegation) ||
  isQuestion(utterance.words, utterance);

/** The words of a clause up to word `at`, which belongs to it; none before word `from`. */
function clauseTo({ text, words }: Utterance, from: number, at: number): readonly Word[] {
  let first = from;
  for (let i = from + 1; i <= at; i += 1) {
    const [before, next] = [words[i - 1], words[i]];
    const isBreak = before && (CLAUSE_STARTS.has(before.key) || CLAUSE_MARKS.test(text.slice(before.end, next?.start)));
    if (isBreak) first = i;
  }
  return words.slice(first, at + 1);
}

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

const isNegation = ({ key }: Word): boolean => NEGATION.test(key);
