/** Describes programs that test, format and check Python. */
import { optionFile } from '../record/option-files.ts';
import {
  NAMED,
  net,
  netOptions,
  type ProgramRecord,
  program,
  programs,
  RUNS,
  set,
  subcommands,
} from '../record/record.ts';
import { reporterProblem } from './code-tools.ts';

const PYTEST = netOptions(
  '-c -o --basetemp --pdbcls --junitxml --junit-xml --log-file --rootdir --confcutdir --override-ini --debug --import-mode --pastebin --report-log --html --resultlog --result-log --cov-config --tx --rsyncdir --pyargs --ds --benchmark-json --benchmark-storage --benchmark-histogram --splunk --dc --nunit-xml --nunitxml --csv --md --excelreport --cucumberjson --cucumber-json --alluredir',
  {
    // `html:DIR` writes there.
    value: (name, value) => {
      if (name === '--cov-report' && value.text.includes(':')) return 'a report in a place of its own';
      // A category with a dot in it is imported.
      // `-p no:x` leaves a plugin out; any other is loaded.
      if (name === '-p' && !value.text.startsWith('no:')) return 'a plugin';
      return name === '-W' && /:.*\./.test(value.text) ? 'a warning of a module' : undefined;
    },
    operands: optionFile,
    flags: 'vqxslh',
    values: 'kmnrWp',
    longValues:
      '--maxfail --tb --durations --deselect --ignore --ignore-glob --cov --cov-report --timeout --numprocesses --color --dist --log-level --log-cli-level --capture --verbosity --junit-prefix',
    long: '--last-failed --failed-first --lf --ff --nf --collect-only --co --exitfirst --no-header --no-summary --showlocals --setup-show --stepwise --sw --no-cov --fixtures --markers --verbose --quiet --strict-markers --strict-config --disable-warnings --reuse-db --create-db',
  },
);

const TOX = net('-x --override -c --conf --workdir --root -f', { values: 'ekst', flags: 'vqrlp' });

export const PYTHON_TOOLS: readonly ProgramRecord[] = [
  program('pytest py.test', { options: PYTEST }),
  program('tox', {
    ...TOX,
    subcommands: subcommands(
      [
        ['exec e devenv d', RUNS],
        ['list l config c', NAMED],
      ],
      {
        values: '-e -x --override -c --conf --workdir --root -f --runner -k --result-json',
        optional: true,
        harmless: '-e -q -v -vv -r -p --parallel --recreate --skip-missing-interpreters',
        others: TOX,
      },
    ),
    commandOptions: set('-x --override'),
  }),
  program(
    'nox',
    net('-x --override -c --conf --workdir --root -f --force-python -P --report --default-venv-backend -db', {
      values: 'ekst',
      flags: 'vqrlp',
    }),
  ),
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
      '--python-executable --config-file --custom-typeshed-dir --plugins --cache-dir --junit-xml --shadow-file --install-types --html-report --xml-report --txt-report --any-exprs-report --linecount-report --linecoverage-report --lineprecision-report --cobertura-xml-report --xslt-html-report --xslt-txt-report --timing-stats --line-checking-stats --memory-xml-report --package-root --cache-map',
      {
        longValues: '--python-version --exclude --follow-imports',
        long: '--ignore-missing-imports',
        flags: 'vpm',
        values: '',
        operands: optionFile,
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
            operands: optionFile,
          }),
        ],
        ['rule linter version', { reads: true }],
      ],
      { others: NAMED },
    ),
  }),
  ...programs(
    'black isort autopep8 yapf',
    net('--config --code -c --settings-path --sp --src --python-cell-magics', {
      flags: 'qv',
      values: 'l',
      longValues: '--line-length --target-version --profile --exclude',
    }),
  ),
  ...programs(
    'flake8 pycodestyle pydocstyle bandit',
    net('--config --append-config --ini -c -p --output-file -o --tee --require-plugins --enable-extensions', {
      longValues: '--max-line-length --select --ignore --extend-ignore --exclude --format',
      value: reporterProblem,
    }),
  ),
  program(
    'pylint',
    net('--init-hook --load-plugins --rcfile --plugins --output --extension-pkg-allow-list --extension-pkg-whitelist', {
      longValues: '--disable --enable --jobs --score --output-format',
      values: 'jdef',
      value: reporterProblem,
    }),
  ),
  ...programs('pyright basedpyright', net('--project -p --typeshedpath --venvpath --pythonpath --outputjson-file')),
];
