/** Spells a command in other words that run the same program: `pip3`, `npm.cmd`, `git-push`. */
import { recordOf, withoutVersion } from '../../programs/catalogue/index.ts';
import { otherProgram } from '../../programs/catalogue/names/aliases.ts';
import { packageNames } from '../../programs/catalogue/names/package-names.ts';
import type { ProgramRecord } from '../../programs/record/record.ts';
import { resolveCommand } from '../../programs/resolve.ts';
import type { WorkBudget } from '../syntax/budget.ts';
import { type Field, literalField } from '../syntax/fields.ts';

/** The same command in other words: `pip3 x` is `pip x`, `docker image push` is `docker push`, `make a b` is `make b`. */
export function otherSpellings(
  argv: readonly Field[],
  name: string,
  program: ProgramRecord | undefined,
  budget: WorkBudget,
): readonly (readonly Field[])[] {
  const renamed = otherProgram(name.toLowerCase())?.map(literalField);
  const names = renamed === undefined ? otherNamesOf(name) : [...otherNamesOf(name), renamed];
  const spellings: (readonly Field[])[] = names.map((words) => [...words, ...argv.slice(1)]);
  if (program === undefined) return spellings;
  const usual = withoutVersion(name);
  if (usual !== name && recordOf(usual) === program) spellings.push([literalField(usual), ...argv.slice(1)]);
  if (program.also !== undefined && program.also !== name)
    spellings.push([...program.also.split(' ').map(literalField), ...argv.slice(1)]);
  if (program.subcommands?.toolchain === true && argv[1]?.text.startsWith('+') === true)
    spellings.push([argv[0] as Field, ...argv.slice(2)]);
  const resolved = program.subcommands === undefined ? undefined : resolveCommand(argv);
  const [group = ''] = resolved?.path ?? [];
  const also = program.subcommands?.of.get(group)?.also;
  if (also !== undefined) {
    const at = argv.findIndex(({ text }) => text === group);
    spellings.push([...also.split(' ').map(literalField), ...argv.slice(at + 1)]);
    // `podman image rm` is `podman rm` as well.
    if (also !== name && recordOf(also)?.subcommands === program.subcommands)
      spellings.push([argv[0] as Field, ...argv.slice(at + 1)]);
  }
  if (resolved?.record.nested !== undefined)
    spellings.push(...nestedIn(resolved.words, resolved.record.nested).map((words) => [argv[0] as Field, ...words]));
  spellings.push(...meanings(argv, program, budget));
  if (program.goals === true && argv.length > 2)
    for (const goal of argv.slice(1))
      if (!goal.text.startsWith('-') && budget.spend(1)) spellings.push([argv[0] as Field, goal]);
  return spellings;
}

/** Commands of the program within its own words. Further ones than these are not looked at one by one. */
const MAX_NESTED = 16;

/** `web add x` of `yarn workspace` is `add x`, and `a, b` of `mix do` is `a` and `b`. */
function nestedIn(words: readonly Field[], operands: number): readonly (readonly Field[])[] {
  const starts: number[] = [];
  let left = operands;
  for (const [at, { text }] of words.entries()) {
    if (text.startsWith('-')) continue;
    if (left > 0) left -= 1;
    else {
      starts.push(at);
      // The word behind an option may be its value.
      if (words[at - 1]?.text.startsWith('-') !== true) break;
    }
  }
  const [first = words.length] = starts;
  for (let at = first; at < words.length; at++) if (/^\+$|,$/.test(words[at]?.text ?? '')) starts.push(at + 1);
  return starts.slice(0, MAX_NESTED).flatMap((from) => {
    const [name, ...rest] = words.slice(from);
    return name === undefined ? [] : [[literalField(name.text.replace(/,$/, '')), ...rest]];
  });
}

/** `ssh me@host` is `ssh host`, and the record says what else operands mean. */
function meanings(argv: readonly Field[], program: ProgramRecord, budget: WorkBudget): readonly (readonly Field[])[] {
  const withoutLogin =
    program.connects !== undefined && argv.some(({ text }) => LOGIN.test(text))
      ? [argv.map((field) => (LOGIN.test(field.text) ? literalField(field.text.replace(LOGIN, '$1')) : field))]
      : [];
  const resolved = resolveCommand(argv);
  if (resolved?.record.means === undefined) return withoutLogin;
  const operands = resolved.words.flatMap(({ text }) => (text.startsWith('-') ? [] : [text]));
  const start = [argv[0] as Field, ...resolved.path.map(literalField)];
  // Behind the operands none of them is an option's value.
  const options = resolved.words.filter(({ text }) => text.startsWith('-'));
  const isOther = (words: readonly string[]): boolean =>
    words.length !== operands.length || words.some((word, at) => word !== operands[at]);
  const given = options.map(({ text }) => text);
  const meant = resolved.record.means(operands, given).filter((words) => isOther(words) && budget.spend(1));
  return [...withoutLogin, ...meant.map((words) => [...start, ...words.map(literalField), ...options])];
}

/** `me@host:path`, `ssh://me@host:22`. */
const LOGIN = /^(?:ssh:\/\/)?[^@/:\s]+@([^@/:\s]+)(?::\d+\/?$)?/;

/** Endings that Windows leaves out of a program's name, besides `.exe`. */
const WINDOWS = /\.(?:cmd|bat|com|ps1)$/i;

function otherNamesOf(name: string): readonly (readonly Field[])[] {
  const names = [...(WINDOWS.test(name) ? [name.replace(WINDOWS, '')] : []), ...packageNames(name)];
  // `git-push` is a program of its own, and a sub-command of git.
  const dash = name.indexOf('-');
  const rest = name.slice(dash + 1);
  const isSubcommand = dash > 0 && recordOf(name.slice(0, dash))?.subcommands?.of.has(rest) === true;
  return [...names.map((each) => [each]), ...(isSubcommand ? [[name.slice(0, dash), rest]] : [])].map((words) =>
    words.map(literalField),
  );
}
