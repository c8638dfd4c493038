/** Describes programs that build a project by its targets, in any language. */
import type { Field } from '../../shell/syntax/fields.ts';
import { insideOnly, isElsewhere } from '../record/elsewhere.ts';
import { optionSpec, type SpecText } from '../record/options.ts';
import {
  type CommandRecord,
  NAMED,
  NEVER,
  named,
  net,
  netOptions,
  type ProgramRecord,
  program,
  programs,
  RUNS,
  runner,
  set,
  subcommands,
} from '../record/record.ts';

/** The rest of a program that is told which targets to build. */
const goals = (harmful: string, more: SpecText = {}): CommandRecord => ({
  ...net(harmful, more),
  goals: true,
});

/** Names of harmless assignments such as `VERSION=1.2`: neither make nor the programs that it runs give them a meaning of their own. */
const MAKE_NAMES = set(
  'VERSION TAG ENV STAGE TARGET V VERBOSE DEBUG NAME PORT JOBS COVERAGE TEST TESTS FILTER REGION PROFILE',
);

function makeOperands(operands: readonly Field[]): string | undefined {
  const isHarmless = ({ text, isKnown }: Field): boolean => {
    const equals = text.indexOf('=');
    if (!isKnown) return false;
    if (equals < 0) return true;
    const value = text.slice(equals + 1);
    return MAKE_NAMES.has(text.slice(0, equals)) && [...value].every((char) => /[A-Za-z0-9_.-]/.test(char));
  };
  return operands.every(isHarmless) ? undefined : 'an assignment to make';
}

/** Recipes put the value of a variable into their commands. */
const noAssignment =
  (program: string) =>
  (operands: readonly Field[]): string | undefined =>
    operands.some(({ text }) => text.includes('=')) ? `an assignment to ${program}` : undefined;

const MAVEN_LETTERS = {
  flags: 'qoUBeXN',
  values: 'plTPamf',
  longValues: '--file',
  value: insideOnly('-f', '--file'),
  words: '-DskipTests -DskipITs -Dmaven.test.skip -Dtest -Dit.test -pl:1 -am -amd -rf:1',
} as const;

/** A goal of a plugin, other than those that only show: `exec:exec` runs a program. */
const isForeignGoal = (text: string): boolean =>
  text.includes(':') && !text.startsWith('dependency:') && !text.startsWith('help:');

const mavenGoals = (operands: readonly Field[]): string | undefined =>
  operands.some(({ text }) => isForeignGoal(text)) ? 'the goal of a plugin' : undefined;

const MAVEN_REST = net('-s --settings -gs --toolchains -l --log-file -D', {
  ...MAVEN_LETTERS,
  operands: mavenGoals,
});

/** The words behind `--` go to the build tool, and an operand is the folder of the build. */
const cmakeOperands = (operands: readonly Field[]): string | undefined =>
  operands.some((field) => isElsewhere(field) || field.text.includes('=') || /^-(?!j\d*$)/.test(field.text))
    ? 'a word for the build tool'
    : undefined;

/** Other variables name compilers, launchers and folders. */
const CMAKE_VARIABLE =
  /^(CMAKE_BUILD_TYPE|CMAKE_CXX_STANDARD|CMAKE_EXPORT_COMPILE_COMMANDS|BUILD_[A-Z_]+)(:[A-Z]+)?=\w*$/;

function cmakeValue(name: string, value: Field): string | undefined {
  if (name === '-D') return CMAKE_VARIABLE.test(value.text) ? undefined : 'a variable of cmake';
  return ['-S', '-B', '--build'].includes(name) && isElsewhere(value) ? 'a folder elsewhere' : undefined;
}

/** Builds what a flake says; with `--expr` that is code, and `--impure` lets it see the machine. */
const NIX: CommandRecord = named(
  '--expr --impure --option --builders --store --override-input --file -f --out-link -o --accept-flake-config --post-build-hook --extra-experimental-features',
);

export const BUILD: readonly ProgramRecord[] = [
  ...programs('make gmake bmake', {
    options: optionSpec({
      flags: 'ksnBqirRwdpSt',
      values: 'oC',
      optionals: 'jl',
      long: '--keep-going --silent --quiet --dry-run --just-print --always-make --question --ignore-errors --no-builtin-rules --print-directory --no-print-directory --trace --debug --jobs --load-average --output-sync --stop --touch --version --warn-undefined-variables --print-data-base',
      harmful:
        '--file --makefile --include-dir --eval --environment-overrides --old-file --new-file --what-if --assume-new --assume-old --shuffle',
      longValues: '--directory',
      value: insideOnly('-C', '--directory'),
      operands: makeOperands,
    }),
    // Some variables of make name the programs that its recipes run.
    commandOptions: set('--eval SHELL .SHELL SHELLFLAGS MAKE CC CXX LD AR'),
    also: 'make',
    goals: true,
  }),
  program('just', {
    ...net(
      '--justfile -f --global-justfile -g --working-directory -d --shell --shell-arg --dotenv-path --dotenv-filename --command -c --set --chooser -e --edit',
      {
        operands: noAssignment('just'),
      },
    ),
    commandOptions: set('-c --command --shell --chooser'),
    goals: true,
  }),
  program(
    'task',
    goals('--taskfile -t --init --global -g', {
      values: 'd',
      longValues: '--dir',
      value: insideOnly('-d', '--dir'),
      operands: noAssignment('task'),
    }),
  ),
  program('rake', {
    options: netOptions(
      '-e -E -f -r -I -R --execute --execute-print --execute-continue --rakefile --require --libdir --rakelibdir --load-system',
    ),
    commandOptions: set('-e --execute'),
    goals: true,
  }),
  program('manage.py django-admin', {
    isScript: true,
    options: netOptions('--pythonpath --settings'),
    subcommands: subcommands([['shell shell_plus dbshell', RUNS]], {
      values: '--pythonpath --settings -v --verbosity',
      harmless: '-v --verbosity --traceback --no-color --force-color --skip-checks',
      others: { options: netOptions('--pythonpath --settings') },
    }),
  }),
  program('artisan', {
    isScript: true,
    // The beginning of a name is as good, unless another one begins so, too.
    subcommands: subcommands([['ti tin tink tinke tinker db', RUNS]], {
      values: '--env',
      harmless: '--env -v -vv -vvv --verbose -q --quiet -n --no-interaction --ansi --no-ansi',
      others: {},
    }),
  }),
  // Symfony takes each part of a name in any case, and by its beginning.
  program('console', {
    isScript: true,
    subcommands: subcommands([], {
      values: '--env -e',
      harmless: '--env -e -v -vv -vvv --verbose -q --quiet -n --no-interaction --ansi --no-ansi --no-debug',
      others: (name) => (/^(?:db[a-z]*:r|d(?:oc[a-z]*)?:q|psysh)/i.test(name) ? RUNS : {}),
    }),
  }),
  program('yii', { isScript: true, subcommands: subcommands([['shell', RUNS]]) }),
  program('rails', {
    isScript: true,
    subcommands: subcommands(
      [
        ['runner r console c dbconsole db', RUNS],
        ['test routes db:migrate:status', {}],
      ],
      { others: NAMED },
    ),
  }),
  program('flask', {
    subcommands: subcommands(
      [
        ['shell', RUNS],
        ['routes', { reads: true }],
      ],
      { values: '-A --app -e --env-file', others: NAMED },
    ),
  }),
  program('cmake', {
    options: netOptions(
      '-E -P -C --graphviz --install --install-prefix --trace-redirect --profiling-output --toolchain --open --find-package',
      {
        values: 'SBDGjt',
        longValues: '--build --target --parallel --config --preset',
        words: '-DCMAKE_BUILD_TYPE -DBUILD_TESTING -DBUILD_SHARED_LIBS -DCMAKE_EXPORT_COMPILE_COMMANDS',
        operands: cmakeOperands,
        value: cmakeValue,
      },
    ),
    runner: runner('options', { flags: '-E', anywhere: true }),
  }),
  program('ctest', {
    ...net(
      '--test-command --overwrite --build-makeprogram -S -SP --build-and-test -D -M -T --output-log -O --output-junit',
      {
        values: 'RELjC',
        long: '--output-on-failure --verbose --progress',
        longValues: '--test-dir --timeout --parallel',
      },
    ),
    commandOptions: set('--test-command'),
  }),
  program('ninja', goals('-f -t -d', { values: 'Cjk', value: insideOnly('-C') })),
  ...programs('bazel bazelisk buck2', {
    subcommands: subcommands(
      [
        ['run', RUNS],
        ['query info cquery aquery version', { reads: true }],
      ],
      {
        others: net(
          '--run_under --script_path --output_base --bazelrc --spawn_strategy --override_repository --override_module --platforms --action_env --host_action_env --repo_env --java_runtime --tool_java_runtime --crosstool_top --explain --experimental_repository_cache --repository_cache --disk_cache --action_cache_store_output_metadata --define ' +
            // Where results and tools come from.
            '--remote_cache --remote_downloader --bes_backend --extra_toolchains --extra_execution_platforms',
          {
            // Words for a compiler or a virtual machine that load a library or name another program.
            texts: [
              '-fplugin',
              '-fuse-ld',
              '-wrapper',
              '-javaagent',
              '-agent',
              '-processor',
              '-Xplugin',
              '-specs=',
              'XX:On',
              '=-load',
              '=-B',
              '=@',
              '-plugin',
            ],
            long: '--test_output --test_filter --test_tag_filters --test_timeout --verbose_failures --keep_going --jobs --compilation_mode',
          },
        ),
      },
    ),
    commandOptions: set('--run_under'),
  }),
  ...programs(
    'gradle gradlew',
    goals(
      '-I --init-script -b --build-file -c --settings-file -g --gradle-user-home -D --system-prop -P --project-prop --include-build -F --dependency-verification',
      {
        flags: 'qistdaS',
        values: 'xp',
        longValues: '--project-dir',
        value: insideOnly('-p', '--project-dir'),
      },
    ),
  ),
  ...programs('mvn mvnw', {
    ...net('-s --settings -gs -t --toolchains -l --log-file -D --define -b', MAVEN_LETTERS),
    subcommands: subcommands(
      [
        ['exec:exec', { grant: 'never', commandOptions: set('-Dexec.executable') }],
        ['exec:java', NEVER],
      ],
      {
        others: (goal) => (isForeignGoal(goal) ? NEVER : MAVEN_REST),
        harmless:
          '-DskipTests -DskipITs -Dmaven.test.skip -Dtest -Dit.test -q -o -U -B -e -X -N -T -P -pl -am -f --file --quiet --batch-mode --offline',
        values: '-T -P -pl -f --file -s -D',
        inside: '-f --file',
      },
    ),
    goals: true,
  }),
  program('ant', goals('-D -f -file -buildfile -lib -logger -listener -inputhandler -main -logfile -propertyfile')),
  program('ctags', net('--options -o -f')),
  program('pre-commit', {
    subcommands: subcommands([['run', named('-c --config')]], { others: NEVER }),
  }),
  program('nix', {
    subcommands: subcommands(
      [
        ['run shell develop repl eval bundle', RUNS],
        ['build', NIX],
        ['flake', { subcommands: subcommands([['check show metadata', NIX]], { others: RUNS }) }],
      ],
      { others: RUNS },
    ),
  }),
];
