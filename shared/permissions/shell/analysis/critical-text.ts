/** Finds critical deletes in a text that a program may run (D14). */
import { baseName } from '../../text/base-name.ts';
import { UNKNOWN } from '../../text/unknown.ts';
import type { ShellCommand } from '../syntax/command.ts';
import { literalField } from '../syntax/fields.ts';
import { criticalDelete, type Roots, startsDelete } from './critical.ts';

/** Where one command of a text ends, in a shell and in a call of another language. */
const ENDS = /[;&|\n)]+/;
/** Between words of a shell, and of a list of texts: `["rm", "-rf", "/"]`. */
const BETWEEN = /[\s"'`,(]+/;
const HOME = /\$(?:HOME\b|\{HOME\})|%USERPROFILE%/g;
const HERE = /\$(?:PWD\b|\{PWD\})/g;
const PRINTED_HERE = /\$\(\s*pwd\s*\)|`\s*pwd\s*`/g;
const VARIABLE = /\$(?:\w+|\{\w+\})/g;
/** No text in earnest deletes so often. */
const MAX_DELETES = 100;

/** Whether some command in the text deletes a top-level folder, the home or working directory, or all in it. */
export function holdsCriticalDelete(text: string, dir: string, roots: Roots): boolean {
  if (!/[/~.*$%\\:]/.test(text)) return false;
  let found = 0;
  for (const part of text.replace(PRINTED_HERE, '$$PWD').split(ENDS)) {
    const words = part.split(BETWEEN).filter((word) => word !== '');
    for (let at = 0; at < words.length; at++) {
      const name = nameOf(words[at] as string);
      if (!startsDelete(name, words[at - 1])) continue;
      found += 1;
      const argv = [name, ...words.slice(at + 1).map(plain)].map(literalField);
      if (found > MAX_DELETES || criticalDelete(commandOf(argv, dir), roots, new Set()) !== undefined) return true;
      // The words behind it are its own.
      break;
    }
  }
  return false;
}

/** `x=rm`, `!rm`, `{rm`, `%w[rm` and `/bin/rm` start one, too. */
const nameOf = (word: string): string => baseName(word.replace(/^.*[={[!$@\\]/, ''));

function plain(word: string): string {
  const text = word.replace(HOME, '~').replace(HERE, '.').replace(VARIABLE, UNKNOWN);
  return /[{[]/.test(text) ? text : text.replace(/[}\]]+$/, '');
}

const commandOf = (argv: ShellCommand['argv'], dir: string): ShellCommand => ({
  argv,
  assignments: [],
  stdin: { kind: 'inherited' },
  dir,
  otherDirs: [],
  dirAllowed: true,
  foundIn: '',
});
