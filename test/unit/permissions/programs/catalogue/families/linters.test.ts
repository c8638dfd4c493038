/** Checks how allow and deny rules read the commands of linters and formatters. */
import { describeFamily, type RuleRows } from '../family.ts';

/** A prefix rule, and everyday commands that it covers. */
const COVERED: RuleRows = [
  [
    'eslint:*',
    ['eslint .', 'eslint --fix src', 'eslint --quiet .', 'eslint --max-warnings 0 .', 'eslint --format json .'],
  ],
  ['prettier:*', ['prettier --check .', 'prettier --write src', 'prettier -c .']],
  ['ruff:*', ['ruff check', 'ruff check --fix', 'ruff format', 'ruff format --check', 'ruff check --select E']],
  ['mypy:*', ['mypy src', 'mypy --strict src', 'mypy -p pkg']],
  ['black:*', ['black .', 'black --check src', 'black -q .']],
  ['flake8:*', ['flake8', 'flake8 src', 'flake8 --max-line-length 100 src']],
];

/** A prefix rule, and commands beyond it: they execute, load, write or redirect. */
const NOT_COVERED: RuleRows = [
  [
    'pylint:*',
    [
      "pylint --init-hook='import os' x",
      'pylint --init-hook=import x',
      'pylint --load-plugins=e x',
      'pylint --rcfile=e x',
      'pylint --output=f x',
    ],
  ],
  [
    'mypy:*',
    [
      'mypy --python-executable=./e x',
      'mypy --config-file=e x',
      'mypy --install-types --non-interactive',
      'mypy --cache-dir=/etc x',
      'mypy --junit-xml f x',
      'mypy --html-report d x',
      'mypy --any-exprs-report d x',
    ],
  ],
  [
    'eslint:*',
    [
      'eslint -f ./e.js',
      'eslint --format ./e.js',
      'eslint --format=./e.js',
      'eslint -c e.js',
      'eslint --config e.js',
      'eslint --rulesdir d',
      'eslint --plugin e',
      'eslint --parser ./e',
      'eslint --resolve-plugins-relative-to d',
      'eslint -o f',
      'eslint --output-file f',
      'eslint --cache-location f',
      'eslint --cache-file f',
      'eslint --ignore-path f',
      'eslint --flag unstable_ts_config',
      'eslint --init',
      "eslint --parser-options 'x y'",
      'eslint -of',
    ],
  ],
  [
    'prettier:*',
    [
      'prettier --plugin=./e',
      'prettier --config e',
      'prettier --config=e',
      'prettier --plugin-search-dir=d',
      'prettier --find-config-path x',
      'prettier --cache-location f',
    ],
  ],
  ['biome:*', ['biome check --config-path=/tmp/e']],
  ['ruff:*', ['ruff check -o f']],
  [
    'ruff check:*',
    [
      'ruff check --output-file f',
      'ruff check --config e.toml',
      'ruff check --cache-dir /etc',
      'ruff check --add-noqa-file x',
    ],
  ],
  [
    'flake8:*',
    [
      'flake8 --output-file f',
      'flake8 -o f',
      'flake8 --config e',
      'flake8 --append-config e',
      'flake8 --tee',
      'flake8 --format ./x',
      'flake8 --enable-extensions x',
    ],
  ],
  [
    'tsc:*',
    [
      'tsc --outDir d',
      'tsc --outFile f',
      'tsc --declarationDir d',
      'tsc --tsBuildInfoFile f',
      'tsc --generateTrace d',
      'tsc --plugins x',
      'tsc --init',
      'tsc --locale x --rootDirs y',
    ],
  ],
  ['rustfmt:*', ['rustfmt --config-path e']],
  ['black:*', ['black --config e', "black -c 'x'", 'black --code=x']],
  ['isort:*', ['isort --settings-path e']],
  [
    'rubocop:*',
    ['rubocop -r ./e', 'rubocop --require ./e', 'rubocop --config e', 'rubocop --plugin e', 'rubocop --format ./e'],
  ],
  ['shellcheck:*', ['shellcheck --rcfile=e x']],
  ['pre-commit:*', ['pre-commit run', 'pre-commit install']],
  ['pre-commit run:*', ['pre-commit run -c e.yaml']],
];

/** A denied prefix, and commands that run it. */
const DENIED: RuleRows = [['rm:*', ['mypy --python-executable=rm x']]];

describeFamily({ covered: COVERED, notCovered: NOT_COVERED, denied: DENIED });
