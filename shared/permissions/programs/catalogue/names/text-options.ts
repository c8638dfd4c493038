/** Lists options whose value names a test or is a message for people, by program. */

/** Options whose value is a pattern of the names of tests, in any program. */
const TEST_NAMES = /^--(?:test-?name-?pattern|test-skip-pattern|grep(?:-invert)?)$/i;

/** Options whose value is such a pattern, or a message, behind the names of these programs and scripts. */
const TEXT_OPTIONS: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  (
    [
      ['jest vitest', '-t'],
      ['mocha playwright', '-g -f --fgrep'],
      ['ava', '-m --match'],
      ['pytest py.test', '-k -m'],
      ['rspec', '-e --example'],
      ['phpunit pest', '--filter'],
      ['gradle gradlew', '--tests'],
      ['svn hg jj sl bzr darcs fossil', '-m'],
      ['glab', '-t -d'],
    ] as const
  ).flatMap(([names, options]) => names.split(' ').map((name) => [name, new Set(options.split(' '))] as const)),
);

/** Scripts that test hand these on. */
const TEST_SCRIPT = /^(?:tests?|t)$/;
const SCRIPT_OPTIONS: ReadonlySet<string> = new Set(['-t', '--filter']);
/** Words behind the program that may be one of these. */
const MAX_NAMES = 4;

/** Where packages put such programs; another file of the name may be any program. */
const INSTALLED = /^(?:\.\/)?(?:node_modules\/\.bin|vendor\/bin|\.venv\/bin|bin)\/|^\.\/(?=gradlew$)/;

const takesText = (name: string, option: string): boolean =>
  TEXT_OPTIONS.get(name.replace(INSTALLED, ''))?.has(option) === true;

/**
 * Whether the word is a pattern of the names of tests, or a message, and no code: `vitest -t TEXT`, `yarn test -t TEXT`. `isKnown`: the
 * first program is described and runs no command of its words, so that the name of a script may stand behind it.
 */
export function isNamedText(at: number, words: readonly string[], isKnown: boolean): boolean {
  const word = words[at] as string;
  const option = word.startsWith('-') ? (word.split('=')[0] as string) : (words[at - 1] ?? '');
  if (option === word || !option.startsWith('-')) return false;
  if (TEST_NAMES.test(option)) return true;
  if (takesText(words[0] as string, option)) return true;
  const names = isKnown ? words.slice(1, Math.min(at, MAX_NAMES)) : [];
  return names.some((name) => takesText(name, option) || (TEST_SCRIPT.test(name) && SCRIPT_OPTIONS.has(option)));
}
