/**
 * Checks the exclusions of recursive readers against real git.
 *
 * Among ASCII names, git leaves out by them exactly those that the gate denies or asks about; among other names, no fewer.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ProtectedPathChecker } from '../../../../shared/permissions/index.ts';
import { readExclusions } from '../../../../shared/permissions/matching/read-exclusions.ts';
import { DEFAULT_PROTECTED } from '../../../../shared/permissions/protected/protected-names.ts';
import { compileRules } from '../../../../shared/permissions/rules/compile.ts';
import { runs } from '../properties/arbitraries.ts';
import { checker, judge, policyOf, type Rule } from '../support.ts';

const HOME = '/home/agent';
const ROOT = '/workspace/app';

interface Project {
  readonly rules?: readonly Rule[];
  readonly protectedPaths?: ProtectedPathChecker;
  readonly projectRoot?: string;
  readonly home?: string;
}

const exclusionsOf = ({ rules = [], protectedPaths = checker, projectRoot = ROOT, home = HOME }: Project) =>
  readExclusions({ protected: protectedPaths, policy: policyOf(rules), projectRoot, home }, 0);

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'countersign-ignored-'));
  execFileSync('git', ['init', '-q', folder]);
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

/** The paths that git leaves out by these lines; it folds case as on a disk that does. */
function ignored(lines: readonly string[], paths: readonly string[], ignoreCase = true): ReadonlySet<string> {
  writeFileSync(join(folder, '.gitignore'), lines.map((line) => `${line}\n`).join(''));
  const argv = ['-c', `core.ignorecase=${ignoreCase}`, '-c', 'core.excludesFile=', 'check-ignore', '--no-index'];
  try {
    const options = { cwd: folder, input: paths.join('\0'), encoding: 'utf8', stdio: 'pipe' } as const;
    return new Set(
      execFileSync('git', [...argv, '--stdin', '-z'], options)
        .split('\0')
        .filter(Boolean),
    );
  } catch (error) {
    // git ignores none of them.
    if ((error as { status?: number }).status === 1) return new Set();
    throw error;
  }
}

const READERS: readonly Rule[] = ['Read', 'Grep', 'Glob'].map((tool): Rule => ['allow', tool]);

/** Whether the gate lets nobody read the file without an answer, be it with Read, Grep or Glob. */
function refused(path: string, project: Project): boolean {
  const { rules = [], protectedPaths = checker, projectRoot = ROOT, home = HOME } = project;
  const more = { projectRoot, cwd: projectRoot, home, protected: protectedPaths };
  const inputs: [string, object][] = [
    ['Read', { file_path: path }],
    ['Grep', { pattern: 'x', path }],
  ];
  if (![...'*?[{'].some((mark) => path.includes(mark))) inputs.push(['Glob', { pattern: path }]);
  return inputs.some(([tool, input]) => judge(tool, input, [...rules, ...READERS], more).verdict !== 'allow');
}

/** Asks git of all paths at once. */
function expectAgreement(paths: readonly string[], project: Project): void {
  const left = ignored(exclusionsOf(project).patterns, paths);
  const byGit = paths.filter((path) => left.has(path));
  expect(byGit).toEqual(paths.filter((path) => refused(path, project)));
}

const FILES = [
  ...['.env', 'a/.env', 'a/.ENV/b', '.envrc', '.env.local', '.env.example', 'a/.env.example', '.ssh/.env.example'],
  ...[
    '.git/config',
    'a/.git/config',
    '.gitignore',
    'git',
    'id_rsa',
    'id_rsa_a',
    'id_rsa_a.pub',
    'id_rsa_a/b.pub',
    'id_map.ts',
  ],
  ...[
    'x.pem',
    'a/x.PEM/b',
    'pem',
    '.aws/credentials',
    'a/.aws/credentials',
    '.aws/other',
    'aws/credentials',
    'a/.aws/b/config',
  ],
  ...[
    'countersign.yaml',
    '.githooks/pre-commit',
    '.cargo/config.toml',
    '.cargo/credentials',
    'run/secrets',
    'etc/shadow',
  ],
  ...[
    'src/a.ts',
    'src/b/a.ts',
    'docs/a',
    'Docs/a',
    'a/docs/a',
    'secrets',
    'secrets/a',
    'a/secrets/b',
    'infra/prod/a',
    'infra/a/prod/b',
  ],
  ...['infra/a.tf', 'infra/b/a.tf', 'a1', 'a2', 'ab', 'a[1]', '#a', '!a', 'a b', 'a{b}', 'ab,c', 'a*b', 'x/a*b', 'axb'],
];

describe('what git leaves out is what the gate refuses', () => {
  test.each<readonly [string, Project]>([
    ['protected names', {}],
    ['a folder', { rules: [['deny', 'Read(secrets/**)']] }],
    ['a folder of the root', { rules: [['ask', 'Read(/secrets)']] }],
    ['a slash in the middle', { rules: [['deny', 'Read(infra/prod/)']] }],
    ['depth within', { rules: [['deny', 'Read(/infra/**/prod/**)']] }],
    ['files of one kind in one folder', { rules: [['deny', 'Read(/infra/*.tf)']] }],
    ['all in a folder', { rules: [['ask', 'Read(src/*)']] }],
    ['everything', { rules: [['ask', 'Read(**)']] }],
    ['any depth, of a name of the way to the project', { rules: [['deny', 'Read(**/workspace)']] }],
    ['the root of the disk', { rules: [['deny', `Read(/${ROOT}/docs)`]] }],
    ['another root', { rules: [['deny', 'Read(//etc/**)']] }],
    [
      'a folder above',
      {
        rules: [
          ['deny', 'Read(../app/src)'],
          ['deny', 'Read(../other)'],
        ],
      },
    ],
    ['a name of the way to the project', { rules: [['deny', 'Read(app/src)']] }],
    ['the project by the name of its folder', { rules: [['deny', 'Read(workspace)']] }],
    ['a project below home', { home: '/workspace', rules: [['deny', 'Read(~/app/docs/**)']] }],
    ['a project within a protected folder', { projectRoot: '/home/agent/.claude/app' }],
    ['a project within an exception', { projectRoot: '/home/.env.example/app' }],
    [
      'sets',
      {
        rules: [
          ['deny', 'Read(a[0-1])'],
          ['deny', 'Read(a[!A1x])'],
        ],
      },
    ],
    ['sets without a character', { rules: [['deny', 'Read(a[!0-9])']] }],
    [
      'characters that ignore files read otherwise',
      { rules: ['\\!a', '#a', 'a b', 'a{b}', 'a\\*b'].map((name) => ['deny', `Read(${name})`]) },
    ],
    [
      'rules of Grep and Glob',
      {
        rules: [
          ['deny', 'Grep(infra)'],
          ['ask', 'Glob(docs/*)'],
        ],
      },
    ],
    ['an exception that a rule refuses', { rules: [['ask', 'Read(.env.example)']] }],
    ['patterns of a deployment', { protectedPaths: checker.withPatterns(['/docs', 'infra/**/a.tf', '.env.sample']) }],
    ['names that a deployment takes away', { protectedPaths: checker.withoutPatterns(['.env', '.git', '*.pem']) }],
    ['no protected names', { protectedPaths: checker.disabled(), rules: [['deny', 'Read(docs)']] }],
  ])('%s', (_, project) => {
    expectAgreement(FILES, project);
  });

  const NAMES = [
    'a',
    'A',
    'b',
    'ab',
    'app',
    'w',
    '.env',
    '.env.example',
    '.ENV.x',
    'id_rsa_b.pub',
    '.aws',
    'credentials',
    'a{b}',
    '#a',
    '!a',
  ];
  const PARTS = [
    ...NAMES.slice(0, 7),
    '*',
    '?',
    '**',
    'a*',
    '*b',
    '[ab]',
    '[!a]',
    '[A-B]*',
    'a{b}',
    '#a',
    '\\!a',
    '..',
  ];
  const path = fc.array(fc.constantFrom(...NAMES), { minLength: 1, maxLength: 4 }).map((parts) => parts.join('/'));
  const pattern = fc
    .tuple(
      fc.constantFrom('', '/', '//', '//w/', '~/', '../', './'),
      fc.array(fc.constantFrom(...PARTS), { minLength: 1, maxLength: 4 }),
      fc.constantFrom('', '/'),
    )
    .map(([start, parts, end]) => `${start}${parts.join('/')}${end}`);
  const rule = fc
    .tuple(fc.constantFrom<'deny' | 'ask'>('deny', 'ask'), pattern, fc.constantFrom('Read', 'Grep'))
    .map(([effect, text, tool]): Rule => [effect, `${tool}(${text})`]);
  /** `Read(*)` speaks of the tool as a whole, and names no path. */
  const isRule = ([effect, text]: Rule): boolean =>
    !text.endsWith('(*)') && compileRules([{ effect, pattern: text, source: 'project' }]).policy.refused === undefined;

  test('of any rules, in any project', () => {
    const project = fc.record({
      rules: fc.array(rule.filter(isRule), { maxLength: 3 }),
      projectRoot: fc.constantFrom('/w/app', '/a/b', '/', '/w/.env.example/a'),
      home: fc.constantFrom('/w', '/h', '/a/b'),
    });
    fc.assert(
      fc.property(project, fc.uniqueArray(path, { minLength: 10, maxLength: 40 }), (given, paths) => {
        expectAgreement(paths, given);
      }),
      { numRuns: runs(40) },
    );
  });
});

describe('of names that are not ASCII, git leaves out at least what the gate refuses', () => {
  const NAMES = [
    '\u00e9',
    'e\u0301',
    '\u00c9',
    'a\u00e9',
    '\u00e9b',
    'a\u00e9b',
    '\u65e5\u672c',
    '\u{1f600}',
    'a\u{1f600}c',
    'caf\u00e9',
    'CAF\u00c9',
    'cafe\u0301',
  ];
  const PLAIN = ['a', 'ab', 'abc', 'cafe', 'b', 'xab'];

  function expectAtLeast(paths: readonly string[], project: Project): void {
    const left = ignored(exclusionsOf(project).patterns, paths);
    const missed = paths.filter((path) => !left.has(path) && refused(path, project));
    expect(missed).toEqual([]);
  }

  test.each([
    ['any character', '?'],
    ['one behind a letter', 'a?'],
    ['one before a letter', '?b'],
    ['two', '??'],
    ['one among letters', 'a?b'],
    ['two among letters', 'a?b?'],
    ['more than a line is written for', '?????????'],
    ['all but one', '[!a]'],
    ['all but some, behind a letter', 'a[!0-9]'],
    ['a set of letters that are not ASCII', '[\u00e0-\u00ff]b'],
    ['a letter with its accent', 'caf\u00e9'],
    ['a letter and its accent', 'cafe\u0301'],
    ['another case', 'CAF\u00c9'],
    ['a letter between runs', '*\u00e9*'],
    ['a star that is a name', '\\*\u00e9'],
  ])('%s', (_, name) => {
    const project: Project = { rules: [['deny', `Read(${name})`]] };
    expectAtLeast([...NAMES, ...PLAIN, ...NAMES.map((each) => `x/${each}/y`)], project);
    expectAtLeast([...NAMES, ...PLAIN], { rules: [['ask', `Read(/x/${name}/?)`]] });
    // No other ASCII name is left out, unless a set is any character or there are too many lines to write.
    const left = ignored(exclusionsOf(project).patterns, PLAIN);
    if (name.length < 9 && !name.includes('\u00e0'))
      expect([...left]).toEqual(PLAIN.filter((path) => refused(path, project)));
  });

  test('of any names and rules', () => {
    const part = fc.constantFrom('a', 'b', 'e', '\u00e9', 'e\u0301', '\u00c9', '\u65e5', '\u{1f600}');
    const segment = fc.array(part, { minLength: 1, maxLength: 3 }).map((parts) => parts.join(''));
    const path = fc.array(segment, { minLength: 1, maxLength: 3 }).map((parts) => parts.join('/'));
    const piece = fc.oneof(part, fc.constantFrom('?', '?', '*', '[!a]', '[ab]', '[\u00e0-\u00ff]', '[!\u00e9]'));
    const pattern = fc
      .array(
        fc.array(piece, { minLength: 1, maxLength: 3 }).map((parts) => parts.join('')),
        { minLength: 1, maxLength: 2 },
      )
      .map((parts) => parts.join('/'));
    fc.assert(
      fc.property(
        pattern,
        fc.constantFrom('', '/', '**/'),
        fc.uniqueArray(path, { minLength: 10, maxLength: 40 }),
        (text, start, paths) => {
          fc.pre(text !== '*');
          expectAtLeast(paths, { rules: [['deny', `Read(${start}${text})`]] });
        },
      ),
      { numRuns: runs(40) },
    );
  });
});

describe('the lines', () => {
  test('an unusual set is any character, so that nobody reads it as fewer', () => {
    expect(
      exclusionsOf({
        rules: [
          ['deny', 'Read(/a[_-])'],
          ['deny', 'Read(/b[!A])'],
        ],
      }).patterns.slice(-3),
    ).toEqual(['/a?', '/b?', '/b*[! -~]*']);
  });

  test('a line end or an odd character is any text', () => {
    expect(
      exclusionsOf({
        rules: [
          ['deny', 'Read(/a\nb)'],
          ['deny', 'Read(/c\u202Ed)'],
        ],
      }).patterns.slice(-2),
    ).toEqual(['/a*b', '/c*d']);
  });

  test('a blank at the end is not lost', () => {
    const { patterns } = exclusionsOf({ rules: [['deny', 'Read(/a )']], protectedPaths: checker.disabled() });
    expect(patterns).toEqual(['/a\\ ']);
    expect([...ignored(patterns, ['a', 'a '])]).toEqual(['a ']);
  });

  test('without folding of case, names as they are written are left out all the same', () => {
    const { patterns } = exclusionsOf({ rules: [['deny', 'Read(Docs/**)']] });
    expect([...ignored(patterns, ['Docs/a', '.env', 'docs/a', '.ENV'], false)]).toEqual(['Docs/a', '.env']);
  });

  test('each name and rule is said, or named as outside of the project', () => {
    const { outside } = exclusionsOf({
      rules: [
        ['deny', 'Read(~/.netrc)'],
        ['ask', 'Grep(//srv)'],
        ['deny', 'Read(docs)'],
      ],
    });
    expect(outside).toEqual([
      ...DEFAULT_PROTECTED.filter((name) => name.startsWith('/')),
      'deny Read(~/.netrc)',
      'ask Grep(//srv)',
    ]);
  });

  test('what allows, writes, names no path or is over says nothing', () => {
    const rules = [
      ['allow', 'Read(docs)'],
      ['deny', 'Edit(docs)'],
      ['deny', 'Bash(docs)'],
      ['deny', 'Grep'],
    ] as const;
    expect(exclusionsOf({ rules })).toEqual(exclusionsOf({}));
    const { policy } = compileRules([{ effect: 'deny', pattern: 'Read(docs)', source: 'project', expiresAt: 10 }]);
    const at = (now: number) => readExclusions({ protected: checker, policy, projectRoot: ROOT, home: HOME }, now);
    expect(at(9).patterns).toContain('docs');
    expect(at(10).patterns).not.toContain('docs');
  });

  test('rules of the session count', () => {
    const sessionRules = policyOf([['deny', 'Read(docs)']]);
    const call = { protected: checker, policy: policyOf([]), sessionRules, projectRoot: ROOT, home: HOME };
    expect(readExclusions(call, 0).patterns).toContain('docs');
  });

  test('of rules that cannot be read, everything is left out', () => {
    expect(exclusionsOf({ rules: [['deny', 'Read(docs']] }).patterns).toEqual(['*']);
  });

  test('names in the case of a library that brings its own', () => {
    const protectedPaths = new ProtectedPathChecker({ names: ['Vault', 'Keys.*'] });
    expect(exclusionsOf({ protectedPaths }).patterns).toEqual(['Vault', 'Keys.?*']);
  });
});
