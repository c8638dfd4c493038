/** Checks commands beside harmless ones: settings, scripts and folders elsewhere. */
import { describe, expect, test } from 'vitest';
import { commandVerdict, judge, type Rule } from '../../support.ts';
import { describeFamily } from './family.ts';

describeFamily({
  covered: [
    ['terraform workspace:*', ['terraform workspace select x', 'terraform workspace list']],
    ['terraform state:*', ['terraform state rm x', 'terraform state mv a b', 'terraform state pull']],
    ['terraform state rm:*', ['terraform state rm x']],
  ],
  notCovered: [
    ['bun:*', ['bun --cwd /tmp/e test', 'bun --cwd ../e test', 'bun run --cwd /tmp/e build', 'bun --cwd $X test']],
    ['mvn:*', ['mvn -f /tmp/pom.xml test', 'mvn --file=/tmp/x test', 'mvn test -f ../x', 'mvn -f x exec:exec']],
    ['gradle:*', ['gradle -p /tmp/e test', 'gradle -p../e test', 'gradle --project-dir=/tmp test']],
    [
      'sbt:*',
      [
        "sbt 'testOnly x; eval 1'",
        "sbt 'testOnly x -- -C y'",
        "sbt 'project x' 'eval 1'",
        'sbt "testOnly\nset x"',
        "sbt 'runMain x'",
      ],
    ],
    [
      'npm:*',
      [
        'npm config',
        'npm config set x y',
        'npm conf set x y',
        'npm config get x set',
        'npm config --location get set k v',
        'npm config get x --userconfig=/tmp/x',
      ],
    ],
    ['aws:*', ['aws configure', 'aws configure get aws_secret_access_key', 'aws configure --x get set a b']],
    ['terraform:*', ['terraform state pull', 'terraform state rm x', 'terraform workspace new x']],
    ['terraform state:*', ['terraform state mv -state-out=x a b', 'terraform state list -state=/etc/x']],
    ['terraform state list:*', ['terraform state rm x']],
    ['jq:*', ['jq --arg a b env', 'jq --arg=a b env', 'jq --arg a b .x .env', 'jq --arg $(x) env b']],
    ['convert:*', ["convert '|id' x.png"]],
    ['arch:*', ['arch -x86_64 id']],
  ],
});

test('arch is seen through, like nice', () => {
  expect(commandVerdict('arch -arm64 npm test', [['allow', 'Bash(npm test:*)']])).toBe('allow');
});

describe('yq -i is an edit of the files behind its expression', () => {
  const rules: readonly Rule[] = [
    ['allow', 'Bash(yq:*)'],
    ['allow', 'Edit(src/**)'],
  ];
  test.each([
    ["yq -i '.a = 1' src/a.yaml", 'allow'],
    ["yq eval -i '.a = 1' src/a.yaml src/b.yaml", 'allow'],
    ["yq -i '.a = 1' lib/a.yaml", 'ask'],
    ["yq -Pi '.a = 1' lib/a.yaml", 'ask'],
    ["yq '.a = 1' --inplace=true lib/a.yaml", 'ask'],
    ["yq -i '.a = 1'", 'ask'],
    ['yq -i \'.a = load("x")\' src/a.yaml', 'ask'],
    ["yq -i '.a = 1' .npmrc", 'deny'],
  ])('%s: %s', (command, verdict) => expect(commandVerdict(command, rules)).toBe(verdict));

  test('as Edit would make it in acceptEdits, and never without a rule', () => {
    const preset = { mode: 'acceptEdits' } as const;
    expect(commandVerdict("yq -i '.a = 1' src/a.yaml", [], preset)).toBe('allow');
    expect(commandVerdict("yq -i '.a = 1' src/a.yaml", [])).toBe('ask');
  });
});

describe('in every mode a command is denied that changes settings, or that a script writes', () => {
  test.each([
    'npm config --location user set k v',
    'npm config --location get set k v',
    'npm config get set k',
    'npm config -g edit',
    'pnpm c set x y',
    'aws configure',
    'aws configure --profile x',
    'aws --profile x configure set region y',
    'awk \'{ print > "infra/a" }\' src/a',
    "awk -v f=.env '{ getline x < f; print x }' src/a",
    "yq -i '.a = 1' infra/a",
  ])('%s', (command) => {
    expect(commandVerdict(command, [['deny', 'Edit(infra/**)']], { mode: 'bypass' })).toBe('deny');
  });
});

test('a name with an encoded NUL may be another to who decodes it', () => {
  expect(judge('Read', { file_path: '.env%00' }, [['allow', 'Read']]).verdict).toBe('ask');
  expect(judge('mcp__fs__read', { uri: 'file:///workspace/app/.env%00.txt' }, [['allow', 'mcp__fs']]).verdict).toBe(
    'ask',
  );
});

describe('a dash before a here-document is a word', () => {
  test.each([
    ["kubectl apply -f - <<'E'\na: b\nE", 'Bash(kubectl apply:*)', 'allow'],
    ["cat - <<'E' > src/a\nx\nE", 'Bash(cat:*)', 'ask'],
    ['cat src/a - <<E | sort\nx\nE', 'Bash(cat:*)', 'ask'],
    ["cat .env - <<'E'\nx\nE", 'Bash(cat:*)', 'deny'],
    ["python3 - <<'E'\nx\nE", 'Bash(python3:*)', 'ask'],
    ["sh - <<'E'\nx\nE", 'Bash(sh:*)', 'ask'],
  ])('%j under %s: %s', (command, rule, verdict) => expect(commandVerdict(command, [['allow', rule]])).toBe(verdict));
});
