/**
 * Finds the secrets of command lines by the programs that take them.
 * Words are read as a shell would part them, in one pass.
 */
import type { Word } from '../readers/command-words.ts';
import type { SecretSpan } from '../text/marker.ts';
import { nameOf, secretsOf } from './command-secrets.ts';
import { fedTo, reads } from './fed-words.ts';

/** A blank, an operator, or a word; a quote without its other half is none of them. */
const PART =
  /([ \t\r]+)|(\\\n|[\n;&|()<>]+)|((?:'[^'\n]{0,262144}'|"(?:[^"\\\n]|\\.){0,262144}"|\\.|[^\s;&|()<>'"\\])+)/gy;
const SPEAKS: ReadonlySet<string> = new Set(['echo', 'printf', 'print', 'write-output']);
/** Words of one command that are looked at together; the first and the last of them are looked at again with those that follow. */
const MAX_WORDS = 4_096;
const MAX_KEPT = 16;

export function findInCommands(text: string, level = 0): SecretSpan[] {
  const spans: SecretSpan[] = [];
  let words: Word[] = [];
  /** How many of them were looked at for one that reads another one as commands, and whether one does. */
  let [looked, isRead] = [0, false];
  /** Spoken into the pipe that the next command reads. */
  let spoken: readonly Word[] = [];
  let isHereString = false;
  let isHereDocument = false;
  /** The command that reads what the one within `<(…)` prints. */
  let outer: readonly Word[] = [];
  const end = (operator: string): void => {
    if (outer.length) spans.push(...printedFor(outer, words));
    outer = outerOf(operator, words, previous);
    if (isHereDocument && operator.includes('\n')) {
      isHereDocument = false;
      if (reads(previous)) {
        const { lines, end } = bodyOf(text, PART.lastIndex, words[0]?.text ?? '');
        spans.push(...lines.flatMap((line) => fedTo(previous, line)));
        // The program reads these lines, and no shell.
        PART.lastIndex = end;
      }
    }
    if (isHereString) {
      isHereString = false;
      const [fed, ...rest] = words;
      words = rest;
      if (fed && reads(previous)) spans.push(...fedTo(previous, fed));
    }
    spans.push(...secretsOf(words));
    if (spoken.length && reads(words)) spans.push(...spoken.flatMap((word) => fedTo(words, word)));
    const first = words[0]?.text.toLowerCase() ?? '';
    spoken = operator === '|' && SPEAKS.has(first) ? words.slice(1).filter(({ text: one }) => !/^[-%]/.test(one)) : [];
    previous = words;
    isHereString = operator === '<<<';
    isHereDocument = operator === '<<';
    words = [];
    [looked, isRead] = [0, false];
  };
  const isScript = (text: string): boolean => {
    if (level >= MAX_LEVELS || !/\s/.test(text)) return false;
    for (; !isRead && looked < words.length; looked++) isRead = READS_SCRIPT.test(nameOf(words[looked] as Word));
    return isRead;
  };
  let previous: readonly Word[] = [];
  PART.lastIndex = 0;
  while (PART.lastIndex < text.length) {
    const from = PART.lastIndex;
    const match = PART.exec(text);
    if (!match) {
      PART.lastIndex = from + 1;
      continue;
    }
    const [, , operator, word] = match;
    if (operator !== undefined && operator !== '\\\n') end(operator);
    else if (word !== undefined) {
      if (words.length === MAX_WORDS) {
        spans.push(...secretsOf(words));
        words = [...words.slice(0, MAX_KEPT), ...words.slice(-MAX_KEPT)];
        looked = 0;
      }
      const next = unquoted(word, from);
      if (isScript(next.text)) {
        // The words of the script are read by the same pattern, which goes on behind this word then.
        const behind = PART.lastIndex;
        spans.push(...inScript(word, from, level + 1));
        PART.lastIndex = behind;
      }
      words.push(next);
    }
  }
  end('');
  return spans;
}

/** The words before `<(`, or of `< <(`. */
const outerOf = (operator: string, words: readonly Word[], previous: readonly Word[]): readonly Word[] =>
  !operator.endsWith('<(') ? [] : words.length ? words : previous;

/** `gcloud secrets create a --data-file=<(echo SECRET)` */
const printedFor = (outer: readonly Word[], [first, ...words]: readonly Word[]): SecretSpan[] =>
  SPEAKS.has(first?.text.toLowerCase() ?? '') && reads(outer) ? words.flatMap((word) => fedTo(outer, word)) : [];

/** Programs that read one of their words as commands. */
const READS_SCRIPT = /^(?:(?:ba|da|z|k|a|fi|c|tc|pw)?sh|powershell|cmd|ssh|mosh|su|runuser|eval|watch|parallel|sudo)$/;
const MAX_LEVELS = 8;

/** The secrets of a script that a word gives, which a shell reads without the quotes and backslashes around it. */
function inScript(word: string, start: number, level: number): SecretSpan[] {
  const places: number[] = [];
  let plain = '';
  let quote = '';
  for (let at = 0; at < word.length; at++) {
    const char = word[at] as string;
    if (char === quote || (quote === '' && (char === '"' || char === "'"))) {
      quote = quote === '' ? char : '';
      continue;
    }
    const isEscape = char === '\\' && quote !== "'" && (quote === '' || /["\\$`]/.test(word[at + 1] ?? ''));
    if (isEscape && at + 1 < word.length) at += 1;
    places.push(start + at);
    plain += word[at];
  }
  return findInCommands(plain, level).map((span) => ({
    ...span,
    start: places[span.start] ?? start,
    end: (places[span.end - 1] ?? start) + 1,
  }));
}

/** The lines of a here-document, and the place where the last one ends. */
function bodyOf(text: string, from: number, stated: string): { readonly lines: readonly Word[]; readonly end: number } {
  const delimiter = stated.replace(/^-/, '');
  const lines: Word[] = [];
  let start = from;
  while (start < text.length) {
    const next = text.indexOf('\n', start);
    const end = next < 0 ? text.length : next;
    const line = text.slice(start, end).trim();
    if (line === delimiter || lines.length >= MAX_WORDS) break;
    if (line !== '') lines.push({ start: text.indexOf(line, start), text: line });
    start = end + 1;
  }
  return { lines, end: Math.min(start, text.length) };
}

function unquoted(word: string, start: number): Word {
  const quote = word[0];
  const isQuoted = word.length > 1 && (quote === '"' || quote === "'") && word.indexOf(quote, 1) === word.length - 1;
  return isQuoted ? { start: start + 1, text: word.slice(1, -1) } : { start, text: word };
}
