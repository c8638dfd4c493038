/** Checks that names of tests and messages are no commands, and that code stays code. */
import { describe, expect, test } from 'vitest';
import { commandVerdict, type Rule } from '../support.ts';

const BYPASS = { mode: 'bypass' } as const;
const inBypass = (command: string, rules: readonly Rule[] = []) => commandVerdict(command, rules, BYPASS);

describe('passes in bypass', () => {
  test.each([
    ...["npx jest -t 'removes files with rm -rf /'", "npx jest --testNamePattern='rm -rf /'", "jest -t 'rm -rf /'"],
    ...["npx vitest run -t 'rm -rf ~ asks'", "yarn jest -t 'rm -rf /'", "pnpm vitest -t 'rm -rf /'"],
    ...["npx mocha -g 'rm -rf /'", "npx playwright test -g 'rm -rf /'", "npx ava --match 'rm -rf /'"],
    ...["npm test -- -t 'rm -rf /'", "yarn test -t 'rm -rf /'", "pnpm test -t 'rm -rf /'"],
    ...["pytest -k 'rm -rf /'", "uv run pytest -k 'rm -rf /'", "python -m pytest -k 'rm -rf /'"],
    ...["go test -run 'rm -rf /' ./...", "bundle exec rspec -e 'rm -rf /'", "./gradlew test --tests 'rm -rf /'"],
    ...["node --test --test-name-pattern='rm -rf /'", "bun test -t 'rm -rf /'", "deno test --filter 'rm -rf /'"],
    ...["git commit -m 'never rm -rf /'", "git log --grep='rm -rf /'", "grep -rn 'rm -rf /' src", "rg 'rm -rf ~'"],
    ...["gh issue create -t 'rm -rf /' -b 'rm -rf /'", "glab issue create -t x -d 'rm -rf /'"],
    ...["svn commit -m 'rm -rf /'", "hg commit -m 'rm -rf /'", "jj describe -m 'rm -rf /'"],
  ])('%s', (command) => expect(inBypass(command)).toBe('allow'));
});

describe('stays for people', () => {
  test.each([
    ...["npx -c 'rm -rf /'", "npx shx -t 'rm -rf /'", "npx zx -t 'rm -rf /'", "npx test -t 'rm -rf /'"],
    ...["mytool -t 'rm -rf /'", "mytool test -t 'rm -rf /'", "mytool jest -t 'rm -rf /'"],
    ...[
      "ssh test -t 'rm -rf /'",
      "watch -t 'rm -rf /'",
      "tmux new -d -t test 'rm -rf /'",
      "yarn exec test -t 'rm -rf /'",
    ],
    ...['npx jest -t "$(rm -rf /)"', "npx jest -t x --globalSetup 'rm -rf /'", "npx mocha -g x -r 'rm -rf /'"],
    // Only programs that hand options on to a script have scripts that test.
    ...["sqlite3 test -t '.shell rm -rf /'", "vim jest -t '!rm -rf /'", "cargo run test -t 'rm -rf /'"],
    ...["go test -exec 'rm -rf /' ./...", "git rebase -x 'rm -rf /'", "pnpm -c exec 'rm -rf /'"],
    ...['node --test -e \'require("child_process").execSync("rm -rf /")\'', "bun test -t x -e 'rm -rf /'"],
  ])('%s', (command) => expect(inBypass(command)).not.toBe('allow'));
});

test('a deny rule hears them all the same', () => {
  const rules = [['deny', 'Bash(rm:*)']] as const;
  for (const command of ["npx jest -t 'a; rm x'", "npx shx 'rm x'", 'npx shx rm x', "npx -c 'rm x'"])
    expect([command, inBypass(command, rules)]).toEqual([command, 'deny']);
});
