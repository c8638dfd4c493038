/** Checks globs that name, or may name, a protected path or one of a deny or ask rule (G6). */
import { describe, expect, test } from 'vitest';
import { globKey, keyKind } from '../../../../shared/domain/path-keys.ts';
import type { CallContext } from '../../../../shared/permissions/call/call-context.ts';
import { ProtectedPathChecker } from '../../../../shared/permissions/index.ts';
import type { Mode } from '../../../../shared/permissions/model/types.ts';
import { collectPaths } from '../../../../shared/permissions/paths/collect.ts';
import { globSegments, listedGlobs } from '../../../../shared/permissions/paths/glob-word.ts';
import { type CompiledPolicy, compileRules } from '../../../../shared/permissions/rules/compile.ts';
import { judge, type Rule, SURE_TO_ALLOW, tools } from '../support.ts';

const ALLOWED: readonly Rule[] = [
  ['allow', 'Bash'],
  ['allow', 'Read'],
  ['allow', 'Glob'],
  ['allow', 'Grep'],
  ['allow', 'mcp__fs__*'],
];
const words = (text: string) => text.split(' ');
const cat = (word: string, more: readonly Rule[] = [], context: Partial<CallContext> = {}) =>
  judge('Bash', { command: `cat ${word}` }, [...ALLOWED, ...more], context).verdict;
const search = (glob: string, more: readonly Rule[] = [], context: Partial<CallContext> = {}) =>
  judge('Grep', { pattern: 'x', glob }, [...ALLOWED, ...more], context).verdict;
const among = (globs: string, verdictOf: (glob: string) => string, verdict: string) =>
  words(globs).filter((glob) => verdictOf(glob) !== verdict);

describe('a glob of a command', () => {
  test('counts as the protected name that its letters say', () => {
    const says =
      '.e* .en? .[e]nv .*nv .?nv .[a-z]nv .n* .g*/config src/.g* .ENV* .env.* .env* ./.e* ../.e* /workspace/app/.e* ' +
      'id_r* id_* *d_rsa i*_rsa [i][d]?[r]?? [i]d_rsa [Ii]d_r* authorized_* *_keys *.pem *pem *.key ' +
      '~/.ss* ~/.aws/c* ~/.a*/credentials ~/.aws/./c* ~/.aws//c* .docker/conf* .config/gi*';
    expect(among(says, cat, 'deny')).toEqual([]);
  });

  test('is asked about where it only may', () => {
    const may =
      'i* a* auth* src/i* *a .* .*.* .??* ?d* id* i????? ?????? *.p* *.k* *.ke? *.p?m server.p* *em ' +
      '~/.aws/* ~/.docker/*.json .config/*';
    expect(among(may, cat, 'ask')).toEqual([]);
  });

  test('is free where it names nothing in particular, or nothing protected', () => {
    const free =
      '* ? ?? *.* *.ts *.test.ts *.json *.yml README* src/*.json src/* */* **/*.ts *.js *.js* package*.json *_test.go ' +
      // A shell's wildcard is no leading dot.
      '*env ?env [.]env *rc *nv *git* ' +
      '.x* .gitig* *.keys *.pems server* server.* x*.ts [a-z]* .aws/x* .aws/*q a\\\\*b ids*';
    expect(among(free, cat, 'allow')).toEqual([]);
  });

  test('stands in its folder', () => {
    const inFolder = (folder: string, word: string) =>
      judge('Bash', { command: `cd ${folder} && cat ${word}` }, ALLOWED, { projectRoot: '/' }).verdict;
    expect([
      inFolder('/home/agent/.aws', 'c*'),
      inFolder('/home/agent/.aws', '*'),
      inFolder('/home/agent', '*'),
    ]).toEqual([...['deny', 'ask', 'allow']]);
    expect([inFolder('/srv/.aws/x', '../c*'), inFolder('/srv/.aws/x', 'c*'), inFolder('/srv', 'x/../.a*/c*')]).toEqual([
      ...['deny', 'allow', 'deny'],
    ]);
    expect([cat('c*', [], { cwd: '/srv/.aws' }), cat('*', [], { cwd: '/srv/.aws' })]).toEqual(['deny', 'ask']);
  });

  test('with unknown parts may begin with a dot, and a lone one is nothing', () => {
    const unknown = (word: string, verdict: string) => [word, cat(word), verdict];
    for (const [word, found, wanted] of [
      unknown('$x', 'allow'),
      unknown('$x/$y', 'allow'),
      unknown('$x.ts', 'allow'),
      unknown('src/$x.test.ts', 'allow'),
      unknown('$' + '{x}env', 'ask'),
      unknown('$' + '{x}nv', 'ask'),
      unknown('$' + '{x}.env', 'deny'),
      unknown('.e$x', 'deny'),
      unknown('id$x', 'ask'),
    ])
      expect([word, found]).toEqual([word, wanted]);
  });
});

describe('a glob that a program expands', () => {
  test('counts as a name whose dot is a letter of it', () => {
    const says =
      '.e* *.env **/.env .[[:alpha:]]nv **/.[[:alpha:]x]nv .[![:digit:]]nv id_* {a,.e*} .e{nv,x} .e\\nv {a,{b,.env}}';
    expect(among(says, search, 'deny')).toEqual([]);
  });

  test('may begin with a dot', () => {
    expect(among('*env *env* ?env [.]env **/*nv ???? *rc .* i* [i]* [ij]* [!a]d_*', search, 'ask')).toEqual([]);
  });

  test('is free where it names nothing in particular', () => {
    const free = '* ** **/* **/*.ts *.json *.{ts,tsx} */x.ts **/config/** **/package.json ? *.* [ [a src/[ x[a-';
    expect(among(free, search, 'allow')).toEqual([]);
  });

  test('is no path where it leaves something out', () => {
    expect(among('!.env !**/.git/** !*.pem', search, 'allow')).toEqual([]);
    expect([search('*.ts !.env'), search('*.ts .env'), search('*.ts,.env'), search('!x,i*')]).toEqual([
      ...['allow', 'deny', 'deny', 'ask'],
    ]);
  });

  test('stands in the folder that is searched, at any depth without a slash', () => {
    const glob = (input: object) => judge('Glob', input, ALLOWED).verdict;
    const grep = (input: object) => judge('Grep', { pattern: 'x', ...input }, ALLOWED).verdict;
    expect(glob({ pattern: 'c*', path: '~/.aws' })).toBe('deny');
    expect(glob({ pattern: '*', path: '~/.aws' })).toBe('ask');
    expect(glob({ pattern: 'credentials', path: '~/.aws' })).toBe('deny');
    expect(glob({ pattern: '/srv/c*', path: '~/.aws' })).toBe('allow');
    expect(glob({ pattern: '../c*', path: '~/.aws/x' })).toBe('deny');
    expect(grep({ glob: 'c*', path: '~/.aws' })).toBe('deny');
    expect(grep({ glob: 'x/c*', path: '~/.aws' })).toBe('allow');
    expect(grep({ glob: '.aws/c*', path: 'src' })).toBe('deny');
    expect(
      judge('Glob', { pattern: '*.ts', path: 'src' }, [['allow', 'Glob(/src/**)']], { mode: 'auto' }).verdict,
    ).toBe('allow');
  });

  test('is read from text to tokens once', () => {
    const of = (text: string) => globSegments(text).map(({ path, glob }) => [path, glob?.map((each) => each.length)]);
    expect(of('a/b')).toEqual([['a/b', undefined]]);
    expect(of('./a//b*')).toEqual([['./a//b*', [1, 2]]]);
    expect(of('**/[a-z]x')).toEqual([['**/[a-z]x', [2, 2]]]);
    expect(of('[[:x:]]y[')).toEqual([['[[:x:]]y[', [3]]]);
    expect(of('[]]a\\')).toEqual([['[]]a\\', [3]]]);
    expect(of('[[:x]\\[')).toEqual([['[[:x]\\[', [6]]]);
    expect(of('[!]a]\\]')).toEqual([['[!]a]\\]', [2]]]);
    expect(listedGlobs('a, !b {c,d}\te,!f')).toEqual(['a', '{c,d}', 'e']);
  });
});

const RULES: readonly Rule[] = [
  ['deny', 'Read(secrets/**)'],
  ['deny', 'Edit(infra/**)'],
  ['ask', 'Read(/drafts/plan.md)'],
];

function expiring(effect: 'deny' | 'ask', expiresAt: number): CompiledPolicy {
  const pattern = 'Read(secrets/**)';
  return compileRules([{ effect, pattern, source: 'session', expiresAt }], { tools }).policy;
}

describe('a deny or ask rule on paths', () => {
  const verdict = (word: string) => cat(word, RULES);

  test('fires for a glob whose letters say its path', () => {
    const denied =
      'secret?/key secret[s]/key sec*/key s?crets/key src/sec* secrets/* secrets/k* /workspace/app/sec*/x ' +
      '$' +
      '{x}/secrets/y sec$x/key';
    expect(among(denied, verdict, 'deny')).toEqual([]);
    expect(judge('Bash', { command: 'cp a inf*/b' }, [...ALLOWED, ...RULES]).verdict).toBe('deny');
    expect(judge('Bash', { command: 'cat inf*/b' }, [...ALLOWED, ...RULES]).verdict).toBe('allow');
    expect(judge('Bash', { command: 'cat drafts/pla*' }, [...ALLOWED, ...RULES])).toMatchObject({
      verdict: 'ask',
      humanRequired: true,
    });
  });

  test('has a person asked about one that only may', () => {
    const may = 's* s*/key src/s* */key ./*/key **/key src/*/key $d/key $d/k* drafts/*.md /w*/app/drafts/plan.md';
    expect(among(may, verdict, 'ask')).toEqual([]);
    for (const command of ['for d in s*; do cat $d/key; done', 'for d in *; do cat $d/key; done'])
      expect(judge('Bash', { command }, [...ALLOWED, ...RULES]).verdict).toBe('ask');
  });

  test('leaves free what names nothing in particular, or nothing of it', () => {
    const free = '* *.ts */*.ts */* src/* /workspace/app/* docs/*.md $x $x/$y x*/key **/*.ts dr* *.md $d/*.ts';
    expect(among(free, verdict, 'allow')).toEqual([]);
  });

  test.each<[string, string, object, string]>([
    ['a file is no folder', 'Read(notes.txt)', { command: 'cat */key' }, 'allow'],
    ['a folder with a slash is one', 'Read(v1.2/)', { command: 'cat */key' }, 'ask'],
    ['a short name takes all its letters', 'Read(db/**)', { command: 'cat db*/x' }, 'deny'],
    ['an extension is not', 'Read(keys.json)', { command: 'cat *.json' }, 'allow'],
    ['unless the rule is about it', 'Read(*.sqlite)', { command: 'cat *.sqlite' }, 'deny'],
    ['a rule about everything', 'Read(**)', { command: 'cat *.x' }, 'deny'],
    ['below the home directory', 'Read(~/vault/**)', { command: 'cat ~/vau*/x' }, 'deny'],
    ['below the root', 'Read(//srv/vault/**)', { command: 'cat /srv/v*' }, 'ask'],
    ['beside the folder', 'Read(../other/**)', { command: 'cat ../oth*/x' }, 'deny'],
    ['not beside it', 'Read(../other/**)', { command: 'cat oth*/x' }, 'allow'],
    ['several names', 'Read(a1/**/private/x)', { command: 'cat a1/b/priv*/x' }, 'deny'],
    ['one of which is open', 'Read(data/*/private)', { command: 'cat data/x/priv*' }, 'deny'],
    ['a hidden folder and its star', 'Read(.vault/**)', { command: 'cat */key' }, 'allow'],
    ['a hidden folder and its letter', 'Read(.vault/**)', { command: 'cat .v*/key' }, 'deny'],
    ['a rule of the folder that the call works in', 'Read(app)', { command: 'cat x*' }, 'deny'],
    ['the project as written', 'Read(//workspace/app/secrets/**)', { command: 'cat *' }, 'allow'],
  ])('%s: %s, %j: %s', (_, pattern, input, wanted) => {
    expect(judge('Bash', input, [...ALLOWED, ['deny', pattern]]).verdict).toBe(wanted);
  });

  test.each<[string, object, string]>([
    ['Grep', { pattern: 'x', glob: 's*/**' }, 'ask'],
    ['Grep', { pattern: 'x', glob: 'secr*/**' }, 'deny'],
    ['Glob', { pattern: 's*/**' }, 'ask'],
    ['Glob', { pattern: '**/secrets/**' }, 'deny'],
    ['Glob', { pattern: '*/key' }, 'ask'],
    ['Glob', { pattern: '**/*.ts' }, 'allow'],
    ['Glob', { pattern: '**/key' }, 'allow'],
    ['Glob', { pattern: 'k*', path: 'secrets' }, 'deny'],
    ['Grep', { pattern: 'x', path: '.' }, 'allow'],
    ['mcp__fs__read', { path: 's*/key' }, 'ask'],
    ['mcp__fs__read', { paths: ['a', 'secret?/key'] }, 'deny'],
  ])('%s %j: %s', (tool, input, wanted) => expect(judge(tool, input, [...ALLOWED, ...RULES]).verdict).toBe(wanted));

  test('counts until its end', () => {
    expect(cat('s*/key', RULES)).toBe('ask');
    const facts = { now: 2 };
    const at = (effect: 'deny' | 'ask', expiresAt: number) =>
      judge('Bash', { command: 'cat s*/key' }, ALLOWED, { sessionRules: expiring(effect, expiresAt) }, facts).verdict;
    expect([at('deny', 3), at('ask', 3), at('deny', 1), at('ask', 1)]).toEqual(['ask', 'ask', 'allow', 'allow']);
  });
});

describe('what only may be meant', () => {
  const MODES: readonly Mode[] = ['default', 'acceptEdits', 'auto', 'bypass'];
  test.each(MODES)('asks in mode %s, whatever rule, classifier and hook say', (mode) => {
    const facts = { classifier: SURE_TO_ALLOW, hook: { decision: 'allow' } } as const;
    for (const honoursRules of [true, false]) {
      const bypass = { enabled: true, honoursRules };
      for (const command of ['cat i*', 'cat s*/key']) {
        const rules: Rule[] = [...ALLOWED, ['deny', 'Read(secrets/**)'], ['allow', `Bash(${command})`]];
        const { verdict, humanRequired } = judge('Bash', { command }, rules, { mode, bypass }, facts);
        expect([verdict, humanRequired]).toEqual(['ask', undefined]);
      }
    }
  });

  test('is allowed to the person who has approved this very call', () => {
    const granted = (scope: 'session' | 'session-all-tools') =>
      judge('Bash', { command: 'cat i*' }, [], {}, { grant: { scope } }).verdict;
    expect([granted('session'), granted('session-all-tools')]).toEqual(['allow', 'ask']);
  });

  test('is named, with what it may mean', () => {
    const message = (command: string) => judge('Bash', { command }, RULES).message;
    expect(message('cat i*')).toBe(
      'The pattern i* may name a protected file (id_rsa): name the files, or a person decides.',
    );
    expect(message('cat $d/key')).toBe(
      'The pattern …/key may name a path of the deny rule Read(secrets/**) (project): name the files, or a person decides.',
    );
  });

  test('is protected to who asks the checker alone', () => {
    const check = (pattern: string) => new ProtectedPathChecker().check('Glob', { pattern });
    expect(check('i*')).toEqual({ kind: 'Protected', matchedPattern: 'id_rsa', path: 'i*' });
    expect(check('x*')).toEqual({ kind: 'Safe' });
  });
});

describe('a pattern that a deployment protects', () => {
  const patterns = [
    'vault/keys',
    'secret.txt',
    'deep/**',
    '**/hid/**',
    'one/**/two',
    '../up.txt',
    'all/*',
    '*_rsa',
    '?..',
  ];
  const context = { protected: new ProtectedPathChecker().withPatterns(patterns) };
  const glob = (pattern: string) => judge('Glob', { pattern }, ALLOWED, context).verdict;

  test('holds for globs, as a rule does', () => {
    const says =
      'vault/key* sec* a/vault/key? dee*/x deep/k* hid/x* .../? one/two* one/x/y/two* ../up* all/* *_rsa my_rs*';
    expect(among(says, glob, 'deny')).toEqual([]);
    expect(among('v*/k* vault/k* s*.t* a/hi*/b al*/xyzw* my_r* one/x/tw* vault/* */two.*', glob, 'ask')).toEqual([]);
    expect(among('*.ts vault/*.x *.* **/* two/one*.x x*', glob, 'allow')).toEqual([]);
  });

  test('a pattern has to be one', () => {
    for (const bad of ['', '  ', '!x', 'a[', 'x\\'])
      expect(() => new ProtectedPathChecker().withPatterns(['vault', bad])).toThrow(/pattern|bracket/);
  });
});

describe('an unknown tool', () => {
  const mcp = (input: object) => judge('mcp__fs__read', input, ALLOWED).verdict;
  test.each<[object, string]>([
    [{ path: '.e*' }, 'deny'],
    [{ glob: '.e*' }, 'deny'],
    [{ fileGlobs: ['*.ts', '.e*'] }, 'deny'],
    [{ patterns: ['src/**', '.e*'] }, 'deny'],
    [{ include: '*.ts, .env' }, 'deny'],
    [{ include: { only: '.e*' } }, 'deny'],
    [{ pattern: '*.pem' }, 'deny'],
    [{ globs: 'i*' }, 'ask'],
    [{ paths: ['i*'] }, 'ask'],
    [{ target: 'a*' }, 'ask'],
    [{ pattern: 'the .env file' }, 'allow'],
    [{ glob: '!.env' }, 'allow'],
    [{ exclude: ['.env', '**/.git/**'] }, 'allow'],
    [{ excludePatterns: ['.env'], ignore: '.git' }, 'allow'],
    [{ ignoreFile: '.env' }, 'deny'],
    [{ exclude_from: '.env' }, 'deny'],
    [{ path: 'src/[id]/page.tsx' }, 'allow'],
    [{ path: 'src/[...slug]/page.tsx' }, 'allow'],
    [{ path: 'src/[id/page.tsx' }, 'allow'],
    [{ path: 'src/a]b{c/x\\' }, 'allow'],
    [{ value: '.e*' }, 'allow'],
    [{ n: 'i*' }, 'allow'],
  ])('%j: %s', (input, wanted) => expect(mcp(input)).toBe(wanted));

  test.each<[string, ReturnType<typeof globKey>]>([
    ['glob', 'list'],
    ['fileGlobs', 'list'],
    ['include', 'list'],
    ['pattern', 'word'],
    ['search_patterns', 'word'],
    ['excludeGlob', undefined],
    ['ignore_patterns', undefined],
    ['path', undefined],
  ])('%s: %s', (key, kind) => expect(globKey(key)).toBe(kind));

  test('what is left out is no path, and a file that lists it is', () => {
    expect(words('exclude ignored excludePaths ignore_dirs').map(keyKind)).toEqual([
      'prose',
      'prose',
      'prose',
      'prose',
    ]);
    expect(words('ignoreFile exclude_from excludePath').map(keyKind)).toEqual(['path', 'path', 'path']);
  });

  test('a built-in one reads the path of a file as it stands', () => {
    expect(judge('Read', { file_path: '.e*' }, ALLOWED).verdict).toBe('allow');
    expect(judge('Read', { file_path: 'src/[id]/i*' }, ALLOWED).verdict).toBe('allow');
  });
});

describe('a stated view of the disk', () => {
  const fs = {
    symlinks: { env: '.env', 'lib/box': '/home/agent/.aws', '/workspace/app/loop': 'loop', docs: 'secrets' },
  };
  const at = (tool: string, input: object, rules: readonly Rule[] = []) =>
    judge(tool, input, [...ALLOWED, ...rules], { fs }).verdict;
  const bash = (command: string, rules: readonly Rule[] = []) => at('Bash', { command }, rules);

  test('shows where a glob leads', () => {
    expect([bash('cat en*'), bash('cat e*'), bash('cat *'), bash('cat x*'), bash('cat lo*')]).toEqual([
      ...['ask', 'ask', 'ask', 'allow', 'allow'],
    ]);
    expect([bash('cat lib/box/c*'), bash('cat lib/b*/c*'), bash('cat lib/box/x*')]).toEqual(['deny', 'ask', 'allow']);
    const secret: Rule = ['deny', 'Read(secrets/**)'];
    expect([bash('cat docs/k*', [secret]), bash('cat do*/k*', [secret]), bash('cat dx*/k*', [secret])]).toEqual([
      ...['deny', 'ask', 'allow'],
    ]);
  });

  test('shows what a search would read', () => {
    const grep = (input: object) => at('Grep', { pattern: 'x', ...input });
    expect([grep({}), grep({ path: '.' }), grep({ path: 'lib' }), grep({ path: 'src' })]).toEqual([
      ...['ask', 'ask', 'ask', 'allow'],
    ]);
    expect([grep({ glob: '!x' }), grep({ glob: '*.ts' }), grep({ glob: 'en?' })]).toEqual(['ask', 'ask', 'ask']);
    expect([at('Glob', { pattern: '**/c*' }), at('Glob', { pattern: 'src/**' })]).toEqual(['ask', 'allow']);
  });

  test('without one a search of a folder is no glob', () => {
    const uses = (context: object) =>
      collectPaths(
        'Grep',
        { pattern: 'x', path: 'a' },
        { context: { cwd: '/p', projectRoot: '/p', home: '/h', ...context } },
      ).uses.map(({ path }) => path);
    expect([uses({}), uses({ fs: {} }), uses({ fs: { symlinks: {} } })]).toEqual([['a'], ['a'], ['a', 'a/**']]);
  });
});
