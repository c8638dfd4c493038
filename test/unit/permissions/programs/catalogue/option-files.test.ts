/** Checks that no prefix covers a file of options, of names or of a program's own output. */
import { describe, expect, test } from 'vitest';
import { compileRules } from '../../../../../shared/permissions/rules/compile.ts';
import { commandVerdict, tools } from '../../support.ts';
import { describeFamily, type RuleRows } from './family.ts';

/** `@file` may hold every option that the same rule does not cover. */
const OPTION_FILES: RuleRows = [
  ['strings:*', ['strings @src/opts', 'strings -n 8 @src/opts']],
  ['nm:*', ['nm @src/opts']],
  ['objdump:*', ['objdump -d @src/opts']],
  ['readelf:*', ['readelf @src/opts']],
  ['tsc:*', ['tsc @src/opts']],
  ['npx tsc:*', ['npx tsc @src/opts']],
  ['ruff:*', ['ruff check @src/opts']],
  ['mypy:*', ['mypy @src/opts']],
  ['pytest:*', ['pytest @src/opts']],
  ['gcc:*', ['gcc -c @src/opts']],
  ['javac:*', ['javac @src/opts']],
  ['dotnet build:*', ['dotnet build @src/opts']],
  ['swiftc:*', ['swiftc @src/opts']],
  ['clang-format:*', ['clang-format -i @src/opts', 'clang-format -i --files=src/list']],
  ['clang-tidy:*', ['clang-tidy @src/opts']],
  ['xzcat:*', ['xzcat -f --files=src/list', 'xzcat --file src/list', 'xzcat --files0']],
  ['ack:*', ['echo src/a | ack -x key']],
  ['man:*', ['man ./page.1', 'man src/page.1']],
];

/** Programs that print, and have an option or operand that names a file to write. */
const OUTPUTS: RuleRows = [
  ['diffstat:*', ['diffstat -o src/x a', 'diffstat -osrc/x a', 'diffstat -e src/x a']],
  ['zstdcat:*', ['zstdcat a -o src/x', 'zstdcat -fo src/x a', 'zstdcat --output-dir-flat=src a']],
  ['base64:*', ['base64 -i a -o src/x', 'base64 --output=src/x a', 'base64 -Do src/x a']],
  ['zstd:*', ['zstd --trace=src/x a']],
  ['lz4:*', ['lz4 a src/x', 'lz4 -d a src/x']],
  ['sponge:*', ['sponge src/x', 'sponge -a src/x']],
  ['lsof:*', ['lsof -D b./src/x', 'lsof -Db./src/x']],
  ['bat:*', ['bat cache --build --source=src', 'bat cache --clear']],
  ['helm pull:*', ['helm pull x -d src']],
  ['identify:*', ['identify msl:src/x', 'identify @src/list', 'identify -format @src/list a.png']],
  ['mlr:*', ['mlr -I cat src/x', 'mlr tee src/x a', 'mlr split -n 2 a', `mlr put 'tee > "src/x", $*' a`]],
  ['cloc:*', ['cloc --counted=src/x .', 'cloc --ignored src/x .']],
];

/** Programs that run code of their words, or send files. */
const RUN_OR_SEND: RuleRows = [
  [
    'mlr:*',
    [
      `mlr put '$x = system("id")' a`,
      `mlr filter 'exec("id") == "x"' a`,
      'mlr put -f src/x a',
      'mlr --prepipe ./e cat a',
    ],
  ],
  ['cloc:*', ['cloc --extract-with=./e x', 'cloc --vcs=./e', 'cloc --vcs ./e']],
  [
    'http:*',
    [
      'http POST a.example x=@src/a',
      'http POST a.example x:=@src/a',
      'http a.example f@src/a',
      'http a.example @src/a',
      'http a.example x==@src/a',
      'http a.example H:@src/a',
    ],
  ],
  ['ps:*', ['ps -E', 'ps -axEww']],
  [
    'gh pr view:*',
    [
      'gh pr view 1 --json x --jq env',
      'gh pr view 1 --json x --jq=$ENV.X',
      'gh pr view 1 --json x -qenv',
      'gh pr view 1 -cq env --json x',
    ],
  ],
  [
    'gh api:*',
    [
      'gh api x --jq env',
      'gh api x -F body=@src/a',
      'gh api x --field body=@src/a',
      'gh api x --input src/a',
      'gh api x --input=src/a',
      'gh api x -t -f -Fbody=@src/a',
    ],
  ],
  ['dpkg:*', ['dpkg --status-logger=./e -i x', 'dpkg --log=src/x -i x']],
  ['coverage html:*', ['coverage html --directory=src', 'coverage html -d src']],
];

const COVERED: RuleRows = [
  ['strings:*', ['strings -n 8 a', 'strings -a -t x a']],
  ['zstdcat:*', ['zstdcat a.zst']],
  ['base64:*', ['base64 -d a', 'base64 -w0 a', 'base64 --decode a']],
  ['diffstat:*', ['diffstat -p1 a', 'diffstat -w 80 a']],
  ['lsof:*', ['lsof -i :3000', 'lsof -nP -iTCP:3000 -sTCP:LISTEN', 'lsof -iUDP:53', 'lsof -t -i:8080', 'lsof +D src']],
  ['ps:*', ['ps aux', 'ps -ef', 'ps -eo pid,cmd', 'ps -p 1 -o etime=', 'ps axo pid,comm --sort=-rss']],
  ['man:*', ['man ls', 'man 3 printf', 'man -k x']],
  ['bat:*', ['bat -n src/a', 'bat --style=plain --paging=never src/a']],
  ['identify:*', ["identify -format '%w %h' a.png", 'identify a.png b.png']],
  [
    'mlr:*',
    [
      'mlr --icsv --ojson cat a.csv',
      `mlr --icsv --opprint filter '$x > 3' then sort -nr x a.csv`,
      `mlr --c2p put '$z = $x . "_" . $y' a.csv`,
    ],
  ],
  ['cloc:*', ['cloc .', 'cloc --vcs=git', 'cloc --by-file src']],
  ['http:*', ['http POST a.example name=x mail=a@b.example', 'http a.example H:x@y q==a@b', 'http GET a.example']],
  ['tsc:*', ['tsc --noEmit', 'tsc -p tsconfig.json', 'tsc --types @a/b --noEmit']],
  ['mysqldump:*', [`mysqldump --where "id > 5 and name = 'x'" db t`]],
  ['ruff:*', ['ruff check src', 'ruff format --check .']],
  ['nm:*', ['nm -D a.so']],
  ['gh pr list:*', ['gh pr list --search "is:open author:@me"', 'gh pr list -S "a b" -L 5']],
  [
    'gh pr view:*',
    [`gh pr view 12 --json files --jq '.files[] | .path'`, 'gh pr view -c', 'gh pr view 1 -q .environment --json x'],
  ],
  [
    'gh api:*',
    [
      `gh api repos/a/b/pulls --jq '.[] | .title'`,
      'gh api x -f body="hi @ann"',
      'gh api x -f body=@ann',
      'gh api x -fbody=@ann',
      'gh api x --raw-field=body=@ann',
      "gh api graphql -f query='query { a }'",
    ],
  ],
  ['helm list:*', ['helm list -A -o json']],
  ['kubectl rollout status:*', ['kubectl rollout status deploy/web --timeout=60s']],
  ['journalctl:*', ['journalctl -u nginx --since "1 hour ago" -o json']],
  ['playwright test:*', ['playwright test -g "logs in"']],
  ['rspec:*', ['rspec -e "logs in" spec/a_spec.rb']],
  ['mvn test:*', ['mvn test -pl core -am']],
  ['aws dynamodb query:*', [`aws dynamodb query --table-name t --expression-attribute-values '{":a": {"S": "b"}}'`]],
  ['cp:*', ['cp -t build a', 'cp --target-directory=build a', 'cp --no-target-directory a b']],
];

/** A condition of a dump is SQL. */
const CONDITIONS: RuleRows = [
  [
    'mysqldump:*',
    [
      `mysqldump -w "1=1 INTO OUTFILE '/tmp/x'" db t`,
      `mysqldump --where="1=1 union select password from u" db t`,
      'mysqldump --where "1=1; drop table t" db t',
      'mysqldump --where "$X" db t',
    ],
  ],
];

describeFamily({ covered: COVERED, notCovered: [...OPTION_FILES, ...OUTPUTS, ...RUN_OR_SEND, ...CONDITIONS] });

describe('the preset of readers, with no other rule, does not cover', () => {
  const preset = compileRules(
    [{ effect: 'allow', pattern: '', source: 'project', matcher: { kind: 'preset', name: 'read-only' } }],
    { tools },
  ).policy;
  const verdict = (command: string): string => commandVerdict(command, [], { policy: preset });

  test.each([
    ['diffstat -o src/x a'],
    ['zstdcat -o src/x a'],
    ['base64 -i a -o src/x'],
    ['xzcat -f --files=src/list'],
    ['strings @src/opts'],
    ['man ./src/page.1'],
    ['lsof -Db./src/x'],
    ['bat cache --build --source=src --target=src'],
    ['echo src/a | ack -x key'],
    ['ps -E'],
  ])('%s', (command) => {
    expect(verdict(command)).toBe('ask');
  });

  test.each([
    ['strings a'],
    ['zstdcat a.zst'],
    ['base64 -d a'],
    ['ps aux'],
    ['man ls'],
    ['lsof -i :3000'],
    ['diffstat a'],
  ])('and still covers %s', (command) => {
    expect(verdict(command)).toBe('allow');
  });
});
