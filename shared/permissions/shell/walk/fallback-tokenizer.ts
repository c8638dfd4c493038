/**
 * Reads a text that the parser could not, word by word: every word may be a command.
 *
 * Only deny and ask rules look at the result, so it may see too much.
 */
import { type Field, literalField } from '../syntax/fields.ts';

const ENDS: ReadonlySet<string> = new Set([';', '|', '&', '\n', '(', ')', '`', '<', '>', '{', '}', ',', '=']);
const DROPPED: ReadonlySet<string> = new Set(["'", '"', '\\', '$']);
const MAX_CANDIDATES = 4000;
const MAX_WORDS = 40;

export function fallbackCommands(text: string): Field[][] {
  const made = new Map<string, Field>();
  const fieldOfWord = (text: string): Field => {
    const field = made.get(text) ?? literalField(text);
    made.set(text, field);
    return field;
  };
  const segments: Field[][] = [[]];
  let word = '';
  const endWord = () => {
    if (word !== '') segments.at(-1)?.push(fieldOfWord(word));
    word = '';
  };
  for (const char of text) {
    if (ENDS.has(char)) {
      endWord();
      if ((segments.at(-1)?.length ?? 0) > 0) segments.push([]);
    } else if (char === ' ' || char === '\t' || char === '\r') {
      endWord();
    } else if (!DROPPED.has(char)) {
      word += char;
    }
  }
  endWord();
  const candidates: Field[][] = [];
  for (const segment of segments) {
    for (let at = 0; at < segment.length && candidates.length < MAX_CANDIDATES; at++) {
      candidates.push(segment.slice(at, at + MAX_WORDS));
    }
  }
  return candidates;
}
