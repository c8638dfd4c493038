/** Checks that input which is no call is an error, under any rules and mode (D1, D15, D20, G9). */
import { describe, expect, test } from 'vitest';
import { MODES } from '../../../../shared/permissions/model/modes.ts';
import { createToolRegistry } from '../../../../shared/permissions/model/tools.ts';
import { compileRules } from '../../../../shared/permissions/rules/compile.ts';
import { valueProblem } from '../../../../shared/permissions/stages/input.ts';
import { judge } from '../support.ts';

const nested = (levels: number): unknown => {
  let value: unknown = 'x';
  for (let n = 0; n < levels; n++) value = n % 2 === 0 ? [value] : { a: value };
  return value;
};
const field = (key: string, value: unknown) => Object.fromEntries([[key, value]]);
const own = (key: string, value: unknown) => JSON.parse(`{${JSON.stringify(key)}:${JSON.stringify(value)}}`) as object;

/** With every rule and mode on its side. */
const strongest = (toolName: string, input: unknown, more = {}) =>
  MODES.map(
    (mode) =>
      judge(
        toolName,
        input,
        [
          ['allow', 'Read'],
          ['allow', 'Bash'],
          ['allow', 'Note'],
          ['deny', 'Grep'],
        ],
        { mode, bypass: { enabled: true, honoursRules: false }, ...more },
        { parent: { state: 'answered', verdict: 'allow' } },
      ).verdict,
  );
const ERRORS = MODES.map(() => 'error');

describe('a value that is not JSON as everybody reads it', () => {
  test.each<[string, unknown]>([
    ['a number that is none', Number.NaN],
    ['an infinite number', Number.NEGATIVE_INFINITY],
    ['an integer beyond the safe range', 2 ** 53],
    ['an integer below the safe range', -(2 ** 53)],
    ['a number that is whole because it is so large', 1e308],
    ['a big integer', 1n],
    ['undefined', undefined],
    ['a function', () => 1],
    ['a symbol', Symbol('x')],
    ['a date', new Date(0)],
    ['a map', new Map()],
    ['a text that is no Unicode', '\ud800'],
    ['a key that is no Unicode', field('\udc00', 1)],
    ['a prototype', own('__proto__', { a: 1 })],
    ['a prototype that is a scalar', own('__proto__', 1)],
    ['a constructor that is an object', field('constructor', {})],
    ['a prototype field that is a list', field('prototype', [])],
    ['a symbol as a key', { [Symbol('x')]: 1 }],
    ['64 levels below the input', nested(64)],
  ])('%s', (_, value) => {
    for (const input of [
      { file_path: 'a', more: value },
      { file_path: 'a', more: [{ x: [value] }] },
    ])
      expect(strongest('Read', input)).toEqual(ERRORS);
  });

  test.each<[string, unknown]>([
    ['null', null],
    ['a fraction', 1.5],
    ['the greatest safe integer', 2 ** 53 - 1],
    ['an emoji', '\ud83d\ude00'],
    ['a constructor that is a text', field('constructor', 'x')],
    ['a prototype that is null', field('prototype', null)],
    ['an object without a prototype', Object.create(null)],
    ['a boolean', false],
    ['nothing much', [[], {}, '']],
    ['63 levels below the input', nested(63)],
  ])('and not %s', (_, value) => {
    expect(judge('Read', { file_path: 'a', more: value }, [['allow', 'Read']]).verdict).toBe('allow');
  });

  test('is named', () => {
    expect(valueProblem('x')).toBeUndefined();
    expect(valueProblem(nested(64))).toBeUndefined();
    expect(valueProblem(nested(65))).toBe('it nests deeper than 64 levels');
    expect(valueProblem({ constructor: {} })).toBe('the key "constructor" holds an object');
    expect(valueProblem([1n])).toBe('a value of type bigint is not JSON');
  });
});

describe('an input', () => {
  test.each([null, undefined, 'ls', 7, [], [{ file_path: 'a' }], true])('%j is an error', (input) => {
    expect(strongest('Read', input)).toEqual(ERRORS);
    expect(strongest('Unlisted', input)).toEqual(ERRORS);
  });

  test.each<[string, string, object, string]>([
    ['missing', 'Read', { other: 'a' }, 'Read needs file_path or path.'],
    ['missing, nearly spelt', 'Read', { file_pat: 'a' }, 'Read needs file_path or path (you gave file_pat).'],
    ['missing, spelt so that it is not shown', 'Read', { 'file path': 'a' }, 'Read needs file_path or path.'],
    ['no text', 'Bash', { command: ['ls'] }, 'command of Bash must be text.'],
    ['empty', 'Bash', { command: '' }, 'command of Bash is empty.'],
    ['blank', 'Bash', { command: ' \n' }, 'command of Bash is empty.'],
    ['with a NUL', 'Read', { file_path: 'a\0' }, 'file_path of Read holds a NUL.'],
    ['one of two, the other no text', 'Read', { file_path: 'a', path: 7 }, 'path of Read must be text.'],
    ['inherited', 'Read', Object.create({ file_path: 'a' }), 'not plain JSON'],
  ])('whose subject is %s is an error', (_, toolName, input, message) => {
    const verdict = judge(toolName, input, [['allow', toolName]]);
    expect(verdict).toMatchObject({ verdict: 'error', reason: 'invalid', source: 'input', code: 'invalid_input' });
    expect(verdict.message).toContain(message);
  });

  test('an own shell tool needs its command, another own tool only what its entry names', () => {
    const tools = createToolRegistry([
      { name: 'Run', permissions: ['Execute'], shell: true, subject: ['host'] },
      { name: 'Note', permissions: [] },
      { name: 'Bash', permissions: ['Read'] },
    ]);
    const verdictOf = (toolName: string, input: object) =>
      judge(toolName, input, [['allow', toolName]], { tools }).verdict;
    expect(verdictOf('Run', { command: 7, host: 'h' })).toBe('error');
    expect(verdictOf('Run', { host: '' })).toBe('error');
    expect(verdictOf('Run', {})).toBe('error');
    // Nothing of it would be read.
    expect(verdictOf('Run', { host: 'rm -rf x' })).toBe('error');
    const other = createToolRegistry([{ name: 'Bash', permissions: ['Execute'], subject: ['cmd'] }]);
    const verdict = judge('Bash', { cmd: 'rm x' }, [['allow', 'Bash']], { tools: other });
    expect(verdict).toMatchObject({ verdict: 'error', message: 'Bash needs command.' });
    expect(verdictOf('Note', {})).toBe('allow');
    // A listed `Bash` stays a shell whose command is read.
    expect(verdictOf('Bash', {})).toBe('error');
    expect(verdictOf('Bash', { command: 'cat .env' })).toBe('deny');
    const stricter = createToolRegistry([{ name: 'Read', permissions: ['Read', 'Sensitive'] }]);
    expect(judge('Read', {}, [['allow', 'Read']], { tools: stricter }).verdict).toBe('error');
    expect(judge('NotListed', {}, [['allow', 'NotListed']], { tools }).verdict).toBe('allow');
  });
});

describe('what only a closer look shows', () => {
  test('a path with a NUL, under any key, is an error', () => {
    expect(judge('mcp__x__y', { path: 'a\0b' }, [['allow', 'mcp__x__*']])).toMatchObject({
      verdict: 'error',
      code: 'invalid_path',
    });
  });

  test('JSON within a text that nests deeper than 64 levels is an error', () => {
    const within = (levels: number) =>
      judge('mcp__x__y', { args: `${'['.repeat(levels)}${']'.repeat(levels)}` }, [['allow', 'mcp__x__*']]).verdict;
    expect([within(60), within(70)]).toEqual(['allow', 'error']);
  });
});

describe('a tool (D15)', () => {
  test.each<[string, string]>([
    ['', ''],
    ['a blank', 'Read '],
    ['a colon', 'Re:ad'],
    ['a letter beyond ASCII', 'R\u00e9ad'],
    ['a slash', 'a/b'],
    ['an at sign, before A', '@A'],
    ['a bracket, after Z', '[Z'],
    ['a backtick, before a', '`a'],
    ['a brace, after z', '{z'],
    ['129 characters', 'a'.repeat(129)],
    ['another case', 'read'],
    ['a member of Object', 'valueOf'],
    ['prototype', 'prototype'],
  ])('with %s (%s) is an error', (_, toolName) => {
    expect(strongest(toolName, { file_path: 'a' })).toEqual(ERRORS);
  });

  test.each(['a'.repeat(128), 'A-Z.0_9', 'a-z', 'mcp__x__y', '0'])(
    '%s may be unlisted, and has no permissions',
    (toolName) => {
      expect(judge(toolName, {}, []).verdict).toBe('ask');
      expect(judge(toolName, {}, [], { mode: 'plan' }).verdict).toBe('deny');
    },
  );

  test('one that differs only in case is told the nearest', () => {
    expect(judge('WEBFETCH', { url: 'https://example.com' }, []).message).toContain('Did you mean WebFetch?');
    expect(judge('a b', {}, []).message).not.toContain('Did you mean');
  });

  test.each([
    ['a b', 'letters, digits, "_", "." and "-" only'],
    ['', 'it has no name'],
    ['a'.repeat(129), 'at most 128 characters'],
    ['toString', 'a member of objects'],
    ['prototype', 'a member of objects'],
  ])('with %s says which names a tool may have', (toolName, words) => {
    const { message } = judge(toolName, {}, []);
    expect(message).toContain('No tool can have this name: ');
    expect(message).toContain(words);
  });
});

describe('a session', () => {
  test.each(['cwd', 'projectRoot', 'home'] as const)('whose %s is no absolute path decides nothing', (name) => {
    for (const path of ['', 'a', './a', '/a\0', undefined as never, 7 as never])
      expect(strongest('Read', { file_path: 'a' }, { [name]: path })).toEqual(ERRORS);
  });
});

describe('a policy', () => {
  test('with a malformed rule decides nothing, also where it is the session’s', () => {
    const { policy } = compileRules([{ effect: 'deny', pattern: 'Read(', source: 'project' }]);
    expect(strongest('Read', { file_path: 'a' }, { policy })).toEqual(ERRORS);
    expect(strongest('Read', { file_path: 'a' }, { sessionRules: policy })).toEqual(ERRORS);
    expect(judge('Read', { file_path: 'a' }, [], { policy })).toMatchObject({ code: 'policy_refused' });
  });
});
