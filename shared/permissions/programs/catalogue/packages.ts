/** Describes package managers, and what runs a package's programs. */
import type { Field } from '../../shell/syntax/fields.ts';
import { insideOnly, isElsewhere, noAddress, operandsInside, targetInside } from '../record/elsewhere.ts';
import { fileBehind } from '../record/option-files.ts';
import { type OptionSpec, optionSpec } from '../record/options.ts';
import {
  type CommandRecord,
  GROUP,
  NAMED,
  NEVER,
  named,
  netOptions,
  type ProgramRecord,
  program,
  programs,
  RUNS,
  runner,
  type ScriptFallback,
  SHOWS,
  set,
  subcommands,
} from '../record/record.ts';
import { pythonName, smallLetters } from './names/package-names.ts';
import { RUN_IS_SCRIPT, SCRIPT_OR_PROGRAM } from './names/script-names.ts';

/** Runs the program that its first operand names; a rule that names that program covers it. */
const runsNamed = (flags = '', values = '', code = ''): CommandRecord => ({
  runner: runner('named', { flags, values, anywhere: true, ...(code === '' ? {} : { code }) }),
});

const OTHER_FOLDER = netOptions('-d --repository --repository-url');

const NPM_HARMFUL =
  '--script-shell --node-options --python --node-gyp --userconfig --globalconfig --shell --git --editor --viewer --call --browser --cache --init-module --ignore-scripts=false --registry --workspaces-update --location --proxy --https-proxy --noproxy --strict-ssl --no-strict-ssl --ca --cafile --cert --key --api --filename';
const FOLDERS = '--prefix -C --dir --cwd';
const NPM_OPTIONS = optionSpec({
  others: 'net',
  harmful: NPM_HARMFUL,
  long: '--save-dev --save-exact --save-optional --save-peer --no-save --omit --include --dry-run --package-lock-only --legacy-peer-deps --if-present --workspaces --include-workspace-root --no-audit --no-fund --prefer-offline --production --frozen-lockfile --immutable',
  longValues: '--workspace --loglevel --tag --filter --depth --prefix --dir --cwd',
  values: 'wFC',
  value: insideOnly(...set(FOLDERS)),
});

const NPM: CommandRecord = { options: NPM_OPTIONS };
/** `pnpm deploy DIR`. */
const NPM_FOLDER: CommandRecord = { options: { ...NPM_OPTIONS, operands: operandsInside } };

/** `yarn workspace a exec id`: the sub-command stands behind the name of a workspace. */
const nestedRun =
  (runs: string): OptionSpec['operands'] =>
  (operands) =>
    operands.some(({ text }) => set(runs).has(text)) ? 'a command that runs in a workspace' : undefined;

/** Without a script of that name, `npm run env x` runs x. */
const NPM_RUN: CommandRecord = {
  options: {
    ...NPM_OPTIONS,
    operands: ([script, next]) => (script?.text === 'env' && next ? 'what npm run env starts' : undefined),
  },
};

const nests = (runs: string): CommandRecord => ({ options: netOptions(NPM_HARMFUL, { operands: nestedRun(runs) }) });

/** `npm config set`, and `npm set`: any key, one that runs programs too. */
const CHANGES = set('set delete edit rm unset fix');
const implies = (file: string, name: string) => (words: readonly string[]) =>
  [name, ...words].some((word) => CHANGES.has(word)) ? [`~/${file}`] : [];
const changes =
  (file: string) =>
  (name: string): CommandRecord => ({ ...RUNS, implied: implies(file, name) });
/** The word may be the value of an option before it: then the verb is another. */
const shows = (file: string): CommandRecord => ({
  options: netOptions(NPM_HARMFUL, {
    operands: (operands) => (operands.some(({ text }) => CHANGES.has(text)) ? 'a change of the settings' : undefined),
  }),
  implied: implies(file, ''),
});
const configures = (file: string): Parameters<typeof subcommands>[0] => [
  ['config c', { ...NEVER, subcommands: subcommands([['get list ls', shows(file)]], { others: changes(file) }) }],
  ['set', { ...RUNS, implied: () => [`~/${file}`] }],
];

const manager = (runs: string, never: string, file: string, runsPrograms?: ScriptFallback): CommandRecord => ({
  subcommands: subcommands(
    [
      ...configures(file),
      [runs, runsNamed('--yes -y --no-install --silent -s -q --quiet --prefer-offline', '--package -p', '-c --call')],
      [never, RUNS],
      ['workspace workspaces', { ...nests(`${runs} ${never}`), nested: 1 }],
      ['foreach recursive multi m', { ...nests(`${runs} ${never}`), nested: 0 }],
      ['deploy', NPM_FOLDER],
      ['version verison', { options: { ...NPM_OPTIONS, values: `${NPM_OPTIONS.values}m` } }],
      ['token', { subcommands: subcommands([['list ls', NPM]], { others: { ...NPM, ...GROUP } }) }],
      ['run run-script rum urn', NPM_RUN],
      ['install i in ins inst insta instal isntall add ci it cit t tst test', NPM],
      ['ls list ll outdated why view info audit fund licenses bin root', { ...SHOWS, options: NPM_OPTIONS }],
    ],
    {
      values:
        '--loglevel -w --workspace -F --filter --prefix -C --dir --cwd --registry --script-shell --userconfig --globalconfig --node-options --cache',
      harmless:
        '--silent -s --loglevel -w --workspace -F --filter -ws --workspaces --if-present -r --recursive -q --quiet -d -dd --no-color --color --offline --prefer-offline -y --yes ' +
        FOLDERS,
      inside: FOLDERS,
      others: NPM,
      abbreviated: true,
      runsPrograms,
    },
  ),
});

const PIP_HARMFUL =
  '--python --target -t --prefix --root --config-settings --log --build-option --global-option -c --constraint --cert --client-cert --index-url -i --extra-index-url -f --find-links --src --proxy --trusted-host --report --dest -d -w --wheel-dir --no-index';

const EDITABLE = set('-e --editable');
/** `.`, `./sub`, `.[dev]`: as `pip install .` does. */
const isOwnFolder = (value: Field): boolean => value.text.startsWith('.') && !isElsewhere(value);

const PIP: CommandRecord = {
  plainName: pythonName,
  commandOptions: set('--python'),
  options: netOptions(PIP_HARMFUL),
  subcommands: subcommands(
    [
      [
        'list show freeze check',
        {
          ...SHOWS,
          options: netOptions(PIP_HARMFUL, {
            long: '--outdated --uptodate --local --user --format',
            values: '',
          }),
        },
      ],
      ['config cache debug download wheel', NEVER],
    ],
    {
      harmless: '-q --quiet -v --verbose --no-color --disable-pip-version-check --no-input',
      values: '--python --log',
      others: {
        options: netOptions(PIP_HARMFUL, {
          values: 're',
          longValues: '--requirement --editable',
          value: (name, value) =>
            (EDITABLE.has(name) && !isOwnFolder(value)) || value.text.includes('://')
              ? 'a package from elsewhere'
              : undefined,
          operands: noAddress,
        }),
      },
    },
  ),
};

const UV_RUN = runsNamed(
  '--frozen --locked --no-sync --offline --quiet -q --verbose -v --isolated --no-dev --dev --all-extras --active --exact --all-groups',
  '--python -p --with --with-editable --with-requirements --extra --group --directory --project --env-file --index --default-index --package',
);

const UV_OPTIONS = netOptions(
  '--index --default-index --publish-url --check-url --find-links -f -i --extra-index-url --python -p --env-file --target --editable --allow-insecure-host',
  {
    values: 'r',
    longValues: '--directory --project --requirements',
    value: (name, value) =>
      value.text.includes('://') ? 'a package from elsewhere' : insideOnly('--directory', '--project')(name, value),
    operands: noAddress,
  },
);

const POETRY_OPTIONS = netOptions(
  '--repository --source --index -i --extra-index-url --extra-pip-args --pypi-mirror --python --find-links --trusted-host --editable -e --manifest-path',
  {
    values: 'CPr',
    longValues: '--directory --project --requirements',
    value: (name, value) =>
      value.text.includes('://')
        ? 'a package from elsewhere'
        : insideOnly('-C', '--directory', '-P', '--project')(name, value),
    operands: noAddress,
  },
);

export const PACKAGES: readonly ProgramRecord[] = [
  program('npm', manager('exec x', 'init create innit explore edit set-script pkg', '.npmrc')),
  program('pnpm', manager('exec dlx', 'create env', '.npmrc', RUN_IS_SCRIPT)),
  program('yarn', manager('exec dlx', 'create node plugin', '.yarnrc.yml', SCRIPT_OR_PROGRAM)),
  program('npx', runsNamed('--yes -y --no-install --quiet -q --no', '--package -p', '-c --call')),
  ...programs('bunx pnpx', runsNamed('--bun --silent --verbose', '--package -p')),
  program('uvx', runsNamed('--quiet -q --offline --isolated', '--from --with --python -p')),
  program('pipx', {
    plainName: pythonName,
    subcommands: subcommands(
      [
        ['run', runsNamed('--quiet --no-cache', '--spec --python --index-url')],
        ['list', SHOWS],
      ],
      { others: NEVER },
    ),
  }),
  program('uv', {
    plainName: pythonName,
    subcommands: subcommands(
      [
        ['run', UV_RUN],
        [
          'tool',
          {
            subcommands: subcommands(
              [
                ['run', runsNamed('--quiet -q', '--from --with --python -p')],
                ['list', SHOWS],
              ],
              { others: NEVER },
            ),
          },
        ],
        ['pip', { ...PIP, also: 'pip' }],
        ['tree version', SHOWS],
        ['add remove sync lock export build publish', { options: UV_OPTIONS }],
        ['init venv', { options: { ...UV_OPTIONS, operands: operandsInside } }],
        ['self cache', NEVER],
        [
          'python',
          {
            subcommands: subcommands([['list find dir', SHOWS]], {
              others: named('--mirror --pypy-mirror --install-dir -i'),
            }),
          },
        ],
      ],
      {
        values: '--directory --project --config-file --color --cache-dir',
        harmless: '-q --quiet -v --verbose --no-progress --offline --color --directory --project',
        inside: '--directory --project',
        others: {},
        abbreviated: false,
      },
    ),
  }),
  ...['poetry', 'pipenv', 'hatch', 'pdm', 'rye', 'pixi'].map((name) =>
    program(name, {
      plainName: pythonName,
      subcommands: subcommands(
        [
          ['run exec', runsNamed('-q --quiet -v -n --no-interaction -s', '-e --env --environment --manifest-path')],
          ['shell', RUNS],
          // The interpreter that it names runs at once.
          ['use', NAMED],
          [
            'env',
            {
              subcommands: subcommands(
                [
                  ['use', NAMED],
                  ['run', RUNS],
                ],
                { others: { options: POETRY_OPTIONS } },
              ),
            },
          ],
          ['show list tree check version', SHOWS],
          ['new init create', { options: { ...POETRY_OPTIONS, operands: operandsInside } }],
          ['config self plugin source', NEVER],
        ],
        {
          values: '-C --directory -P --project -e --env',
          harmless: '-q --quiet -v --verbose -n --no-interaction --no-ansi -C --directory -P --project',
          inside: '-C --directory -P --project',
          others: { options: POETRY_OPTIONS },
        },
      ),
    }),
  ),
  ...['conda', 'mamba', 'micromamba'].map((name) =>
    program(name, {
      subcommands: subcommands(
        [
          ['run', runsNamed('--no-capture-output --live-stream -v', '-n --name --cwd')],
          ['list info search', SHOWS],
          ['config', NEVER],
        ],
        {
          others: named('-c --channel --file --prefix -p'),
        },
      ),
    }),
  ),
  program('pip pip3', PIP),
  program('bundle bundler', {
    subcommands: subcommands(
      [
        ['exec', runsNamed('--keep-file-descriptors', '--gemfile')],
        ['console open', RUNS],
        ['list show outdated check', SHOWS],
        ['config plugin', NEVER],
      ],
      { others: { options: netOptions('--git --github --source --path --shebang') } },
    ),
  }),
  program('gem', {
    subcommands: subcommands(
      [
        ['exec', runsNamed('--silent', '-g --gem -v --version')],
        ['list search info', SHOWS],
        ['open', RUNS],
        ['sources', NEVER],
      ],
      {
        others: {
          options: netOptions(
            '-s --source -i --install-dir -n --bindir -p --http-proxy -P --trust-policy --build-root --host --key --target',
          ),
        },
      },
    ),
  }),
  program('composer', {
    plainName: smallLetters,
    subcommands: subcommands(
      [
        ['exec', runsNamed('-l --list -v')],
        ['show outdated validate check-platform-reqs', SHOWS],
        ['global', { ...RUNS, also: 'composer' }],
        ['config', NEVER],
        ['create-project', { options: { ...OTHER_FOLDER, operands: targetInside } }],
        // A short option for the autoloader, which is written in any case.
        ['install i update u upgrade dump-autoload dumpautoload', { options: { ...OTHER_FOLDER, flags: 'o' } }],
      ],
      {
        values: '-d --working-dir',
        harmless: '-q --quiet -n --no-interaction --no-ansi',
        others: { options: OTHER_FOLDER },
      },
    ),
  }),
  ...programs('lerna nx turbo rush moon wireit', {
    subcommands: subcommands(
      [
        ['exec', runsNamed('--parallel --stream --no-bail', '--scope --concurrency')],
        [
          'run run-many affected test build lint',
          {
            options: netOptions(
              '--cwd --api --team --token --login --preflight --remote-only --root-turbo-json --trace --heap --npm-client',
              {
                whole: fileBehind('--graph'),
                longValues: '--scope --filter --target --projects --parallel -t -p',
              },
            ),
          },
        ],
        ['graph show list ls', { reads: true, options: netOptions('--host --file') }],
      ],
      { others: NAMED },
    ),
  }),
];
