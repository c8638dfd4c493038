/**
 * Parses and matches the phrases of the pattern table: words and holes, without backtracking.
 *
 *   `word`         that word; `a|b` either; `[word]` may be absent; `word:` must be followed by a colon
 *   `{name}`       some text, up to the first place where the next words follow, or to the end
 *   `{name*}`      the same, up to the last such place
 *   `{name?}`      at the end only: may be empty
 *   `^` in front   only at the start of the message; `$` behind: only at its end
 */
import { readUtterance, trimStartOf, type Utterance } from './utterance.ts';

interface Literal {
  readonly words: ReadonlySet<string>;
  readonly optional: boolean;
  readonly colon: boolean;
}
interface Hole {
  readonly hole: string;
  readonly last: boolean;
  readonly mayBeEmpty: boolean;
}
type Step = Literal | Hole;

export interface Phrase {
  readonly steps: readonly Step[];
  readonly atStart: boolean;
  readonly atEnd: boolean;
  /** A phrase that begins with a hole can only begin where the message does. */
  readonly opensWithHole: boolean;
  /** Words that the phrase can begin with; empty for a hole. Callers pass over most phrases by them. */
  readonly firstWords: ReadonlySet<string>;
}

/** Texts of the holes, by name. */
export type Captures = Readonly<Record<string, string>>;

export function phrase(source: string): Phrase {
  const atStart = source.startsWith('^');
  const atEnd = source.endsWith('$');
  const steps = source
    .slice(atStart ? 1 : 0, atEnd ? -1 : undefined)
    .split(' ')
    .map(step);
  const [first] = steps;
  const firstWords = first === undefined || isHole(first) ? new Set<string>() : first.words;
  return { steps, atStart, atEnd, opensWithHole: isHole(first), firstWords };
}

function step(token: string): Step {
  if (token.startsWith('{')) {
    const name = token.slice(1, -1);
    return { hole: name.replace(/[*?]$/u, ''), last: name.endsWith('*'), mayBeEmpty: name.endsWith('?') };
  }
  const optional = token.startsWith('[');
  const bare = optional ? token.slice(1, -1) : token;
  const colon = bare.endsWith(':');
  const words = new Set((colon ? bare.slice(0, -1) : bare).toLowerCase().split('|'));
  return { words, optional, colon };
}

const isHole = (value: Step | undefined): value is Hole => value !== undefined && 'hole' in value;

/** Matches the phrase with its first word at word `at`; what it captured, or nothing. */
export function matchAt(phrase: Phrase, utterance: Utterance, at: number): Captures | undefined {
  const { text, words } = utterance;
  const captures: Record<string, string> = Object.create(null);
  let word = at;
  let from = at === 0 ? 0 : (words[at]?.start ?? text.length);
  let i = 0;
  while (i < phrase.steps.length) {
    const current = phrase.steps[i];
    let end: PhrasePosition | undefined;
    if (!isHole(current)) {
      end = literals(phrase.steps, i, utterance, word);
    } else if (i + 1 === phrase.steps.length) {
      captures[current.hole] = held(text.slice(from));
      return captures[current.hole] || current.mayBeEmpty ? captures : undefined;
    } else {
      const found = follow(phrase, i + 1, utterance, word, from, current.last);
      captures[current.hole] = found?.held ?? '';
      end = found?.end;
    }
    if (!end) return undefined;
    [i, word] = end;
    from = words[word - 1]?.end ?? from;
  }
  return phrase.atEnd && word !== words.length ? undefined : captures;
}

/** A phrase in a message: its first word that stands in the phrase itself, and what it captured. */
export interface Match {
  readonly at: number;
  readonly captures: Captures;
}

/** Anywhere in the message: the first place where the words before the first hole match. A phrase that fails there fails further on, too. */
export function matchAnywhere(phrase: Phrase, utterance: Utterance, from: number): Match | undefined {
  if (phrase.atStart) return undefined;
  if (phrase.opensWithHole) {
    const captures = matchAt(phrase, utterance, from);
    const [opening = ''] = Object.values(captures ?? {});
    return captures && { at: from + readUtterance(opening).words.length, captures };
  }
  for (let at = from; at < utterance.words.length; at += 1) {
    if (!literals(phrase.steps, 0, utterance, at)) continue;
    const captures = matchAt(phrase, utterance, at);
    return captures && { at, captures };
  }
  return undefined;
}

/** The step and the word behind what matched. */
type PhrasePosition = readonly [step: number, word: number];

/** The words from step `i` to the next hole, at word `at`. */
function literals(
  steps: readonly Step[],
  i: number,
  { text, words }: Utterance,
  at: number,
): PhrasePosition | undefined {
  let word = at;
  let next = i;
  for (; next < steps.length; next += 1) {
    const literal = steps[next];
    if (literal === undefined || isHole(literal)) break;
    const seen = words[word];
    const fits = seen && literal.words.has(seen.key) && (!literal.colon || text[seen.end] === ':');
    if (fits) word += 1;
    else if (!literal.optional) return undefined;
  }
  return [next, word];
}

/** Where the words behind a hole follow, the first place or the last, and what the hole then holds: never nothing. */
function follow(phrase: Phrase, i: number, utterance: Utterance, word: number, from: number, last: boolean) {
  const { text, words } = utterance;
  for (let n = 0; n < words.length - word; n += 1) {
    const at = last ? words.length - 1 - n : word + n;
    const end = literals(phrase.steps, i, utterance, at);
    if (!end || (phrase.atEnd && end[0] === phrase.steps.length && end[1] !== words.length)) continue;
    const inside = held(text.slice(from, words[at]?.start));
    if (inside) return { end, held: inside };
  }
  return undefined;
}

const held = (text: string): string => trimStartOf(text, ' :,;-–—').trim();
