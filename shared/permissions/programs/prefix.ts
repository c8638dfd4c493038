/** What a prefix allow covers of one command (rules.md, "Commands"): the option table decides for the programs that it lists. */

import { baseName } from '../rules/index-rules.ts';
import type { ShellCommand } from '../shell/command.ts';
import type { Field } from '../shell/fields.ts';
import { CODE_BUILTINS, interpreterOf, SHELLS, WRAPPERS } from '../shell/wrappers.ts';
import { gitRefusal } from './git.ts';
import { HARMFUL_OPTIONS, isHarmfulOption, NEVER, RUN_WORDS } from './never.ts';
import { readOptions } from './options.ts';
import { ALIASES, PROGRAMS } from './table.ts';

export type PrefixVerdict =
  /** `writes`: operands that are written to, judged like redirections. */
  | { readonly kind: 'table' | 'outside-table'; readonly writes: readonly Field[] }
  | { readonly kind: 'no'; readonly why: string };

const no = (why: string): PrefixVerdict => ({ kind: 'no', why });

/** Options of interpreters that change neither what runs nor what is loaded. */
const INTERPRETER_FLAGS: ReadonlySet<string> = new Set([
  '-u',
  '-B',
  '-b',
  '-s',
  '-S',
  '-v',
  '-q',
  '-O',
  '-OO',
  '-w',
  '-W',
  '--version',
  '-V',
  '--help',
  '-h',
  '--trace-warnings',
  '--no-warnings',
  '--test',
  '--watch',
]);

/** An interpreter with a script file is covered; with code, a module that the rule does not name, or nothing to read but stdin, it is not. */
function interpreterVerdict(command: ShellCommand, name: string, ruleWords: readonly string[]): PrefixVerdict {
  const rest = command.argv.slice(1);
  for (let at = 0; at < rest.length; at++) {
    const field = rest[at] as Field;
    const { text } = field;
    if (!field.known || field.glob) return no(`a script of ${name} that is not literal`);
    if (text === '-m') {
      const module = rest[at + 1]?.text;
      const named = module !== undefined && ruleWords.includes('-m') && ruleWords.includes(module);
      return named ? { kind: 'outside-table', writes: [] } : no(`a module that ${name} runs`);
    }
    if (!text.startsWith('-'))
      return text === '/dev/stdin' ? no(`code for ${name}`) : { kind: 'outside-table', writes: [] };
    if (text === '--version' || text === '-V' || text === '--help') return { kind: 'outside-table', writes: [] };
    if (!INTERPRETER_FLAGS.has(text)) return no(`an option of ${name}`);
  }
  return no(`code for ${name} from standard input`);
}

/** The first operand, and the second where an option before it may have taken the first as its value. */
function runWord(rest: readonly Field[], words: ReadonlySet<string>): Field | undefined {
  const operands = rest.filter((field) => !field.text.startsWith('-') || words.has(field.text));
  const candidates = rest[0]?.text.startsWith('-') === true ? operands.slice(0, 2) : operands.slice(0, 1);
  return candidates.find((field) => words.has(field.text));
}

export function prefixCovers(command: ShellCommand, ruleWords: readonly string[]): PrefixVerdict {
  const written = command.argv[0]?.text ?? '';
  const name = baseName(written);
  const rest = command.argv.slice(1);
  if (WRAPPERS.has(name)) return no(`what ${name} runs`);
  if (NEVER.has(name) || CODE_BUILTINS.has(name)) return no(`what ${name} runs or changes`);
  if (SHELLS.has(name) || interpreterOf(name) !== undefined) {
    if (!ALIASES.has(name)) return interpreterVerdict(command, name, ruleWords);
  }
  const words = RUN_WORDS.get(name);
  const runs = words === undefined ? undefined : runWord(rest, words);
  if (runs !== undefined) return no(`${name} ${runs.text}, which runs a foreign program`);
  if (words !== undefined && rest.some((field) => !field.known && field.tainted))
    return no(`words of ${name} that are not literal`);

  if (name === 'git') {
    const refusal = gitRefusal(rest);
    return refusal === undefined ? { kind: 'table', writes: [] } : no(refusal);
  }
  const spec = PROGRAMS.get(ALIASES.get(name) ?? name);
  if (spec !== undefined) {
    const read = readOptions(rest, spec);
    if (typeof read === 'string') return no(`${read} of ${name}`);
    const why = spec.operands?.(read.operands, read.options);
    if (why !== undefined) return no(why);
    return { kind: 'table', writes: name === 'tee' || name === 'gtee' ? read.operands : [] };
  }
  const harmful = HARMFUL_OPTIONS.get(name);
  const option = harmful === undefined ? undefined : rest.find((field) => isHarmfulOption(field.text, harmful));
  if (option !== undefined) return no(`the option ${option.text.slice(0, 40)} of ${name}`);
  return { kind: 'outside-table', writes: [] };
}
