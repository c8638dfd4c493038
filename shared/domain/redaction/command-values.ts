/** Says of a mark in a command whether a program takes it as a value, by what stands around it. */
import { isSecretName } from './words/names.ts';
import { SETTERS } from './words/setters.ts';

/** The characters that may follow a value. */
export const ENDS = /^(?:$|[\s"'`&#;,)}\]|<>\\])/;

/** Kinds of `commands.ts`; no name in a message makes one of them, because theirs have no blanks. */
export const ARGUMENT = 'password of ';

/** A key that a shell only hands on: between quotes, or the first lines of a here-document. */
export function isHandedOn(before: string, after: string): boolean {
  const quote = before.at(-1) ?? '';
  return (
    (/["']/.test(quote) && after === quote) ||
    /<<-?[ \t]*(["']?)[A-Za-z0-9_]{1,20}\1(?:[ \t;|>&][^\n]*)?\n$/.test(before)
  );
}

/** The words of the command that the text ends in. */
const commandOf = (before: string): string[] =>
  before
    .slice(before.search(/[^;&|\n()]*$/))
    .split(/\s+/)
    .filter(Boolean);

/** Words before a program's name that only start it. */
const STARTS =
  /^(?:sudo|env|nohup|time|exec|command|nice|if|then|elif|else|while|until|do|!|\{|-.*|[A-Za-z_][A-Za-z0-9_]*=.*)$/;

/** The program that starts the command. */
const programOf = (words: readonly string[]): string => {
  const first = words.find((word) => !STARTS.test(word)) ?? '';
  return first.slice(first.lastIndexOf('/') + 1).toLowerCase();
};

/** Whether the command is one of that program, or speaks into it: elsewhere its name may be an operand, and the mark another. */
export function starts(before: string, program: string): boolean {
  const words = commandOf(before);
  const name = programOf(words);
  // `dotnet nuget push` is nuget.
  if (name === 'dotnet') return words.includes(program);
  return name === program || name === 'echo' || name === 'printf';
}

const HERE_DOCUMENT = /^([A-Za-z0-9_ \t\n;&|./@:,+-]*)<<-?[ \t]*(["']?)([A-Za-z0-9_]{1,20})\2[ \t]*\n([\s\S]*)$/;

/**
 * Whether the program reads the line from a here-document. `before` is all of the text before it: a quote, a comment, an
 * alias or another here-document there would make a command of the line.
 */
export function readsLine(before: string, program: string): boolean {
  const [, head = '', , delimiter = '', lines = ''] = HERE_DOCUMENT.exec(before) ?? [];
  const above = lines.split('\n').slice(0, -1);
  return programOf(commandOf(head)) === program && above.every((line) => line.trim() !== delimiter);
}

/** Programs that take every word as it is: an option's name before the mark does not make it a value. */
const TAKES_WORDS = /^(?:for|set|select|case|eval|echo|printf|test|\[|\[\[|read|xargs)$/;

function takesWords(words: readonly string[]): boolean {
  const isGeneral = words.some((word) => word === '--' || word === 'xargs' || word.startsWith('<<'));
  return isGeneral || TAKES_WORDS.test(programOf(words));
}

/** `--name ‹…›` where the program reads it as an option, or `config set name ‹…›`. */
function isNamed(before: string): boolean {
  const words = commandOf(before);
  const name = /(\S+)[ \t]{1,4}["']?$/.exec(before)?.[1] ?? '';
  if (takesWords(words)) return false;
  if (/^-{1,2}[A-Za-z][A-Za-z0-9-]{0,60}$/.test(name)) return true;
  const others = words.slice(0, /["']$/.test(before) ? -2 : -1);
  const setter = others.findLast((word) => !word.startsWith('-')) ?? '';
  // Where names have no case, `ENV` is a program that runs others.
  const isSet = SETTERS.has(setter) && setter !== 'ENV';
  return isSet && isSecretName(name.slice(name.lastIndexOf(':') + 1).slice(-64));
}

/** After `NAME=`, `name: `, `"name": "`, `--name `, `Name: Scheme `, or as the password of `-u name:password`. */
export function inCommand(before: string, after: string): boolean {
  if (!ENDS.test(after)) return false;
  return (
    // Of `name= reboot` a shell runs the second word.
    /[A-Za-z0-9_.\]-]["']?(?:=|=>[ \t]{0,4})["']?$/.test(before) ||
    /[A-Za-z0-9_-]["']?:[ \t]{1,4}["']?(?:[A-Za-z0-9-]{1,20}[ \t]{1,4})?$/.test(before) ||
    /["']:["']$/.test(before) ||
    isSecretName(/([A-Za-z0-9_-]{1,64}):["']?$/.exec(before)?.[1] ?? '') ||
    isNamed(before) ||
    /(?:^|\s)(?:-u|--user|--proxy-user)[ =]["']?[^\s:"']{1,128}:$/.test(before)
  );
}

/** A word that leaves those behind it to the options before them. */
export const isPlainWord = (word: unknown): boolean =>
  typeof word === 'string' && word !== '--' && !TAKES_WORDS.test(word);
