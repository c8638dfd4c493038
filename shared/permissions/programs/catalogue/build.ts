/** Records of what builds, tests, formats and checks a project. */
import type { Field } from '../../shell/fields.ts';
import { optionSpec, type ReadOption } from '../options.ts';
import { isElsewhere } from './elsewhere.ts';
import {
  type CommandRecord,
  NAMED,
  NEVER,
  type ProgramRecord,
  program,
  programs,
  RUNS,
  runner,
  set,
  subcommands,
} from './record.ts';

const net = (harmful: string, more: Parameters<typeof optionSpec>[0] = {}): CommandRecord => ({
  options: optionSpec({ others: 'net', harmful, ...more }),
});

/** The rest of a program that is told which targets to build. */
const goals = (harmful: string, more: Parameters<typeof optionSpec>[0] = {}): CommandRecord => ({
  ...net(harmful, more),
  goals: true,
});

/** `VERSION=1.2` for make: names that neither make nor what it runs gives a meaning of their own. */
const MAKE_NAMES = set(
  'VERSION TAG ENV STAGE TARGET V VERBOSE DEBUG NAME PORT JOBS COVERAGE TEST TESTS FILTER REGION PROFILE',
);

function makeOperands(operands: readonly Field[]): string | undefined {
  const isHarmless = ({ text, known }: Field): boolean => {
    const equals = text.indexOf('=');
    if (!known) return false;
    if (equals < 0) return true;
    const value = text.slice(equals + 1);
    return MAKE_NAMES.has(text.slice(0, equals)) && [...value].every((char) => /[A-Za-z0-9_.-]/.test(char));
  };
  return operands.every(isHarmless) ? undefined : 'an assignment to make';
}

const GO_TEXTS = ['-extld', '-toolexec', '-vettool', '-fplugin', '-wrapper'] as const;
/** The file that `-o` names. */
const writesOutput = (_: readonly Field[], options: readonly ReadOption[]): readonly Field[] =>
  options.flatMap(({ name, value }) => (name === '-o' && value !== undefined ? [value] : []));

const GO = optionSpec({
  others: 'net',
  // `--w` is `go env -w`, `--C` another directory.
  harmful:
    '--exec --toolexec --overlay --vettool --modfile --w --C -pkgdir -pgo -trace -compiler -gccgoflags -asmflags -gcflags -test.trace',
  words:
    '-run:1 -bench:1 -count:1 -timeout:1 -tags:1 -race -cover -short -v -x -n -a -u -c -p:1 -json -failfast -benchmem -cpu:1 -parallel:1 -shuffle:1 -skip:1 -trimpath -mod:1 -coverpkg:1 -covermode:1 -o:1 -f:1 -m -u -deps -test',
  texts: GO_TEXTS,
});

const GO_BUILD: CommandRecord = {
  options: GO,
  writes: writesOutput,
};

/** A package of the project: `go run example.com/x@latest` fetches a foreign one. */
function ownPackage(operands: readonly Field[]): string | undefined {
  const [first] = operands;
  const own = first !== undefined && !isElsewhere(first) && (first.text.startsWith('.') || first.text.endsWith('.go'));
  return own ? undefined : 'a package from elsewhere, which go would run';
}

const CARGO_HARMFUL = '--config --manifest-path -C -Z --target-dir --out-dir --artifact-dir';
/** What follows `--` goes to a compiler or to the program that runs. */
const CARGO: CommandRecord = {
  options: optionSpec({
    others: 'net',
    harmful: CARGO_HARMFUL,
    values: 'pjF',
    flags: 'vqr',
    longValues: '--package --features --bin --test --example --jobs --profile --target --color --message-format',
    operands: (operands) =>
      operands.some(({ text }) => text.startsWith('-C') || text.startsWith('--config') || text.startsWith('linker'))
        ? 'a code generation option'
        : undefined,
  }),
};

/** A goal of a plugin, other than those that only show: `exec:exec` runs a program. */
const mavenGoals = (operands: readonly Field[]): string | undefined =>
  operands.some(({ text }) => text.includes(':') && !text.startsWith('dependency:') && !text.startsWith('help:'))
    ? 'the goal of a plugin'
    : undefined;

const PYTEST = optionSpec({
  others: 'net',
  // `html:DIR` writes there.
  value: (name, value) =>
    name === '--cov-report' && value.text.includes(':') ? 'a report in a place of its own' : undefined,
  harmful:
    '-p -c -o --basetemp --pdbcls --junitxml --junit-xml --log-file --rootdir --confcutdir --override-ini --debug --import-mode --pastebin --report-log --html --resultlog --result-log --cov-config',
  flags: 'vqxslh',
  values: 'kmnrW',
  longValues:
    '--maxfail --tb --durations --deselect --ignore --ignore-glob --cov --cov-report --timeout --numprocesses --color --dist --log-level --log-cli-level --capture --verbosity --junit-prefix',
  long: '--last-failed --failed-first --lf --ff --nf --collect-only --co --exitfirst --no-header --no-summary --showlocals --setup-show --stepwise --sw --no-cov --fixtures --markers --verbose --quiet --strict-markers --strict-config --disable-warnings --reuse-db --create-db',
});

/** `@file` holds further options. */
const compilerOperands = (operands: readonly Field[]): string | undefined =>
  operands.some(({ text }) => text.startsWith('@')) ? 'a file of options' : undefined;

/** `/p:PreBuildEvent=…` is an option, and a library is a program. */
const dotnetOperands = (operands: readonly Field[]): string | undefined =>
  operands.some(({ text }) => text.includes(':') || text.includes('=')) ? 'a property' : undefined;

/** What follows `--` goes to the build tool, and an operand is the folder of the build. */
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

/** Test and lint programs load what their options name. */
const LOADS =
  '--filter --require -r --import --loader --config -c --globalSetup --globalTeardown --setupFiles --setupFilesAfterEnv --transform --resolver --runner --testRunner --testEnvironment --plugin --rulesdir --resolve-plugins-relative-to --parser --formatter --output-file --outputFile -o --out-dir --outDir --cache-location --ext-plugin --environment --preprocessor --watchPlugins --snapshotResolver --moduleLoader --prettierPath --rootDir --project-config --stdin-filename --ignore-path --coverageDirectory --opts --node-option --pool --cacheDirectory --testSequencer --dependencyExtractor --haste --preset --testResultsProcessor --roots --coverage.reportsDirectory --coverage.customProviderModule --coverage.provider --browser --browser.provider --workspace --snapshotEnvironment --api --api.host --host --open --flag --init --projects --project-root';

/** Reporters and formats that a tool brings itself; any other name is a module that it loads. */
const OWN_REPORTERS = set(
  'default verbose dot json junit tap basic line list min spec nyan progress github-actions compact stylish unix html summary agent tap-flat hanging-process pylint quiet-filename quiet-nothing documentation progress p d',
);

function reporterProblem(name: string, value: Field): string | undefined {
  const names = ['--reporter', '--reporters', '-R', '-f', '--format'];
  return names.includes(name) && !OWN_REPORTERS.has(value.text) ? 'a reporter that may be a module' : undefined;
}

const JS_TOOL = {
  others: 'net',
  harmful: LOADS,
  values: 'tRf',
  value: reporterProblem,
  longValues:
    '--reporter --reporters --format --testNamePattern --testPathPattern --testPathPatterns --maxWorkers --max-warnings --ext --project --reporter-options --grep --timeout --retry --shard --workers --selectProjects --coverageReporters --testTimeout --fix-type --log-level --parallel --bail',
  long: '--coverage --watch --watchAll --runInBand --silent --verbose --no-coverage --fix --quiet --cache --no-cache --run --ci --passWithNoTests --updateSnapshot --no-color --color --changed --headed --debug --list --check --write --noEmit --no-error-on-unmatched-pattern --detectOpenHandles --forceExit --list-different --onlyChanged --findRelatedTests --related',
} as const;

const TSC = net('--outDir --outFile --declarationDir --tsBuildInfoFile --rootDir --plugins --generateTrace --init', {
  flags: 'wbv',
  values: 'pt',
  long: '--noEmit --watch --build --strict --pretty --skipLibCheck --incremental --listFiles --showConfig --version --diagnostics --extendedDiagnostics --explainFiles --force --dry --clean --verbose',
  longValues: '--project --target --module --moduleResolution --lib --jsx',
});

export const BUILD: readonly ProgramRecord[] = [
  ...programs('make gmake bmake', {
    options: optionSpec({
      flags: 'ksnBqirRwdpSt',
      values: 'o',
      optionals: 'jl',
      long: '--keep-going --silent --quiet --dry-run --just-print --always-make --question --ignore-errors --no-builtin-rules --print-directory --no-print-directory --trace --debug --jobs --load-average --output-sync --stop --touch --version --warn-undefined-variables --print-data-base',
      harmful:
        '--file --makefile --directory --include-dir --eval --environment-overrides --old-file --new-file --what-if --assume-new --assume-old --shuffle',
      operands: makeOperands,
    }),
    // Its variables name the programs that its recipes run.
    commandOptions: set('--eval SHELL .SHELL SHELLFLAGS MAKE CC CXX LD AR'),
    also: 'make',
    goals: true,
  }),
  program('just', {
    ...net('--justfile -f --working-directory -d --shell --shell-arg --dotenv-path --command -c --set --chooser', {
      operands: (operands) => (operands.some(({ text }) => text.includes('=')) ? 'an assignment to just' : undefined),
    }),
    commandOptions: set('-c --command --shell --chooser'),
    goals: true,
  }),
  program('task', goals('--taskfile -t --dir -d --init')),
  program('rake', {
    options: optionSpec({
      others: 'net',
      harmful:
        '-e -E -f -r -I -R --execute --execute-print --execute-continue --rakefile --require --libdir --rakelibdir --load-system',
    }),
    commandOptions: set('-e --execute'),
    goals: true,
  }),
  program('rails', {
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
    options: optionSpec({
      others: 'net',
      harmful:
        '-E -P -C --graphviz --install --install-prefix --trace-redirect --profiling-output --toolchain --open --find-package',
      values: 'SBDGjt',
      longValues: '--build --target --parallel --config --preset',
      words: '-DCMAKE_BUILD_TYPE -DBUILD_TESTING -DBUILD_SHARED_LIBS -DCMAKE_EXPORT_COMPILE_COMMANDS',
      operands: cmakeOperands,
      value: cmakeValue,
    }),
    runner: runner('options', { flags: '-E', anywhere: true }),
  }),
  program('ctest', {
    ...net('--test-command --build-makeprogram -S -SP --build-and-test -D -M -T --output-log -O --output-junit', {
      values: 'RELjC',
      long: '--output-on-failure --verbose --progress',
      longValues: '--test-dir --timeout --parallel',
    }),
    commandOptions: set('--test-command'),
  }),
  ...programs('ninja meson', goals('-C -f -t -d')),
  ...programs('bazel bazelisk buck2', {
    subcommands: subcommands(
      [
        ['run', RUNS],
        ['query info cquery aquery version', { reads: true }],
      ],
      {
        others: net(
          '--run_under --script_path --output_base --bazelrc --spawn_strategy --override_repository --platforms',
        ),
      },
    ),
    commandOptions: set('--run_under'),
  }),
  ...programs(
    'gradle gradlew',
    goals(
      '-I --init-script -b --build-file -p --project-dir -c --settings-file -g --gradle-user-home -D -P --include-build',
      { flags: 'qistdaS', values: 'x' },
    ),
  ),
  ...programs('mvn mvnw', {
    ...net('-f --file -s --settings -gs -t --toolchains -l --log-file -D --define -b', {
      flags: 'qoUBeXN',
      values: 'plTPam',
    }),
    subcommands: subcommands(
      [
        ['exec:exec', { grant: 'never', commandOptions: set('-Dexec.executable') }],
        ['exec:java', NEVER],
      ],
      {
        others: net('-f --file -s --settings -gs --toolchains -l --log-file -D', {
          flags: 'qoUBeXN',
          values: 'plTPam',
          operands: mavenGoals,
        }),
        harmless: '-q -o -U -B -e -X -N -T -P -pl -am --quiet --batch-mode --offline',
        values: '-T -P -pl -f -s -D',
      },
    ),
    goals: true,
  }),
  program('ant', goals('-f -file -buildfile -lib -logger -listener -inputhandler -main -logfile -propertyfile')),
  ...programs('sbt mill lein', goals('-D -J --java-home')),
  program('go', {
    subcommands: subcommands(
      [
        ['build install test vet', GO_BUILD],
        ['env', { options: { ...GO, flags: '', harmful: set('-w -u'), words: new Map([['-json', 0]]) }, reads: true }],
        ['fmt list mod doc version get clean fix work', { options: GO, writes: writesOutput }],
        [
          'run',
          {
            grant: 'subcommand',
            options: { ...GO, operands: ownPackage },
            runner: runner('never', { values: '-exec', anywhere: true }),
          },
        ],
        ['generate tool', RUNS],
      ],
      { values: '-C', others: NAMED },
    ),
    commandOptions: set('-exec -toolexec -vettool --toolexec --vettool'),
  }),
  ...programs('gofmt goimports', net('-cpuprofile -local', { flags: 'ldsew' })),
  ...programs('golangci-lint staticcheck', net('--config -c --path-prefix --output --modules-download-mode')),
  program('cargo', {
    subcommands: subcommands(
      [
        ['script', RUNS],
        ['watch', { ...RUNS, commandOptions: set('-s --shell -x --exec') }],
        ['run r', { grant: 'subcommand', ...CARGO }],
        [
          'build b check c test t bench clippy fmt doc d clean update add remove rm new init fetch vendor package fix audit deny nextest outdated publish verify-project generate-lockfile machete udeps llvm-cov expand rustc rustdoc help',
          CARGO,
        ],
        ['tree metadata search version pkgid locate-project', { reads: true, ...CARGO }],
        [
          'install',
          {
            grant: 'subcommand',
            options: optionSpec({ others: 'net', harmful: `${CARGO_HARMFUL} --root --git --path --index --registry` }),
          },
        ],
      ],
      {
        values: '-Z --config -C --color --manifest-path --target-dir',
        toolchain: true,
        harmless: '-q --quiet -v --verbose --locked --offline --frozen --color',
        // Any other is a program of that name: `cargo evil` runs `cargo-evil`.
        others: NAMED,
      },
    ),
  }),
  program('rustc', net('-C --codegen -o --out-dir -Z --extern -L --sysroot --emit')),
  program('rustfmt', net('--config-path --config')),
  program('dotnet', {
    subcommands: subcommands(
      [
        ['tool exec script run fsi', RUNS],
        ['--version --info --list-sdks --list-runtimes', { reads: true }],
        [
          'build test restore clean publish pack format list add remove new sln watch nuget',
          net(
            '--output -o --logger -l --settings -s --configfile --source --property -p --test-adapter-path -a --collect --results-directory -r --packages --diag -bl --artifacts-path --blame',
            {
              longValues: '--filter --configuration --framework --verbosity',
              values: 'cfv',
              operands: dotnetOperands,
              texts: ['property:', '-p:', '/p:'],
            },
          ),
        ],
      ],
      // Any other word is a library to run, or a tool of that name.
      { others: NEVER },
    ),
  }),
  ...programs('gcc g++ cc c++ tcc', {
    options: optionSpec({
      others: 'net',
      harmful: '-specs --specs -wrapper -fplugin -o -B -MF -dumpdir -dumpbase -aux-info -imacros',
      operands: compilerOperands,
      texts: ['-fplugin', '-wrapper'],
    }),
  }),
  ...programs('clang clang++', {
    options: optionSpec({
      others: 'net',
      harmful: '-fplugin -load --config -o -B -MF -dumpdir',
      operands: compilerOperands,
      texts: ['-fplugin', '-Xclang'],
    }),
  }),
  ...programs('protoc buf', { ...net('--plugin --descriptor_set_out'), commandOptions: set('--plugin') }),
  program('pytest py.test', { options: PYTEST }),
  program('tox', {
    ...net('-x --override -c --conf --workdir --root -f', { values: 'ekst', flags: 'vqrlp' }),
    subcommands: subcommands(
      [
        ['exec e devenv d', RUNS],
        ['list l config c', NAMED],
      ],
      {
        values: '-e -x --override -c --conf --workdir --root -f --runner -k --result-json',
        harmless: '-e -q -v -vv -r -p --parallel --recreate --skip-missing-interpreters',
        others: net('-x --override -c --conf --workdir --root -f', { values: 'ekst', flags: 'vqrlp' }),
      },
    ),
    commandOptions: set('-x --override'),
  }),
  program('nox', net('-x --override -c --conf --workdir --root -f', { values: 'ekst', flags: 'vqrlp' })),
  program('coverage', {
    subcommands: subcommands(
      [
        ['run', RUNS],
        ['report', { reads: true }],
      ],
      { others: net('-o --rcfile --data-file -d') },
    ),
  }),
  program('mypy', {
    ...net(
      '--python-executable --config-file --custom-typeshed-dir --plugins --cache-dir --junit-xml --shadow-file --install-types --html-report --xml-report --txt-report --any-exprs-report --linecount-report --linecoverage-report --lineprecision-report --cobertura-xml-report --xslt-html-report --xslt-txt-report',
      {
        longValues: '--python-version --exclude --follow-imports',
        long: '--ignore-missing-imports',
        flags: 'vpm',
        values: '',
      },
    ),
    commandOptions: set('--python-executable'),
  }),
  program('ruff', {
    subcommands: subcommands(
      [
        [
          'check format',
          net('--config -o --output-file --cache-dir', {
            longValues: '--select --ignore --extend-select --line-length --output-format --target-version --exclude',
            long: '--fix --diff --check --watch --statistics --show-fixes --unsafe-fixes --preview',
          }),
        ],
        ['rule linter version', { reads: true }],
      ],
      { others: NAMED },
    ),
  }),
  ...programs(
    'black isort autopep8 yapf',
    net('--config --code -c --settings-path --src --python-cell-magics', {
      flags: 'qv',
      values: 'l',
      longValues: '--line-length --target-version --profile --exclude',
    }),
  ),
  ...programs(
    'flake8 pycodestyle pydocstyle bandit',
    net('--config --append-config --output-file -o --tee --require-plugins --enable-extensions', {
      longValues: '--max-line-length --select --ignore --extend-ignore --exclude --format',
      value: reporterProblem,
    }),
  ),
  program(
    'pylint',
    net('--init-hook --load-plugins --rcfile --plugins --output', {
      longValues: '--disable --enable --jobs --score',
      values: 'jde',
    }),
  ),
  ...programs('pyright basedpyright', net('--project -p --typeshedpath --venvpath --pythonpath --outputjson-file')),
  ...programs('jest vitest ava jasmine karma', { options: optionSpec(JS_TOOL) }),
  program('mocha', {
    options: optionSpec({ ...JS_TOOL, harmful: `${LOADS} --ui -u -n --file --watch-files`, values: 'tRfg' }),
  }),
  program('cypress', {
    subcommands: subcommands(
      [
        [
          'run open',
          {
            options: optionSpec({
              ...JS_TOOL,
              harmful: `${LOADS} --project -P -C`,
              longValues: '--spec --browser --reporter',
              values: 's',
            }),
          },
        ],
      ],
      { others: NAMED },
    ),
  }),
  program('playwright', {
    subcommands: subcommands(
      [
        ['test', { options: optionSpec(JS_TOOL) }],
        ['show-report', NAMED],
      ],
      { others: NAMED },
    ),
  }),
  // Its `-c` is `--check`.
  program('prettier', { options: optionSpec({ ...JS_TOOL, harmful: LOADS.replace(' -c ', ' '), flags: 'clwu' }) }),
  ...programs('eslint biome oxlint stylelint tslint standard xo rome dprint', {
    options: optionSpec(JS_TOOL),
  }),
  ...programs('tsc vue-tsc', TSC),
  ...programs('tsup esbuild rollup webpack vite parcel swc babel next nuxt astro turbopack', {
    options: optionSpec({ ...JS_TOOL, longValues: `${JS_TOOL.longValues} --mode --port --host` }),
  }),
  program('rspec', net('-r --require -I -o --out -f --format -c --configure --options -O')),
  program('rubocop', net('-r --require -c --config --plugin -o --out -f --format', { flags: 'aA' })),
  ...programs(
    'phpunit phpstan psalm pest',
    net('--bootstrap --configuration -c --printer --prepend --extension --log-junit --autoload-file -d --define'),
  ),
  ...programs(
    'shellcheck hadolint actionlint yamllint markdownlint',
    net('--rcfile --config -c --source-path -P -o', {
      flags: 'x',
      values: 'sef',
      longValues: '--severity --shell --exclude --format',
    }),
  ),
  program('ctags', net('--options -o -f')),
  ...programs('diff-so-fancy difft', net('')),
  program('pre-commit', {
    subcommands: subcommands([['run', { grant: 'subcommand', ...net('-c --config') }]], { others: NEVER }),
  }),
];
