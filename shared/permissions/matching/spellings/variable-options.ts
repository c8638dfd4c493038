/** Spells variables as the options that they stand for: `AWS_PROFILE=a` as `--profile a`. */
import { withoutVersion } from '../../programs/catalogue/index.ts';
import { wordsOfVariable } from '../../programs/catalogue/names/variable-options.ts';
import { resolveCommand } from '../../programs/resolve.ts';
import { programOf, type ShellCommand } from '../../shell/syntax/command.ts';
import { ANYTHING, type Field, literalField } from '../../shell/syntax/fields.ts';

const ASSIGNMENT = /^([A-Za-z_]\w*)=(.*)$/s;
/** Words that variables add to one command. More of them may be any. */
const MAX_WORDS = 64;

type Variable = readonly [name: string, value: string];

interface Variables {
  readonly all: readonly Variable[];
  /** The words that they are for a program and its sub-command: a text may hold hundreds of both. */
  readonly words: Map<string, readonly string[]>;
}

const cache = new WeakMap<readonly ShellCommand[], Variables>();

/** Variables that any command of the text sets, `export`, `env` and `sudo` among them, with each value: any may be the command's. */
function variablesOf(commands: readonly ShellCommand[]): Variables {
  let found = cache.get(commands);
  if (found === undefined) {
    const stated = commands.flatMap(({ argv, assignments }) => [
      ...assignments.flatMap(({ name, value }): Variable[] => (value?.isKnown === true ? [[name, value.text]] : [])),
      ...argv.slice(1).flatMap(({ text }): Variable[] => {
        const [, name, value] = ASSIGNMENT.exec(text) ?? [];
        return name === undefined || value === undefined ? [] : [[name, value]];
      }),
    ]);
    found = { all: [...new Map(stated.map((each) => [each.join('='), each])).values()], words: new Map() };
    cache.set(commands, found);
  }
  return found;
}

function wordsFor({ all, words }: Variables, program: string, subcommand: string): readonly string[] {
  const key = `${program} ${subcommand}`;
  const known = words.get(key);
  if (known !== undefined) return known;
  const found: string[] = [];
  for (const [name, value] of all) {
    found.push(...wordsOfVariable(program, subcommand, name, value));
    if (found.length > MAX_WORDS) break;
  }
  words.set(key, found);
  return found;
}

/** The command with the options that variables of the text give it, before its own words and behind its sub-command. */
export function withVariableOptions(
  argv: readonly Field[],
  commands: readonly ShellCommand[],
): readonly (readonly Field[])[] {
  const variables = variablesOf(commands);
  if (variables.all.length === 0) return [];
  const program = withoutVersion(programOf(argv[0])?.toLowerCase() ?? '');
  const words = wordsFor(variables, program, resolveCommand(argv)?.path[0] ?? '');
  if (words.length === 0) return [];
  const some = words.slice(0, MAX_WORDS).map(literalField);
  return [[argv[0] as Field, ...some, ...(words.length > MAX_WORDS ? [ANYTHING] : []), ...argv.slice(1)]];
}
