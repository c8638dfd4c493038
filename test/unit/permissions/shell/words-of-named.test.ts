/** Checks that words behind the program that a runner names are no code of the runner. */
import { describe, expect, test } from 'vitest';
import { commandVerdict, type Rule } from '../support.ts';

const ALLOWED = ['npx jest', 'npx vitest', 'uv run pytest', 'poetry run pytest', 'pnpm exec vitest', 'npx eslint'].map(
  (words): Rule => ['allow', `Bash(${words}:*)`],
);

test.each([
  'npx vitest run a.test.ts -t "does {x}; and <y>"',
  'npx jest -t "returns (a)"',
  'npx jest -t "costs \\$5"',
  "npx jest -t 'costs ${x}'",
  "npx jest -t 'a `b` c'",
  'npx jest -t "~/x is y"',
  'npx jest -t "doesn\'t"',
  'npx jest -t "x=1 y=2"',
  'uv run pytest "tests/x.py::test_a[a b]"',
  'uv run pytest -k "foo and not (bar or baz)"',
  "poetry run pytest -k 'a < b'",
  'pnpm exec vitest -t "x <y> z"',
  'npx eslint "src/**/*.{ts,tsx}" --max-warnings 0',
])('a rule covers %s', (command) => expect(commandVerdict(command, ALLOWED)).toBe('allow'));

describe('in bypass', () => {
  const inBypass = (command: string) => commandVerdict(command, [['deny', 'Bash(rm:*)']], { mode: 'bypass' });

  test.each([
    "npx 'rm x'",
    "npx foo 'rm x <y>'",
    'npx vitest -t "a; rm x"',
    "npx concurrently 'rm x' 'y <z>'",
    "npx concurrently 'y <z>; rm x'",
    "npx -c 'y <z>; rm x'",
  ])('a deny rule hears %s', (command) => expect(inBypass(command)).toBe('deny'));

  test.each([
    "npx '$(echo rm) x'",
    "npx -c '$(echo rm) x'",
    "npx -p foo -c '$(echo rm) x'",
    "npm exec --call='$(echo rm) x'",
    "npx concurrently '$(echo rm) x'",
    "uv run bash -c '$X y'",
    "poetry run tmux new '$(echo rm) x'",
    "npx nodemon --exec '$(echo rm) x'",
  ])('code that is not literal is not allowed: %s', (command) => expect(inBypass(command)).not.toBe('allow'));
});

describe('behind `docker exec` and its like, in bypass', () => {
  const inBypass = (command: string) => commandVerdict(command, [['deny', 'Bash(rm:*)']], { mode: 'bypass' });

  test.each([
    "docker exec db psql -U me app -c 'select count(*) from users'",
    'docker exec -i db psql -c "insert into x values (1)"',
    'docker compose exec -T db mysql -e "select * from users where id in (1,2)"',
    "kubectl exec db -- psql -c 'select 1;'",
    "docker exec web python -c 'print((1, 2))'",
    "docker exec web awk '{print $1}' x",
    'docker run --rm a jest -t "returns (a)"',
    "docker compose exec web php artisan tinker --execute='echo 1;'",
  ])('SQL, filters and titles are no shell code: %s', (command) => expect(inBypass(command)).toBe('allow'));

  test.each([
    "docker exec db psql -c '\\! rm x' && docker exec db rm x",
    "docker exec psql sh -c 'rm x'",
    "docker exec db 'rm x'",
    "docker exec db tar --to-command='rm x' -xf a",
  ])('a deny rule hears %s', (command) => expect(inBypass(command)).toBe('deny'));

  test.each(["docker exec psql sh -c '$(echo rm) x'", "docker exec db sh -c 'a (b'"])(
    'a person is asked about %s',
    (command) => expect(inBypass(command)).not.toBe('allow'),
  );
});
