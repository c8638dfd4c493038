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

/** Programs that run a script of the package, or a module, by its name, and hand on the options behind it. */
const HANDS_ON = /^(?:npm|pnpm|yarn|bun|deno|dotnet|py|python[\d.]*)$/;
export const handsOptionsOn = (program: string): boolean => HANDS_ON.test(program);

/** Scripts that test take these. */
const TEST_SCRIPT = /^(?:tests?|t)$/;
const SCRIPT_OPTIONS: ReadonlySet<string> = new Set(['-t', '--filter']);
/** Where packages put such programs; another file of the name may be any program. */
const INSTALLED = /^(?:\.\/)?(?:node_modules\/\.bin|vendor\/bin|\.venv\/bin|bin)\/|^\.\/(?=gradlew$)/;

const takesText = (name: string, option: string): boolean =>
  TEXT_OPTIONS.get(name.replace(INSTALLED, ''))?.has(option) === true;

/** Whether the value of the option names a test or is a message, behind these names. `scripts`: words that a package may have for its scripts. */
export const isTextOption = (option: string, program: string, scripts: readonly string[]): boolean =>
  TEST_NAMES.test(option) ||
  takesText(program, option) ||
  scripts.some((name) => takesText(name, option) || (TEST_SCRIPT.test(name) && SCRIPT_OPTIONS.has(option)));
