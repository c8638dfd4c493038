/** Checks every spelling of a path, and every input that may hold one (G6, D3, R4-096 … R4-108). */
import { describe, expect, test } from 'vitest';
import { ProtectedPathChecker } from '../../../../shared/permissions/index.ts';
import { expandBraces } from '../../../../shared/permissions/paths/glob-word.ts';
import { followLinks, leadsElsewhere } from '../../../../shared/permissions/paths/links.ts';
import { normalisePath, percentDecodeOnce } from '../../../../shared/permissions/paths/normalise.ts';
import { segmentTokens } from '../../../../shared/permissions/paths/pattern.ts';
import { DEFAULT_PROTECTED } from '../../../../shared/permissions/protected/protected-names.ts';
import { judge, shell } from '../support.ts';

const AT = { cwd: '/p/src', projectRoot: '/p', home: '/home/u' } as const;
const spelled = (path: string, at: Parameters<typeof normalisePath>[1] = AT) =>
  normalisePath(path, at).exact.map((segments) => `/${segments.join('/')}`);

describe('a path as stated', () => {
  test.each<[string, string]>([
    ['a', '/p/src/a'],
    ['./a//b/.', '/p/src/a/b'],
    ['../a', '/p/a'],
    ['../../../../a', '/a'],
    ['/a/../../b', '/b'],
    ['~', '/home/u'],
    ['~/a', '/home/u/a'],
    ['$HOME/a', '/home/u/a'],
    ['$' + '{HOME}/a', '/home/u/a'],
    ['$PWD/a', '/p/src/a'],
    ['$' + '{PWD}/a', '/p/src/a'],
    ['~+/a', '/p/src/a'],
    ['~bob/a', '/home/bob/a'],
    ['~bob', '/home/bob'],
    ['a/~', '/p/src/a/~'],
    ['/proc/self/cwd/a', '/p/src/a'],
    ['/proc/1/root/a', '/a'],
    ['/proc/self/cwd/../a', '/p/a'],
    ['/proc/self/cwd/../../data/a', '/data/a'],
    ['/dev/fd/../cwd/a', '/p/src/a'],
    ['/dev/./fd/../root/data/a', '/data/a'],
    ['/proc/1/root/../a', '/a'],
    ['file:///proc/self/cwd/../a', '/p/a'],
    ['/proc/self/task/7/cwd/a', '/p/src/a'],
    ['/proc/self/task/7/root/a', '/a'],
    ['%61', '/p/src/a'],
    ['%2e%2e/a', '/p/a'],
    ['file:///a', '/a'],
    ['file://host/a', '/a'],
    ['file://host', '/'],
    ['file:a', '/p/src/a'],
    ['FILE:///a', '/a'],
    ['..\\a', '/p/a'],
    ['C:\\a', '/a'],
    ['C:\\a', '/p/src/C:/a'],
    ['C:\\a.', '/p/src/C:/a'],
    ['C:/a::$DATA', '/p/src/C:/a'],
    ['C:\\b.\\..\\a', '/p/src/C:/a'],
    ['C:\uff3ca', '/p/src/C:/a'],
    ['z:/a', '/a'],
    ['\\\\?\\C:\\a', '/a'],
    ['\\\\.\\a', '/p/src/a'],
    ['\\\\?\\UNC\\a', '/p/src/a'],
    ['ab::$DATA', '/p/src/ab'],
    ['ab:stream', '/p/src/ab'],
    ['a. .', '/p/src/a'],
    ['...', '/p/src/...'],
    [':x.', '/p/src/:x'],
    ['~:x./a', '/home/:x/a'],
    ['~:x/a', '/home/u/a'],
    ['A:\\a', '/a'],
    ['%2fproc/self/cwd/a', '/p/src/a'],
    ['%ef%bd%81', '/p/src/\uff41'],
    ['a\u200b', '/p/src/a'],
    ['\uff41', '/p/src/a'],
  ])('%j may be %s', (stated, path) => expect(spelled(stated)).toContain(path));

  test.each(['a', 'a/b', '/x', '~/x', '..'])('%j is nothing else', (stated) => expect(spelled(stated)).toHaveLength(1));

  test('nor is it what only looks like another form', () => {
    expect(spelled('...')).toEqual(['/p/src/...']);
    expect(spelled('{:/x')).not.toContain('/x');
    expect(spelled('a\n')).not.toContain('/p/src');
    expect(spelled('/%61/b/cwd/c')).not.toContain('/p/src/c');
    expect(spelled('/a/self/cwd/c')).toEqual(['/a/self/cwd/c']);
  });

  test('what is not a process folder stays', () => {
    expect(spelled('/proc/self/status')).toEqual(['/proc/self/status']);
    expect(spelled('/procs/self/cwd/a')).toEqual(['/procs/self/cwd/a']);
    expect(spelled('/proc/self/fd/root')).not.toContain('/');
  });

  test.each<[string, 'ask' | 'error' | undefined]>([
    ['a', undefined],
    ['a b', undefined],
    ['\u00e9', undefined],
    ['a%20b', undefined],
    ['100%', undefined],
    ['%zz', undefined],
    ['%252e', 'ask'],
    ['%2541', 'ask'],
    ['%25%34%31', 'ask'],
    ['%2%35%36', 'ask'],
    ['%c%64', 'ask'],
    ['%cd', undefined],
    ['--format=%cd', undefined],
    ['--format=%ad', undefined],
    ['--format=%ae', undefined],
    ['--pretty=%H%x09%s', undefined],
    ['%cd%61', undefined],
    ['%ad%20%61', undefined],
    ['a\nb', 'ask'],
    ['a\tb', 'ask'],
    ['a\u00a0b', 'ask'],
    ['a\u202eb', 'ask'],
    ['a\0', 'error'],
    ['a\ud800', 'error'],
  ])('%j: %s', (stated, level) => {
    const { finding, insideRoot } = normalisePath(stated, AT);
    expect([finding?.level, insideRoot]).toEqual([level, level === undefined]);
  });

  test('why it is an error is told', () => {
    const why = (stated: string) => normalisePath(stated, AT).finding?.why;
    expect([why('a\0'), why('a\ud800')]).toEqual(['the path holds a NUL byte', 'the path is not valid Unicode']);
  });

  test('each line of one with a newline is judged', () => {
    expect(spelled('a\n/etc/passwd')).toContain('/etc/passwd');
    expect(judge('Edit', { file_path: 'a\n.env' }, [['allow', 'Edit']]).verdict).toBe('deny');
  });

  test.each([
    [' .env'],
    ['".env"'],
    ["'.env'"],
    ['`.env`'],
    [' ".env" '],
    ['".env'],
    ['%22.env%22'],
    ['"./x/../.env"'],
  ])('one with blanks or quotes around it is judged without them, too: %s', (path) => {
    expect(judge('Read', { file_path: path }, [['allow', 'Read']]).verdict).toBe('deny');
    expect(judge('mcp__fs__read', { paths: ['a', path] }, [['allow', 'mcp__fs__*']]).verdict).toBe('deny');
  });

  test('a quote within the name, or in what is no path, is none around it', () => {
    expect(judge('Read', { file_path: "it's .env-like" }, [['allow', 'Read']]).verdict).toBe('allow');
    expect(judge('Write', { file_path: 'src/a', content: '".env"' }, [['allow', 'Edit(src/**)']]).verdict).toBe(
      'allow',
    );
  });

  test('a percent sign is decoded once, where it is one', () => {
    expect(
      ['%41%42', '%c3%a9', '%c3', '%', '%4', '%g1', '%1g', '100%25', '%09%0A%0f%aF'].map(percentDecodeOnce),
    ).toEqual(['AB', '\u00e9', '%c3', '%', '%4', '%g1', '%1g', '100%', '\t\n\u000f%aF']);
    expect(['%4F', '%4:', '%4G', '% 4', '%80', '%41%c3', '%c3%41'].map(percentDecodeOnce)).toEqual([
      ...['O', '%4:', '%4G', '% 4', '%80', 'A%c3', '%c3A'],
    ]);
  });

  test('inside the root is every spelling, segment by segment', () => {
    const inside = (path: string) => normalisePath(path, AT).insideRoot;
    expect(['.', '..', '/p', '/p/x', 'a/../../x'].map(inside)).toEqual([true, true, true, true, true]);
    expect(['../..', '/p2', '/', '/P/x', '/p/../x', 'a\\..\\..\\..\\x'].map(inside)).toEqual([false, false, false, false, false, false]); // biome-ignore format: one line
  });
});

describe('links', () => {
  const links = (symlinks: Record<string, string>) => ({ ...AT, fs: { symlinks } });
  const lead = (path: string, symlinks: Record<string, string>) =>
    followLinks(path.split('/').filter(Boolean), links(symlinks))?.join('/');
  test.each<[string, Record<string, string>, string | undefined]>([
    ['p/a', {}, 'p/a'],
    ['p/a/b', { '/p/a': '/x' }, 'x/b'],
    ['p/a/b', { '/p/a': 'c' }, 'p/c/b'],
    ['p/a/b', { '/p/a': '../c/./d' }, 'c/d/b'],
    ['p/a', { '/p/a': 'b', '/p/b': '/y' }, 'y'],
    ['p/src/a', { a: '/x' }, 'x'],
    ['p/a', { '/p/x/../a': '/y' }, 'y'],
    ['p/a', { '/p/a': 'a' }, undefined],
    ['p/a', { '/p/a': '' }, undefined],
    ['p/a', { '/p/a': 7 as never }, undefined],
  ])('%s under %j leads to %s', (path, symlinks, target) => expect(lead(path, symlinks)).toBe(target));

  test('forty are followed, and no more', () => {
    const chain = (length: number) => Object.fromEntries(Array.from({ length }, (_, n) => [`/l${n}`, `/l${n + 1}`]));
    expect([lead('l0', chain(40)), lead('l0', chain(41))]).toEqual(['l40', undefined]);
  });

  test('the path as written and its target are both judged', () => {
    const fs = {
      symlinks: { '/workspace/app/out': '/etc', '/workspace/app/env': '.env', '/workspace/app/loop': 'loop' },
    };
    const at = (file_path: string) => judge('Read', { file_path }, [], { fs }).verdict;
    expect([at('a'), at('out/x'), at('env'), at('loop'), at('lo%6fp')]).toEqual(['allow', 'ask', 'deny', 'ask', 'ask']);
    expect(normalisePath('/workspace/app/loop', { ...AT, fs }).finding?.level).toBe('ask');
    expect(judge('Read', { file_path: 'out/x' }, [['deny', 'Read(//etc/**)']], { fs }).verdict).toBe('deny');
    expect(judge('Read', { file_path: 'out/x' }, [['allow', 'Read(/out/**)']], { fs }).verdict).toBe('ask');
  });

  test.each<[string, Record<string, string>, boolean, string]>([
    ['out/../x', { out: '/etc/a' }, false, 'ask'],
    ['out%2f..%2fx', { out: '/etc/a' }, false, 'ask'],
    ['out/../x', { out: 'a/b' }, false, 'allow'],
    ['out/../.git/x', { out: 'a/b' }, false, 'deny'],
    ['out/../config', { out: '.git/hooks' }, false, 'deny'],
    ['/workspace/app/out/../x', { out: '/etc/a' }, false, 'ask'],
    ['out/./../x', { out: 'a/b', 'a/x': '/etc' }, false, 'ask'],
    ['out//../x', { out: 'a/b', 'a/x': '/etc' }, false, 'ask'],
    ['OUT/x', { out: '/etc' }, true, 'ask'],
    ['OUT/x', { out: '/etc' }, false, 'allow'],
  ])('%s under %j is judged behind the link, too (any case: %s): %s', (file_path, symlinks, caseInsensitive, verdict) =>
    expect(judge('Read', { file_path }, [], { fs: { symlinks, caseInsensitive } }).verdict).toBe(verdict),
  );

  test('a folder leads elsewhere if a link on the way does', () => {
    expect(leadsElsewhere('/p/a', { symlinks: { '/p': '/x' } })).toBe(true);
    expect(leadsElsewhere('/p/a', { symlinks: { '/p/a': '/p/a' } })).toBe(true);
    expect(leadsElsewhere('/p/a', { symlinks: { '/q': '/x' } })).toBe(false);
    expect(leadsElsewhere('/p/a', undefined)).toBe(false);
  });
});

describe('protected names (R4-096 … R4-104)', () => {
  const checker = new ProtectedPathChecker();
  const hit = (path: string, of = new ProtectedPathChecker()) => of.matchPath(normalisePath(path, AT), AT);

  const anywhere = DEFAULT_PROTECTED.filter((pattern) => !pattern.startsWith('/'));
  test.each(anywhere)('%s, alone, below, above, in another case, and under any folder', (pattern) => {
    const name = pattern.replace('*', 'x');
    for (const path of [
      name,
      `/a/b/${name}`,
      `${name}/x`,
      `${name}/x/y`,
      name.toUpperCase(),
      `${name}.`,
      `./x/../${name}`,
    ])
      expect([path, hit(path)]).toEqual([path, expect.any(String)]);
  });

  test.each(DEFAULT_PROTECTED.filter((pattern) => !pattern.includes('*')))(
    '%s is itself, and no part of a name',
    (pattern) => {
      const allowed = (path: string) => [path, hit(path)];
      // `.env.x` and `x.pem` are patterns of their own.
      for (const path of [`x${pattern}`, `${pattern}x`]) expect(allowed(path)).toEqual([path, undefined]);
    },
  );

  test.each<[string, string | undefined]>([
    ['.env.local', '.env.*'],
    ['.env.', '.env'],
    ['x.pem', '*.pem'],
    ['.pem', '*.pem'],
    ['x.pem.txt', undefined],
    ['pem', undefined],
    ['.aws', undefined],
    ['.aws/x', undefined],
    ['aws/credentials', undefined],
    ['.aws/x/credentials', undefined],
    ['.config/fish/x', '.config/fish'],
    ['.gitignore', undefined],
    ['.github/x', undefined],
    ['.environment', undefined],
    ['my.git.txt', undefined],
    ['GIT~1', '.git'],
    ['git~1', '.git'],
    ['BASHRC~12', '.bashrc'],
    ['BASH_P~1', '.bash_profile'],
    ['BAabcd~1', '.bashrc'],
    ['BAabc~1', undefined],
    ['BAabcg~1', undefined],
    ['XXabcd~1', undefined],
    ['git~', undefined],
    ['git~1234567', undefined],
    ['git~123456', '.git'],
    ['git~x', undefined],
    ['git~/', undefined],
    ['a~1', undefined],
    ['~1', undefined],
    ['AUTHOR~1', 'authorized_keys'],
    ['ID_RSA~1', 'id_rsa'],
    ['gi7eba~1', '.git'],
    ['GIT~9', '.git'],
    ['GIT~10', '.git'],
    ['git~1x', undefined],
    ['MY~1', '.my.cnf'],
    ['BAzabc~1', undefined],
    ['*~1', undefined],
    ['PROFIL~1', '.profile'],
    ['PROFILE~1', undefined],
    ['.aws/CREDEN~1', '.aws/credentials'],
    ['AWS~1/CREDEN~1', '.aws/credentials'],
    ['AWS~1/config', '.aws/config'],
    ['.docker/CONFIG~1.JSO', '.docker/config.json'],
    ['CONFIG~1/git/x', '.config/git'],
    ['.aws/CREDEN~1.TXT', undefined],
    ['.aws/CONFIG~1', undefined],
    ['CREDEN~1', undefined],
  ])('%s: %s', (path, pattern) => expect(hit(path)).toBe(pattern));

  test('R4-099, R4-100: patterns are added, taken away by a deployment, and turned off', () => {
    const custom = checker.withPattern('secrets/').withPatterns(['*.kdbx', '/only/here']);
    expect([
      hit('a/secrets/x', custom),
      hit('x.kdbx', custom),
      hit('/p/only/here/x', custom),
      hit('only/here', custom),
    ]).toEqual(['secrets/', '*.kdbx', '/only/here', undefined]);
    expect([hit('a/secrets/x'), hit('.env', custom)]).toEqual([undefined, '.env']);
    expect(custom.patterns).toEqual([...DEFAULT_PROTECTED, 'secrets/', '*.kdbx', '/only/here']);
    const fewer = custom.withoutPatterns(['.env', '.pem', '*.key']);
    expect(['.env', 'x.pem', 'x.key'].map((path) => hit(path, fewer))).toEqual([undefined, undefined, undefined]);
    expect([hit('.env.x', fewer), hit('.git', fewer), hit('x.kdbx', fewer)]).toEqual(['.env.*', '.git', '*.kdbx']);
    const off = custom.disabled();
    expect([hit('.env', off), hit('x.kdbx', off), off.patterns, off.withPattern('x').patterns]).toEqual([undefined, undefined, [], []]); // biome-ignore format: one line
    const glob = [segmentTokens('.e*')];
    expect([custom, off].map((each) => each.matchGlob('.e*', glob, AT)?.pattern)).toEqual(['.env', undefined]);
    const names = new ProtectedPathChecker({ names: ['*.tar.gz', '*.p*m'] });
    expect([hit('x.tar.gz', names), hit('x.pam', names), hit('x.gz', names)]).toEqual(['*.tar.gz', '*.p*m', undefined]);
    expect(hit('a/b/c', new ProtectedPathChecker({ names: ['a/*/c', 'x*y'] }))).toBe('a/*/c');
    expect(hit('xzy', new ProtectedPathChecker({ names: ['a/*/c', 'x*y'] }))).toBe('x*y');
    expect(hit('q/b/c', new ProtectedPathChecker({ names: ['*/b/c'] }))).toBe('*/b/c');
  });

  test('R4-099, R4-105, R4-107: check reads a command with a parser or word by word, and any input', () => {
    const kind = (toolName: string, input: unknown, options = {}) => checker.check(toolName, input, options).kind;
    expect(checker.check('Read', { file_path: '.env' })).toEqual({
      kind: 'Protected',
      matchedPattern: '.env',
      path: '.env',
    });
    for (const options of [{}, { shell }]) {
      expect(kind('Bash', { command: 'cat ~/.ssh/id_rsa' }, options)).toBe('Protected');
      expect(kind('Bash', { command: 'cd .git && ls' }, options)).toBe('Protected');
      expect(kind('Bash', { command: "cat .e$'n'v" }, options)).toBe('shell' in options ? 'Protected' : 'Safe');
      expect(kind('Bash', { command: 'ls src' }, options)).toBe('Safe');
      expect(kind('Bash', { command: 7 }, options)).toBe('Safe');
      expect(kind('Bash', null, options)).toBe('Safe');
      expect(kind('Bash', 'command', options)).toBe('Safe');
      expect(kind('Glob', { pattern: '**/.e*' }, options)).toBe('Protected');
      expect(kind('Read', { file_path: 'a' }, options)).toBe('Safe');
    }
    expect(kind('Bash', { command: 'cd / && cat x' }, { shell })).toBe('Safe');
    const placed = { context: { cwd: '/w/.git', projectRoot: '/w', home: '/h' } };
    expect(kind('Read', { file_path: 'config' }, placed)).toBe('Protected');
  });
});

describe('braces', () => {
  const deny = (pattern: string) => judge('Glob', { pattern }, [['allow', 'Glob']]).verdict === 'deny';

  test('are expanded as a shell does, one without a comma stays, and too many are all', () => {
    const expanded = (text: string) => expandBraces(text)?.toSorted();
    expect(expanded('a{b,c}d')).toEqual(['abd', 'acd']);
    expect(expanded('{a,b}{c,d}')).toEqual(['ac', 'ad', 'bc', 'bd']);
    expect(expanded('{a,{b,c}}')).toEqual(['a', 'b', 'c']);
    expect(expanded('{a}')).toEqual(['{a}']);
    expect(expanded('{a}{b,c}')).toEqual(['{a}b', '{a}c']);
    expect(expanded('{a{b,c}}')).toEqual(['{ab}', '{ac}']);
    expect(expanded('{a,b')).toEqual(['{a,b']);
    expect(expanded('a,b}')).toEqual(['a,b}']);
    expect(expanded('\\{a,b}')).toEqual(['\\{a,b}']);
    expect(expanded('{,a}')).toEqual(['', 'a']);
    expect(expanded('{a,b}'.repeat(6))).toHaveLength(64);
    expect(expanded('{a,a}'.repeat(16))).toEqual(['a'.repeat(16)]);
    expect(expanded('{a,a}'.repeat(17))).toBeUndefined();
    expect(expanded(`${'{a,'.repeat(17)}a${'}'.repeat(17)}`)).toBeUndefined();
    expect(expanded('{a,b}'.repeat(7))).toBeUndefined();
    expect(deny('{.env,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}')).toBe(true);
    expect(deny('{src,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}')).toBe(false);
    expect(deny('.e{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{nv,b}')).toBe(true);
  });
});
