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

const cache = new WeakMap<readonly ShellCommand[], readonly Variable[]>();

/** Variables that any command of the text sets, `export`, `env` and `sudo` among them, with each value: any may be the command's. */
function variablesOf(commands: readonly ShellCommand[]): readonly Variable[] {
  let found = cache.get(commands);
  if (found === undefined) {
    const stated = commands.flatMap(({ argv, assignments }) => [
      ...assignments.flatMap(({ name, value }): Variable[] => (value?.isKnown === true ? [[name, value.text]] : [])),
      ...argv.slice(1).flatMap(({ text }): Variable[] => {
        const [, name, value] = ASSIGNMENT.exec(text) ?? [];
        return name === undefined || value === undefined ? [] : [[name, value]];
      }),
    ]);
    found = [...new Map(stated.map((each) => [each.join('='), each])).values()];
    cache.set(commands, found);
  }
  return found;
}

/** The command with the options that variables of the text give it, before its own words and behind its sub-command. */
export function withVariableOptions(
  argv: readonly Field[],
  commands: readonly ShellCommand[],
): readonly (readonly Field[])[] {
  const variables = variablesOf(commands);
  if (variables.length === 0) return [];
  const program = withoutVersion(programOf(argv[0])?.toLowerCase() ?? '');
  const path = resolveCommand(argv)?.path ?? [];
  const words = variables.flatMap(([name, value]) => wordsOfVariable(program, path[0] ?? '', name, value));
  if (words.length === 0) return [];
  const some = words.slice(0, MAX_WORDS).map(literalField);
  return [[argv[0] as Field, ...some, ...(words.length > MAX_WORDS ? [ANYTHING] : []), ...argv.slice(1)]];
}
