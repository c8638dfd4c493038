/** Says of a mark in a command whether a program takes it as a value, by what stands around it. */
import { commandOf, nameIn, openQuoteIn, programOf, programRun } from '../readers/command-words.ts';
import { isSecretName } from '../tables/names.ts';
import { FILES } from '../tables/place-takers.ts';
import { SETTERS } from '../tables/setters.ts';
import { withoutStarters } from '../tables/starters.ts';

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

/** Whether the command is one of that program, or speaks into it: elsewhere its name may be an operand, and the mark another. */
export function starts(before: string, program: string): boolean {
  const words = commandOf(before);
  if (runsWord(words)) return false;
  const name = programRun(words);
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
  return programRun(commandOf(head)) === program && above.every((line) => line.trim() !== delimiter);
}

/** Programs that take every word as it is: an option's name before the mark does not make it a value. */
const TAKES_WORDS = /^(?:for|set|select|case|eval|echo|printf|test|\[|\[\[|read|xargs)$/;

function takesWords(words: readonly string[]): boolean {
  const isGeneral = words.some((word) => word === '--' || word === 'xargs' || word.startsWith('<<'));
  return isGeneral || TAKES_WORDS.test(programOf(words)) || runsWord(words);
}

/** Words of a shell that run or keep one of their words. Elsewhere such a word is an operand. */
const BUILTIN = /^(?:eval|source|\.|trap|alias|complete|watch|at|batch)$/;
const READER = /^(?:su|runuser|parallel|crontab)$/;
const REMOTE = /^(?:ssh|mosh)$/;
const SHELL = /^(?:(?:ba|da|z|k|a|fi|c|tc|pw)?sh|powershell|cmd)$/;
/** Programs that run their operands: a bundle of short options before one is no name of a value. */
const RUNS_OPERANDS =
  /^(?:ssh|mosh|strace|ltrace|gdb|valgrind|perf|chrt|taskset|unshare|nsenter|chroot|flock|screen|rlwrap|script|entr|busybox|find|g?make|ruby|perl|python[0-9.]*|node|php|g?awk)$/;

/** Whether a shell runs a word of the command: `sh -c`, `alias`. A script only gets its words. */
function runsWord(words: readonly string[]): boolean {
  return (
    BUILTIN.test(programOf(words)) ||
    words.some((word, at) => {
      const name = nameIn(word.replace(/^["']/, ''));
      return READER.test(name) || (SHELL.test(name) && /^(?:[-+<]|$)/.test(words[at + 1] ?? ''));
    })
  );
}

/** Also of `ssh host`, where a shell parts the words once more: one word is one there, several are not. */
export const readsAgain = (words: readonly string[]): boolean =>
  runsWord(words) || words.some((word) => REMOTE.test(nameIn(word)));

/** `sudo -pass reboot`, `strace -otp reboot`: an option with its own value, and then the program. */
export const runsOperands = (words: readonly string[]): boolean => {
  const program = programOf(words);
  if (program === '') return words.some((word) => !/^-|=/.test(word));
  return RUNS_OPERANDS.test(program) && !namesScript(withoutStarters(words));
};

/** `python app.py`, `node a.js`, `python -m app`: what follows is the script's own. */
const namesScript = ([program = '', ...words]: readonly string[]): boolean =>
  /^(?:ruby|perl|python[0-9.]*|node|php)$/.test(nameIn(program)) &&
  words.some((word, at) => {
    const previous = words[at - 1] ?? '';
    const isScript = /^[\w./-]+\.(?:py|m?[jt]s|cjs|rb|pl|php)$/.test(word) && !previous.startsWith('-');
    return word[0] !== '-' && (isScript || (previous === '-m' && /^python/.test(nameIn(program))));
  });

const isNameOfValue = (option: string, words: readonly string[]): boolean =>
  /^-{1,2}[A-Za-z][A-Za-z0-9._-]{0,60}$/.test(option) && !(/^-[A-Za-z]/.test(option) && runsOperands(words));

/** In another shell the words behind `set` become `$1` and `$2`. */
const FISH_EXPORT = /^fish -c ["']set -[a-z]{0,4}x[a-z]{0,4} [A-Za-z_]\w{0,80} $/;

/** `--name ‹…›` where the program reads it as an option, or `config set name ‹…›`. */
function isNamed(before: string): boolean {
  if (FISH_EXPORT.test(before)) return true;
  const words = commandOf(before.replace(/["']$/, ''));
  const name = /(\S+)[ \t]{1,4}["']?$/.exec(before)?.[1] ?? '';
  if (takesWords(words)) return false;
  if (isNameOfValue(name, words)) return true;
  const setter = words.slice(0, -1).findLast((word) => !word.startsWith('-')) ?? '';
  // Where names have no case, `ENV` is a program that runs others.
  const isSet = SETTERS.has(setter === 'ENV' ? '' : setter.toLowerCase());
  return isSet && isSecretName(name.slice(name.lastIndexOf(':') + 1).slice(-64)) && !isOperand(before);
}

/** Behind any of these words the others name what is gone or changed then. */
const CHANGES =
  /^(?:rm|remove|delete|del|destroy|drop|kill|prune|purge|uninstall|mv|move|rename|checkout|push|branch|tag|reset)$/;

/** `rm config token ‹…›`, `rm token: ‹…›`: of such a program a word of its own is what it changes, whatever stands before it. Within quotes it is no word. */
function isOperand(before: string): boolean {
  if (openQuoteIn(before) >= 0) return false;
  const words = commandOf(before);
  return FILES.has(programRun(words)) || words.some((word) => CHANGES.test(word));
}

/** After `NAME=`, `name: `, `"name": "`, `--name `, `Name: Scheme `, or as the password of `-u name:password`. */
export function inCommand(before: string, after: string): boolean {
  if (!ENDS.test(after) || BUILTIN.test(programOf(commandOf(before)))) return false;
  return (
    // A shell runs the second word of `name= reboot`.
    /[A-Za-z0-9_.\]-]["']?(?:=|=>[ \t]{0,4})["']?$/.test(before) ||
    /[A-Za-z0-9_-]\\?["']:[ \t]{1,4}\\"$/.test(before) ||
    (/[A-Za-z0-9_-]["']?:[ \t]{1,4}["']?(?:[A-Za-z0-9-]{1,20}[ \t]{1,4})?$/.test(before) && !isOperand(before)) ||
    /["']:\\?["']$/.test(before) ||
    isSecretName(/([A-Za-z0-9_-]{1,64}):["']?$/.exec(before)?.[1] ?? '') ||
    isNamed(before) ||
    /(?:^|\s)(?:-u|--user|--proxy-user)[ =]["']?[^\s:"']{1,128}:$/.test(before)
  );
}

/** Whether the words behind this list are left to the options in it. */
export const leavesToOptions = (words: readonly string[]): boolean =>
  words.every((word) => word !== '--' && !TAKES_WORDS.test(word)) && !runsWord(words);

/** Whether the word behind this list is the value of its last word. */
export const isValueOfLast = (words: readonly string[]): boolean => isNameOfValue(words.at(-1) ?? '', words);
