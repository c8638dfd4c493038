/** Describes programs that test, bundle, format and check JavaScript, Ruby, PHP and texts. */
import type { Field } from '../../shell/syntax/fields.ts';
import { insideOnly, operandsInside } from '../record/elsewhere.ts';
import { fileBehind, optionFile } from '../record/option-files.ts';
import { optionSpec } from '../record/options.ts';
import { NAMED, net, type ProgramRecord, program, programs, set, subcommands } from '../record/record.ts';

/** Test and lint programs load what their options name. */
const LOADS =
  '--filter --require -r --import --loader --config -c --globalSetup --globalTeardown --setupFiles --setupFilesAfterEnv --transform --resolver --runner --testRunner --testEnvironment --plugin --rulesdir --resolve-plugins-relative-to --parser --formatter --output-file --outputFile -o --out-dir --outDir --cache-location --ext-plugin --environment --preprocessor --watchPlugins --snapshotResolver --moduleLoader --prettierPath --rootDir --project-config --stdin-filename --ignore-path --coverageDirectory --opts --node-option --pool --cacheDirectory --testSequencer --dependencyExtractor --haste --preset --testResultsProcessor --roots --coverage.reportsDirectory --coverage.customProviderModule --coverage.provider --browser --browser.provider --workspace --snapshotEnvironment --api --api.host --host --open --flag --init --projects --project-root --helper --node-arguments --snapshotSerializers --sequence.sequencer --typecheck.checker --suppressions-location -O';

/** Reporters and formats that a tool brings itself; any other name is a module that it loads. */
const OWN_REPORTERS = set(
  'default verbose dot json junit tap basic line list min spec nyan progress github-actions compact stylish unix html summary agent tap-flat hanging-process pylint quiet-filename quiet-nothing documentation progress p d',
);

export function reporterProblem(name: string, value: Field): string | undefined {
  if (/^--reporter-options?$/.test(name))
    return value.text.includes('output') ? 'a report in a place of its own' : undefined;
  const names = ['--reporter', '--reporters', '-R', '-f', '--format', '--output-format'];
  return names.includes(name) && !OWN_REPORTERS.has(value.text) ? 'a reporter that may be a module' : undefined;
}

const JS_TOOL = {
  others: 'net',
  harmful: LOADS,
  values: 'tRf',
  value: reporterProblem,
  longValues:
    '--reporter --reporters --format --testNamePattern --testPathPattern --testPathPatterns --maxWorkers --max-warnings --ext --project --reporter-options --reporter-option --grep --timeout --retry --shard --workers --selectProjects --coverageReporters --testTimeout --fix-type --log-level --parallel --bail',
  long: '--coverage --watch --watchAll --runInBand --silent --verbose --no-coverage --fix --quiet --cache --no-cache --run --ci --passWithNoTests --updateSnapshot --no-color --color --changed --headed --debug --list --check --write --noEmit --no-error-on-unmatched-pattern --detectOpenHandles --forceExit --list-different --onlyChanged --findRelatedTests --related',
} as const;

const BUNDLER = { ...JS_TOOL, longValues: `${JS_TOOL.longValues} --mode --port --host` } as const;

const TSC = net('--outDir --outFile --declarationDir --tsBuildInfoFile --rootDir --plugins --generateTrace --init', {
  flags: 'wbv',
  values: 'pt',
  value: insideOnly('-p', '--project'),
  long: '--noEmit --watch --build --strict --pretty --skipLibCheck --incremental --listFiles --showConfig --version --diagnostics --extendedDiagnostics --explainFiles --force --dry --clean --verbose',
  longValues: '--project --target --module --moduleResolution --lib --jsx --types',
  operands: optionFile,
});

/** Reports and baselines of PHP's tools, each in a file of its own. `--coverage-text` alone prints. */
const REPORTS = /^--(?:log-|coverage-(?!text$|filter)|testdox-[htx]|list-tests-xml|generate-|set-baseline|dump-)/;

export const CODE_TOOLS: readonly ProgramRecord[] = [
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
              harmful: `${LOADS} --project -P -C -b`,
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
        ['test', { options: optionSpec({ ...JS_TOOL, values: 'tRfg' }) }],
        ['show-report', NAMED],
      ],
      { others: NAMED },
    ),
  }),
  // The option `-c` of prettier is `--check`, and names no configuration.
  program('prettier', { options: optionSpec({ ...JS_TOOL, harmful: LOADS.replace(' -c ', ' '), flags: 'clwu' }) }),
  ...programs('eslint biome oxlint stylelint tslint standard xo rome dprint', {
    options: optionSpec(JS_TOOL),
  }),
  ...programs('tsc vue-tsc', TSC),
  ...programs('esbuild webpack parcel turbopack', {
    options: optionSpec({
      ...BUNDLER,
      harmful: `${LOADS} --mangle-cache --context`,
      whole: fileBehind('--json', '-j'),
    }),
  }),
  // The operand is the folder of the project, with the settings that they load.
  ...programs('vite next nuxt astro', { options: optionSpec({ ...BUNDLER, operands: operandsInside }) }),
  // Here `-d` names a folder for the output, and `-p` a plugin.
  ...programs('tsup rollup swc babel microbundle', {
    options: optionSpec({ ...BUNDLER, harmful: `${LOADS} -d -p -C` }),
  }),
  // Programs of the project that another file may replace.
  ...programs(
    'gulp locust',
    net('--cwd --gulpfile --require --preload --locustfile --csv --html', { values: 'f', value: insideOnly('-f') }),
  ),
  program(
    'rspec',
    net('-r --require -I -o --out -f --format -c --configure --options -O', {
      values: 'et',
      longValues: '--example --tag',
    }),
  ),
  program('rubocop', net('-r --require -c --config --plugin -o --out -f --format --cache-root', { flags: 'aA' })),
  ...programs(
    'phpunit phpstan psalm pest',
    net(
      '--bootstrap --configuration -c --printer --prepend --extension --autoload-file -a -b -d --define -r --root --report',
      {
        whole: (words) => (words.some(({ text }) => REPORTS.test(text)) ? 'a report in a file' : undefined),
      },
    ),
  ),
  ...programs(
    'shellcheck hadolint actionlint yamllint markdownlint',
    net('--rcfile --config -c --source-path -P -o -r --rules -pyflakes', {
      flags: 'x',
      values: 'sef',
      longValues: '--severity --shell --exclude --format',
    }),
  ),
  ...programs('diff-so-fancy difft', net('')),
];
