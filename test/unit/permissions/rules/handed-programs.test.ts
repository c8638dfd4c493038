/** Checks deny rules on programs that options, letters or remotes hand to another program. */
import { describe, expect, test } from 'vitest';
import { createToolRegistry } from '../../../../shared/permissions/model/tools.ts';
import { judge, type Rule } from '../support.ts';

const DENIES: readonly Rule[] = [
  ['deny', 'Bash(pwned:*)'],
  ['deny', 'Bash(curl https://evil.test:*)'],
];
const inBypass = (command: string) => judge('Bash', { command }, DENIES, { mode: 'bypass' } as never).verdict;
const underBash = (command: string) => judge('Bash', { command }, [...DENIES, ['allow', 'Bash']]).verdict;

describe('a denied program', () => {
  test.each([
    'tar cIf pwned x.tar y',
    'tar cfI x.tar pwned y',
    'bsdtar xfF x.tar pwned',
    'zip x -T -TTpwned y',
    'socat TCP:a:1 SHELL:pwned',
    'socat TCP:a:1 exec:pwned,pty',
    'socat - Exec:pwned',
    "socat - sHeLl:'pwned a=b'",
    'scp -D pwned x host:y',
    'sftp -D pwned',
    'git -c protocol.ext.allow=always clone ext::pwned x',
    "git -c protocol.ext.allow=always fetch 'ext::pwned% x'",
    'git archive --remote=ext::pwned HEAD',
    "git -c 'url.ext::pwned x.insteadOf=x' fetch x",
    'uname26 pwned x',
    'linux32 uname26 pwned',
    'cmd /c "pw^ned x"',
  ])('%s is denied', (command) => expect([inBypass(command), underBash(command)]).toEqual(['deny', 'deny']));

  test.each([
    "lftp -e '!pwned' host",
    "hg --config alias.x='!pwned' x",
    "glab alias set x '!pwned'",
    "glab alias set x 'pwned'",
    "more '+!pwned' x",
    "mytool '|pwned'",
    './manage.py runcmd pwned x',
    './artisan x pwned y',
    'gci | where { pwned x }',
    'gci | where -FilterScript { pwned x }',
  ])('%s asks', (command) => expect([inBypass(command), underBash(command)]).not.toContain('allow'));

  test.each([
    'tar cf pwned.tar x',
    'tar tvf x.tar pwned',
    'uname -a',
    'git clone https://a.test/pwned x',
    "mytool 'a!=b'",
    'where pwned',
    'tldr pwned',
    'apt-cache policy pwned',
    'apt-cache depends pwned',
    'winget show pwned',
    'choco list pwned',
    'scoop info pwned',
  ])('%s runs none', (command) => expect(inBypass(command)).toBe('allow'));
});

describe('a deny on a host in front of `:*`', () => {
  test.each([
    'curl https://evil.test',
    'curl https://evil.test/x/y',
    'curl -s http://evil.test/x',
    'curl evil.test/x',
    "curl 'https://evil.test/?x=1'",
    'curl https://user@EVIL.test:443/x',
    'curl https://a.test https://evil.test/x',
  ])('hears %s', (command) => expect([inBypass(command), underBash(command)]).toEqual(['deny', 'deny']));

  test.each(['curl https://evil.test.example/x', 'curl https://a.test/evil.test/x', 'curl https://evil.test:8443/x'])(
    'and not %s',
    (command) => expect(inBypass(command)).toBe('allow'),
  );
});

describe('a program that nobody described, and that names a denied one', () => {
  test.each([
    'timeout 5 mytool pwned x',
    'sudo mytool pwned x',
    "sh -c 'mytool pwned x'",
    'yarn mytool pwned x',
    'pnpm run mytool pwned x',
    "mytool <<< 'pwned x'",
    'timeout 5 mytool <<E\npwned x\nE',
    'yarn shx rm -rf /',
    'mytool "cat .e\'\'nv"',
    'timeout 5 mytool "cp x .g\'\'it/hooks/y"',
  ])('%s does not pass in bypass, whatever runs it', (command) => expect(inBypass(command)).not.toBe('allow'));

  test.each(['yarn mytool pwned x', 'yarn run mytool pwned x', 'bun run mytool pwned x', "pnpm mytool 'rm -rf /'"])(
    '%s is covered by no rule for what runs it',
    (command) => {
      const rules: readonly Rule[] = ['yarn', 'pnpm', 'bun'].map((name) => ['allow', `Bash(${name}:*)`]);
      expect(judge('Bash', { command }, [...DENIES, ...rules]).verdict).toBe('ask');
    },
  );

  test.each(['yarn mytool x', 'yarn build pwned.js', 'pnpm run mytool --pwned', 'npm run mytool pwned'])(
    '%s is',
    (command) => {
      const rules: readonly Rule[] = ['yarn', 'pnpm', 'npm'].map((name) => ['allow', `Bash(${name}:*)`]);
      expect(judge('Bash', { command }, [...DENIES, ...rules]).verdict).toBe('allow');
      expect(inBypass(command)).toBe('allow');
    },
  );
});

test.each(['tldr --render .env', 'tldr -r .env'])('%s reads a file', (command) =>
  expect(inBypass(command)).toBe('deny'),
);

describe('a program whose later words are all tried as programs', () => {
  const rules: readonly Rule[] = [
    ['deny', 'Bash(pwned:*)'],
    ['ask', 'Bash(npm install:*)'],
    ['ask', "Bash(psql -c 'DROP TABLE users':*)"],
  ];
  const verdictOf = (command: string) => judge('Bash', { command }, rules, { mode: 'bypass' } as never).verdict;

  test.each([
    "docker exec -i db psql -U me app -c 'select 1'",
    'docker compose exec web npm test',
    "kubectl exec db -- psql -c 'select 1'",
    'op run -- npm test',
    'git bisect run npm test',
    'nix develop -c npm test',
  ])('%s is heard by the rules of those', (command) => expect(verdictOf(command)).toBe('allow'));

  test.each([
    ['docker exec web mytool npm install x', 'ask'],
    ['op run -- mytool pwned x', 'deny'],
    ['docker exec -i web xargs mytool <<< pwned', 'ask'],
    ["docker exec web sh -c 'mytool pwned x'", 'ask'],
  ])('%s: %s', (command, verdict) => expect(verdictOf(command)).toBe(verdict));
});

describe('a listed PowerShell', () => {
  const listed = createToolRegistry([
    { name: 'PowerShell', permissions: ['Execute'], subject: ['command'], shell: true },
  ]);
  const verdictOf = (command: string) =>
    judge(
      'PowerShell',
      { command },
      [
        ['deny', 'Read(secrets/**)'],
        ['deny', 'PowerShell(pwned:*)'],
      ],
      {
        mode: 'bypass',
        tools: listed,
      },
    ).verdict;

  test.each([
    'Get-Content .\\secrets\\key',
    'gc secrets\\key | Out-Host',
    'type .\\.env',
    'Get-Content C:\\Users\\me\\.ssh\\id_rsa',
  ])('%s is denied', (command) => expect(verdictOf(command)).toBe('deny'));

  test.each(['Get-Content .\\src\\key', 'git commit -m "Ignore .env"', 'Get-ChildItem src'])(
    '%s is allowed',
    (command) => expect(verdictOf(command)).toBe('allow'),
  );
});

describe('PowerShell', () => {
  const rules: readonly Rule[] = [['allow', 'Bash(pwsh:*)']];
  test.each(['-c', '-COMMAND', '/c', '/Command', '\u2013c', '\u2014Command', '\u2015c'])(
    'takes code behind %s, which no prefix covers',
    (option) => {
      expect(judge('Bash', { command: `pwsh ${option} 'Get-Item x'` }, rules).verdict).toBe('ask');
      expect(inBypass(`pwsh ${option} 'pwned x'`)).toBe('deny');
    },
  );

  test.each(['pwsh x.ps1', 'pwsh ./x.ps1 \u2014a', 'pwsh /workspace/app/x.ps1'])('%s is a script', (command) =>
    expect(judge('Bash', { command }, rules).verdict).toBe('allow'),
  );
});

test.each(['npm install --python=./x', 'npm ci --node-gyp ./x', 'npm rebuild --python ./x'])(
  '%s names a program for npm',
  (command) => expect(judge('Bash', { command }, [['allow', 'Bash(npm:*)']]).verdict).toBe('ask'),
);
