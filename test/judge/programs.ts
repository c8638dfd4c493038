/** What the gate's own records know of programs: the only file of this folder that reads them. */
import { HARMFUL_OPTIONS, NEVER, RUN_WORDS } from '../../shared/permissions/programs/never.ts';
import { ALIASES, PROGRAMS } from '../../shared/permissions/programs/table.ts';
import { INTERPRETERS, SHELLS, STDIN_PROGRAMS, WRAPPERS } from '../../shared/permissions/shell/wrappers.ts';

/** Every name that a record lists, without names that are no plain word and the built-ins that end other processes. */
export function programNames(): readonly string[] {
  const names = [
    ...PROGRAMS.keys(),
    ...ALIASES.keys(),
    ...NEVER,
    ...RUN_WORDS.keys(),
    ...HARMFUL_OPTIONS.keys(),
    ...WRAPPERS.keys(),
    ...INTERPRETERS.keys(),
    ...SHELLS,
    ...STDIN_PROGRAMS,
    'git',
  ];
  return [...new Set(names)].filter((name) => name !== '.' && isPlain(name)).toSorted();
}

function isPlain(name: string): boolean {
  return [...name].every(
    (letter) => letter.toLowerCase() !== letter.toUpperCase() || '0123456789-_.+'.includes(letter),
  );
}

/** Options of a program that no prefix rule covers. */
export function harmfulOptions(program: string): readonly string[] {
  const spec = PROGRAMS.get(ALIASES.get(program) ?? program);
  return [...(spec?.harmful ?? []), ...(HARMFUL_OPTIONS.get(program) ?? []), ...(MORE_HARMFUL[program] ?? [])];
}

/** Options of a program that a prefix rule covers. */
export function harmlessOptions(program: string): readonly string[] {
  const spec = PROGRAMS.get(ALIASES.get(program) ?? program);
  if (spec === undefined) return ['-v', '--verbose', '-q'];
  return [...[...spec.flags].map((letter) => `-${letter}`), ...spec.long, ...(spec.words?.keys() ?? [])];
}

/** Sub-commands that start another program. */
export function runWords(program: string): readonly string[] {
  return [...(RUN_WORDS.get(program) ?? [])];
}

/** Options that the records hold as code of their own, beside those that a table lists as harmful. */
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
};
