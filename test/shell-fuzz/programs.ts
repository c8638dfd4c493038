/** Reads the gate's own records of programs, as the only file of this folder. */
import { PROGRAMS, recordOf } from '../../shared/permissions/programs/catalogue/index.ts';
import type { CommandRecord } from '../../shared/permissions/programs/record/record.ts';

/** Every name that a record lists, without names that are no plain word: put together once, and not for each policy that is drawn. */
export const PROGRAM_NAMES: readonly string[] = [...new Set(PROGRAMS.flatMap((record) => record.names))]
  .filter((name) => name !== '.' && isPlain(name))
  .toSorted();

function isPlain(name: string): boolean {
  return [...name].every(
    (letter) => letter.toLowerCase() !== letter.toUpperCase() || '0123456789-_.+'.includes(letter),
  );
}

/** The records that a command's first words lead to: the program's, and that of its sub-command. */
function recordsOf(words: readonly string[]): readonly CommandRecord[] {
  const record = recordOf(words[0] ?? '');
  const sub = record?.subcommands?.of.get(words[1] ?? '');
  return [record, sub].filter((each) => each !== undefined);
}

/** Options of a program that no prefix rule covers. */
export function harmfulOptions(words: readonly string[]): readonly string[] {
  const known = recordsOf(words).flatMap((record) => [
    ...(record.options?.harmful ?? []),
    ...(record.execs ?? []),
    ...(record.commandOptions ?? []),
    ...(record.interpreter?.code ?? []),
  ]);
  return [...known, ...(MORE_HARMFUL[words[0] ?? ''] ?? [])];
}

/** Harmful options that are so wherever they stand behind the last word that a record knows. */
export function ownHarmfulOptions(words: readonly string[]): readonly string[] {
  const records = recordsOf(words);
  const deepest = records.at(-1);
  const known = [...(deepest?.options?.harmful ?? [])];
  // The command of `find -exec` is looked at as a run of its own.
  const more = (MORE_HARMFUL[words[0] ?? ''] ?? []).filter((each) => deepest?.execs?.has(each) !== true);
  return records.length > 1 ? known : [...known, ...more];
}

export function isInterpreter(program: string): boolean {
  return recordOf(program)?.interpreter !== undefined;
}

/** Options of a program that a prefix rule covers. */
export function harmlessOptions(words: readonly string[]): readonly string[] {
  const known = recordsOf(words).flatMap(({ options, runner }) => [
    ...[...(options?.flags ?? '')].map((letter) => `-${letter}`),
    ...(options?.long ?? []),
    ...(options?.words?.keys() ?? []),
    ...(runner?.flags ?? []),
  ]);
  return known.length > 0 ? known : ['-v', '--verbose', '-q'];
}

/** Sub-commands that no prefix of the program covers, or that run another program. */
export function runWords(program: string): readonly string[] {
  const entries = [...(recordOf(program)?.subcommands?.of ?? [])];
  return entries.flatMap(([name, { grant, runner }]) => (grant === 'never' || runner !== undefined ? [name] : []));
}

/** Options that no record lists by name, since everything that a record does not list is refused. */
const MORE_HARMFUL: Readonly<Record<string, readonly string[]>> = {
  find: ['-exec', '-execdir', '-ok', '-okdir', '-delete', '-fprint', '-fprintf', '-fls', '-files0-from'],
  git: ['--upload-pack', '--output', '--exec-path', '--ext-diff', '--open-files-in-pager', '--receive-pack', '--exec'],
  sort: ['-o', '-T'],
  sed: ['-i', '-f'],
  awk: ['-f', '-i', '-l'],
  tar: ['-I', '-x', '-C', '-T', '--checkpoint-action=exec'],
  curl: ['-o', '-O', '-K', '-T', '-F'],
  wget: ['-i', '-e', '-P', '-o'],
  yq: ['-i'],
  jq: ['-f', '-L'],
  vim: ['-c', '-S', '-u'],
  man: ['-P', '-H'],
  rsync: ['-e'],
  ssh: ['-o', '-F'],
  npm: ['--script-shell'],
  pytest: ['--basetemp', '-p', '-c', '-o', '--junitxml'],
  cdk: ['--app', '--output'],
  go: ['-exec', '-toolexec', '-o', '-overlay'],
  eslint: ['-o', '-c', '-f', '--rulesdir'],
  tsc: ['--outDir', '-p'],
  python3: ['-c', '-m'],
  node: ['-e', '-p', '-r', '--import'],
  unzip: ['-d'],
  openssl: ['-out', '-engine'],
  make: ['-f', '-C', '--eval', '-I'],
};
