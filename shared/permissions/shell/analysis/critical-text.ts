/** Finds critical deletes in a text that a program may run (D14). */
import { baseName } from '../../text/base-name.ts';
import { UNKNOWN } from '../../text/unknown.ts';
import type { ShellCommand } from '../syntax/command.ts';
import { type Field, literalField } from '../syntax/fields.ts';
import { criticalDelete, deletes, type Roots, startsDelete } from './critical.ts';

/** Where one command of a text ends, in a shell and in a call of another language. */
const ENDS = /([;&|\n)]+)/;
/** Between words of a shell, and of a list of texts: `["rm", "-rf", "/"]`. */
const BETWEEN = /[\s"'`,(]+/;
const HOME = /\$(?:HOME\b|\{HOME\})|%USERPROFILE%/g;
const HERE = /\$(?:PWD\b|\{PWD\})/g;
const PRINTED_HERE = /\$\(\s*pwd\s*\)|`\s*pwd\s*`/g;
/** The same folders as other languages name them. */
const CALLED_HOME =
  /(?:require\(["'](?:node:)?os["']\)\.|(?:\b\w+\.){0,3})(?:homedir|home)\(\)|(?:\b\w+\.){0,3}(?:environ(?:\.get)?|getenv|env|ENV)(?:\.HOME\b|[[(]["']HOME["'][\])])|\bDir\.home\b/g;
const CALLED_HERE = /(?:\b\w+\.){0,3}(?:getcwd|cwd)\(\)|\bDir\.(?:pwd|getwd)\b/g;
const VARIABLE = /\$(?:\w+|\{\w+\})/g;
/** Functions of languages that delete a folder with all in it. */
const CALL =
  /(?:^|[.:])(?:rmtree|rm_rf?|rmSync|rmdirSync|removeSync|emptyDirSync|rimraf(?:Sync)?|remove_tree|RemoveAll)$|(?:fs|fsp|promises)\.rm$/;
/** Functions that give their argument back as a path. */
const WRAPS = /(?:^|[.:])(?:expanduser|Path|abspath|realpath|resolve|normalize|expand_path)$/;
/** The argument that is the folder, where arguments have names. */
const PATH = /^path=/;
/** No text in earnest deletes so often. */
const MAX_DELETES = 100;

/** Whether some command in the text deletes a top-level folder, the home or working directory, or all in it. */
export function holdsCriticalDelete(text: string, dir: string, roots: Roots): boolean {
  if (!/[/~.*$%\\:|]| -[xX]/.test(text)) return false;
  let found = 0;
  let source: ShellCommand | undefined;
  // Every second part is an end.
  const parts = text
    .replace(PRINTED_HERE, '$$PWD')
    .replace(CALLED_HOME, '$$HOME')
    .replace(CALLED_HERE, '$$PWD')
    .split(ENDS);
  for (let part = 0; part < parts.length; part += 2) {
    const words = (parts[part] as string).split(BETWEEN).filter((word) => word !== '');
    let fields: readonly Field[] | undefined;
    const commandAt = (at: number, name: string): ShellCommand => {
      fields ??= words.map((word) => literalField(plain(word)));
      return commandOf([literalField(name), ...fields.slice(at + 1)], dir, source);
    };
    for (let at = 0; at < words.length; at++) {
      if (callsDelete(words, at, dir, roots)) return true;
      const name = nameOf(words[at] as string);
      if (!startsDelete(name, words[at - 1])) continue;
      found += 1;
      if (found > MAX_DELETES || criticalDelete(commandAt(at, name), roots, new Set()) !== undefined) return true;
      // The words behind a delete are its own.
      if (deletes(name)) break;
    }
    source = parts[part + 1] === '|' ? commandAt(0, nameOf(words[0] ?? '')) : undefined;
  }
  return false;
}

/** Other words may be parts of a path: `rmtree(join("/tmp", name))`. */
function callsDelete(words: readonly string[], at: number, dir: string, roots: Roots): boolean {
  if (!CALL.test(words[at] as string)) return false;
  const named = words.findIndex((word, place) => place > at && PATH.test(word));
  const given = words.slice(named < 0 ? at + 1 : named).map((word) => word.replace(PATH, ''));
  const [target = '', next] = given.filter((word) => word !== '' && !WRAPS.test(word));
  // The beginning of a path: `process.cwd() + "/dist"`.
  if (next === '+' || (next === '/' && /^\$/.test(target))) return false;
  const command = commandOf(['rm', '-r', plain(target)].map(literalField), dir, undefined);
  return criticalDelete(command, roots, new Set()) !== undefined;
}

/** `x=rm`, `!rm`, `{rm`, `%w[rm` and `/bin/rm` start one, too. */
const nameOf = (word: string): string => baseName(word.replace(/^.*[={[!$@\\]/, ''));

function plain(word: string): string {
  const text = word.replace(HOME, '~').replace(HERE, '.').replace(VARIABLE, UNKNOWN);
  return /[{[]/.test(text) ? text : text.replace(/[}\]]+$/, '');
}

const commandOf = (argv: ShellCommand['argv'], dir: string, source: ShellCommand | undefined): ShellCommand => ({
  argv,
  assignments: [],
  stdin: source === undefined ? { kind: 'inherited' } : { kind: 'pipe', from: [source] },
  dir,
  otherDirs: [],
  dirAllowed: true,
  foundIn: '',
});
