/** Reads a shell text with a second, independent parser, and compares what both found. */
import { parse } from 'unbash';
import type { WalkedTree } from '../syntax/shell-parser.ts';
import type { ShellTree } from '../syntax/tree.ts';
import { TreeReading } from './second-reader-tree.ts';
import { UnbashReading } from './second-reader-unbash.ts';

/** Two independent readers rarely misread a text in the same way: a text that they read alike is read well. */
export const READERS_DISAGREE = 'two readers of shell text disagree';

/** Parts the words of a command; no word that both readers take literally holds it. */
const BETWEEN_WORDS = '\u0000';

/**
 * Compares the simple commands, words, redirections and substitutions that both readers found.
 *
 * @param tree the first reader's tree, of a text that it could read
 * @param walk the commands and redirections that were taken from this tree
 * @returns the doubt where the readings differ, or where the second reader refuses the text; otherwise undefined
 */
export function secondReading(tree: ShellTree, walk: WalkedTree): string | undefined {
  // A text of plain words has been read by the rules of `plainTree`, and a broken tree carries a doubt.
  if (tree.plain === true || tree.broken) return undefined;
  const second = secondFacts(tree.text);
  if (second === undefined) return READERS_DISAGREE;
  const first = new TreeReading(tree, walk.budget).facts;
  return isSameList(first, second.facts) && hasAll(second, walk) ? undefined : READERS_DISAGREE;
}

function secondFacts(text: string): UnbashReading | undefined {
  try {
    const reading = new UnbashReading(text, parse(text));
    return reading.refused ? undefined : reading;
  } catch {
    return undefined;
  }
}

/** The two readers meet the same facts in a different order. */
function isSameList(first: string[], second: string[]): boolean {
  if (first.length !== second.length) return false;
  first.sort();
  second.sort();
  return first.every((fact, at) => fact === second[at]);
}

/** A command or target without expansions has one meaning only: the walk must have come to the same text. */
function hasAll({ commands, targets }: UnbashReading, walk: WalkedTree): boolean {
  if (commands.length > 0) {
    const walked = new Set(walk.commands.map(({ argv }) => argv.map(({ text }) => text).join(BETWEEN_WORDS)));
    if (!commands.every((words) => walked.has(words.join(BETWEEN_WORDS)))) return false;
  }
  if (targets.length === 0) return true;
  const walked = new Set(walk.redirects.map(({ target }) => target.text));
  return targets.every((text) => walked.has(text));
}
