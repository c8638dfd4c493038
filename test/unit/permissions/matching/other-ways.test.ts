/** Checks that deny rules hear the same program by another runner, folder or file (G8). */
import { describe, expect, test } from 'vitest';
import { commandVerdict, judge, type Rule } from '../support.ts';

const inBypass = (command: string, ...denied: readonly string[]) =>
  commandVerdict(
    command,
    denied.map((rule): Rule => ['deny', `Bash(${rule})`]),
    { mode: 'bypass' },
  );

describe('a deny of a program behind a runner', () => {
  test.each([
    'npx prisma@5 migrate reset',
    'npx --yes prisma@5 migrate reset',
    'pnpm exec prisma migrate reset',
    'pnpm dlx prisma@latest migrate reset',
    'pnpm prisma migrate reset',
    'yarn prisma migrate reset',
    'bunx prisma migrate reset --force',
    'deno run -A npm:prisma migrate reset',
    './node_modules/.bin/prisma migrate reset',
    'prisma migrate reset',
  ])('asks about %s', (command) => expect(inBypass(command, 'npx prisma migrate reset:*')).toBe('ask'));

  test.each([
    ['uv run alembic downgrade:*', 'python -m alembic downgrade base'],
    ['uv run alembic downgrade:*', '.venv/bin/alembic downgrade base'],
    ['bundle exec cap production deploy:*', 'bin/cap production deploy'],
    ['poetry run twine upload:*', 'uvx twine upload dist/a'],
  ])('of %s asks about %s', (rule, command) => expect(inBypass(command, rule)).toBe('ask'));

  test.each([
    ['npx prisma migrate reset:*', 'prisma migrate status'],
    ['npx prisma migrate reset:*', 'npx prisma generate'],
    ['npx -y create-app:*', 'npx eslint .'],
    ['npx --yes:*', 'eslint .'],
    ['docker exec db psql:*', 'psql -c x'],
    ['npx *', 'prisma migrate reset'],
  ])('of %s does not ask about %s', (rule, command) => expect(inBypass(command, rule)).toBe('allow'));

  test('does not ask where a rule allows the other way', () => {
    const rules: readonly Rule[] = [
      ['deny', 'Bash(npx tsc:*)'],
      ['allow', 'Bash(pnpm exec tsc:*)'],
    ];
    expect(commandVerdict('pnpm exec tsc -b', rules, { mode: 'bypass' })).toBe('allow');
    expect(commandVerdict('npx tsc -b', rules, { mode: 'bypass' })).toBe('deny');
  });
});

describe('a deny of a script of a framework', () => {
  test.each([
    ['php artisan migrate:*', 'sail artisan migrate', 'ask'],
    ['php artisan migrate:*', './vendor/bin/sail artisan migrate', 'ask'],
    ['php artisan migrate:*', 'ddev artisan migrate', 'ask'],
    ['php artisan migrate:*', 'artisan migrate', 'ask'],
    ['php artisan migrate:*', 'php ../shop/artisan MIGRATE', 'deny'],
    ['python manage.py flush:*', 'django-admin flush', 'ask'],
    ['python manage.py flush:*', 'python3 -m django flush --settings=a.b', 'ask'],
    ['python manage.py flush:*', 'uv run manage.py flush', 'ask'],
    ['python manage.py flush:*', 'coverage run manage.py flush', 'ask'],
    ['python manage.py flush:*', 'python backend/manage.py flush', 'deny'],
    ['php bin/console cache:clear:*', 'php a/bin/console cache:clear', 'deny'],
    ['php artisan migrate:*', 'sail artisan about', 'allow'],
    ['python manage.py flush:*', 'django-admin check', 'allow'],
    ['python manage.py flush:*', 'python flush/manage.py check', 'allow'],
  ])('%s, %s: %s', (rule, command, verdict) => expect(inBypass(command, rule)).toBe(verdict));
});

describe('a deny of a command', () => {
  test.each([
    // In a workspace, and in a list of tasks.
    ['yarn add:*', 'yarn workspace web add x', 'deny'],
    ['prisma migrate reset:*', 'yarn workspace web prisma migrate reset', 'deny'],
    ['prisma migrate reset:*', 'yarn workspaces foreach -A run prisma migrate reset', 'deny'],
    ['prisma migrate reset:*', 'yarn workspaces foreach --include web run prisma migrate reset', 'deny'],
    ['prisma migrate reset:*', 'pnpm recursive exec prisma migrate reset', 'deny'],
    ['yarn add:*', 'yarn workspace add build', 'allow'],
    ['mix ecto.drop:*', 'mix do ecto.drop, ecto.create', 'deny'],
    ['mix ecto.drop:*', 'mix do compile + ecto.drop --force', 'deny'],
    ['mix ecto.drop:*', 'mix ecto.reset', 'ask'],
    ['mix ecto.drop:*', 'mix do compile, test', 'allow'],
    // Scripts, with another runner or without their ending.
    ['npm run deploy:*', 'npx npm-run-all deploy', 'ask'],
    ['npm run deploy:*', 'turbo run deploy', 'ask'],
    ['npm run deploy:*', 'turbo run build', 'allow'],
    ['node scripts/deploy.js:*', 'node scripts/deploy', 'deny'],
    ['node scripts/deploy.js:*', 'tsx scripts/deploy.js', 'ask'],
    ['node scripts/deploy.js:*', 'deno run -A scripts/deploy.js', 'ask'],
    ['node scripts/deploy.js:*', 'node scripts/deployed', 'allow'],
    ['node:*', 'nodemon app.js', 'ask'],
    ['task deploy:*', 'go-task deploy', 'deny'],
    // Data that makes a request a POST.
    ['curl -X POST:*', 'curl -d x https://a.test', 'ask'],
    ['curl -X POST:*', "curl --json '{}' https://a.test", 'ask'],
    ['curl -X POST:*', 'curl -F a=b https://a.test', 'ask'],
    ['curl -X POST:*', 'curl https://a.test', 'allow'],
    ['curl -X POST:*', 'curl -s -G --data-urlencode q=x https://a.test', 'allow'],
    ['curl -X POST:*', 'curl -d -G https://a.test', 'ask'],
    ['curl -X POST:*', "curl --location --request PUT 'https://a.test' -d x", 'allow'],
    ['curl -X POST:*', 'curl -s -XGET localhost:9200/_search -d x', 'allow'],
    ['curl -X POST:*', 'curl -X PUT -d x a.test --next -d y a.test', 'ask'],
    ['curl -X POST:*', 'curl -G -d x a.test --next -d y a.test', 'ask'],
    ['curl -X POST:*', 'curl -H -XPUT -d x a.test', 'ask'],
    ['gh api -X POST:*', 'gh api -X GET search/issues -f q=x', 'allow'],
    ['gh api -X POST:*', 'gh api --method PATCH repos/a/b/issues/1 -f a=b', 'allow'],
    ['gh api -X POST:*', 'gh api repos/a/b/issues -f a=b', 'ask'],
    ['gh api -X POST:*', 'gh api repos/a/b/issues -f title=x', 'ask'],
    ['gh repo delete:*', 'gh api --method=delete repos/a/b', 'ask'],
    // Two options of one meaning.
    ['git branch -D:*', 'git branch -d -f x', 'deny'],
    ['git branch -D:*', 'git branch -d --force x', 'deny'],
    ['git branch -D:*', 'git branch --delete -f x', 'deny'],
    ['git branch -D:*', 'git branch --del -f x', 'deny'],
    ['git branch -D:*', 'git branch x --delete --force', 'deny'],
    ['git branch -M:*', 'git branch -m --force a b', 'deny'],
    ['git branch -C:*', 'git branch --copy -f a b', 'deny'],
    ['git branch -D:*', 'git branch -d x', 'allow'],
    ['git branch -D:*', 'git branch -f x HEAD', 'allow'],
    ['git clean -f:*', 'git -c clean.requireForce=false clean', 'ask'],
    ['git rebase:*', 'git pull --rebase', 'ask'],
    ['cargo publish:*', 'cargo workspaces publish', 'ask'],
    ['cdk deploy:*', 'cdk watch', 'ask'],
    ['docker volume rm:*', 'docker volume prune', 'ask'],
    ['docker compose exec web rails db:drop:*', 'docker compose run web rails db:drop', 'ask'],
    ["psql -c 'DROP:*'", "usql -c 'DROP TABLE x'", 'ask'],
  ])('%s, %s: %s', (rule, command, verdict) => expect(inBypass(command, rule)).toBe(verdict));
});

describe('a file that the text writes and runs', () => {
  test.each([
    "find . -maxdepth 0 -fprintf x 'rm y'; sh x",
    "find . -maxdepth 0 -printf 'rm y' > x; sh x",
    "git log -1 --format='rm y' --output=x; sh x",
    "git log -1 --format='rm y' > x; sh x",
    "date '+rm y' > x; sh x",
    "seq -f 'rm y' 1 > x; bash x",
    "jq -rn --arg a 'rm y' '$a' > x; sh x",
    'awk \'BEGIN{print "rm y"}\' > x; . ./x',
    "sed 's/.*/rm y/' a > x; sh x",
    "stat --printf='rm y' . > x && sh x",
    "curl -s -w 'rm y' http://a.test -o x; sh x",
  ])('may hold a text of the program that writes it: %s', (command) => {
    expect(inBypass(command, 'rm:*')).toBe('ask');
    expect(
      commandVerdict(
        command,
        [
          ['deny', 'Bash(rm:*)'],
          ['allow', 'Bash'],
          ['allow', 'Edit'],
        ],
        {},
      ),
    ).not.toBe('allow');
  });

  test.each([
    'go build -o app . && ./app',
    "gcc -o a a.c && ./a 'x y'",
    "awk '{print $1}' a > x; wc -l x",
    "git commit -m 'no rm y' && npm run build > log; node dist/a.js",
    "date '+%F %T' > x; sh x",
  ])('does not ask without the words of a rule, or where nothing written runs: %s', (command) =>
    expect(inBypass(command, 'rm:*')).toBe('allow'),
  );
});

test.each([
  ['npx ./eslint node', 'deny'],
  ['npx ../eslint node', 'deny'],
  ['npx /tmp/eslint node', 'deny'],
  ['uv run ./ruff node', 'deny'],
  ['npx eslint node', 'allow'],
  ['npx ./node_modules/.bin/eslint node', 'allow'],
  ['uv run .venv/bin/ruff check node', 'allow'],
])('a file is not the program whose name it has: %s', (command, verdict) =>
  expect(inBypass(command, 'node:*')).toBe(verdict),
);

test.each(['foo.localhost', 'a.b.localhost', 'localhost.localdomain', 'localhost4', 'ip6-localhost', 'ip6-loopback'])(
  'a deny of this machine hears %s',
  (host) => {
    const verdict = (rule: string) =>
      judge('WebFetch', { url: `http://${host}:8080/` }, [['deny', `WebFetch(domain:${rule})`]], { mode: 'bypass' })
        .verdict;
    expect([verdict('localhost'), verdict('127.0.0.1'), verdict('a.test')]).toEqual(['deny', 'deny', 'allow']);
  },
);
