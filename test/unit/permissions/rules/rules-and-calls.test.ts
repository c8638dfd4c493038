/**
 * Checks sets of rules on calls that are easy to match too much or too little.
 *
 * Covers R4-048 … R4-068, G7, G8 and G10. Covers R4-048 … R4-068, G7, G8, G10.
 */
import { describe, expect, test } from 'vitest';
import { nearestSpelling } from '../../../../shared/domain/text/nearest.ts';
import { createToolRegistry } from '../../../../shared/permissions/model/tools.ts';
import type { ToolPermission } from '../../../../shared/permissions/model/types.ts';
import { checkRules } from '../../../../shared/permissions/rules/check-rules.ts';
import { commandSpec } from '../../../../shared/permissions/rules/command-spec.ts';
import { parsePattern, RulePatternError } from '../../../../shared/permissions/rules/parse.ts';
import { judge, policyOf, type Rule } from '../support.ts';

const entry = (name: string, ...permissions: ToolPermission[]) => ({ name, permissions });
const tools = createToolRegistry([
  entry('save', 'Write'),
  entry('load', 'Read'),
  entry('both', 'Read', 'Write'),
  entry('run', 'Execute'),
  entry('loadrun', 'Read', 'Execute'),
  entry('net', 'Network'),
  entry('loadnet', 'Read', 'Network'),
  entry('none'),
  { ...entry('sh', 'Read'), shell: true },
  { ...entry('pay', 'Network'), subject: ['account'] },
  entry('Bash', 'Execute', 'Write'),
]);
const of = (toolName: string, input: object, rules: readonly Rule[], more = {}) =>
  judge(toolName, input, rules, { tools, ...more });
const BASH: Rule = ['allow', 'Bash'];
/** The verdict, by a rule or not. */
const told = (toolName: string, input: object, rules: readonly Rule[], more = {}) => {
  const { verdict, reason } = of(toolName, input, rules, more);
  return `${verdict}${reason === 'rule_match' ? '' : ` ${reason}`}`;
};

describe('redirections: an allow of the command does not cover them', () => {
  test.each<[string, Rule[], string]>([
    ['ls > /dev/null', [BASH], 'allow'],
    ['ls > /x/null', [BASH], 'ask handler'],
    ['ls > /dev/null/x', [BASH], 'ask handler'],
    ['ls > /x/null/y', [BASH], 'ask handler'],
    ['ls > /proc/x', [BASH, ['allow', 'Edit(//**)']], 'ask handler'],
    ['ls > /e/x', [BASH, ['allow', 'Edit(//e/**)']], 'allow'],
    ['cat < /proc/self/environ', [BASH, ['allow', 'Read(//**)']], 'ask handler'],
    ['cat < /e/x', [BASH], 'ask handler'],
    ['cat < /e/x', [BASH, ['allow', 'Read(//e/**)']], 'allow'],
    ['cat < a', [BASH], 'allow'],
    ['cd $X && ls > a', [BASH, ['allow', 'Edit']], 'ask handler'],
    ['ls > $X', [BASH, ['allow', 'Edit']], 'ask handler'],
    ['ls > b?.x', [BASH, ['allow', 'Edit']], 'ask handler'],
  ])('%s under %j: %s', (command, rules, verdict) => expect(told('Bash', { command }, rules)).toBe(verdict));

  test('only the default mode reads within the project without a rule', () => {
    expect(told('Bash', { command: 'cat < a' }, [BASH], { mode: 'dontAsk' })).not.toBe('allow');
    expect(told('Bash', { command: 'cat < a' }, [BASH, ['allow', 'Read']], { mode: 'dontAsk' })).toBe('allow');
  });
});

describe('commands close to a denied one (G8)', () => {
  const foo: Rule = ['allow', 'Bash(foo:*)'];
  test.each<[string, Rule[], string]>([
    ['foo a b', [foo, ['deny', 'Bash(foo b a)']], 'ask handler'],
    ['foo a c', [foo, ['deny', 'Bash(foo a b)']], 'allow'],
    ['foo c b', [foo, ['deny', 'Bash(foo *x b)']], 'allow'],
    ['foo b cx', [foo, ['deny', 'Bash(foo *x b)']], 'ask handler'],
    ['foo rm', [foo, ['ask', 'Bash(rm:*)']], 'ask handler'],
    ['foo /bin/rm', [foo, ['deny', 'Bash(rm:*)']], 'ask handler'],
    ['foo rmx', [foo, ['deny', 'Bash(rm:*)']], 'allow'],
    ['docker --host x run y', [BASH, ['deny', 'Bash(docker run:*)']], 'deny'],
    ['docker -D run y', [BASH, ['deny', 'Bash(docker run:*)']], 'deny'],
    ['docker -D', [BASH, ['deny', 'Bash(docker run:*)']], 'ask handler'],
    ['kubectl -n x delete y', [BASH, ['deny', 'Bash(kubectl delete:*)']], 'deny'],
    ['git -C x push', [BASH, ['deny', 'Bash(git push:*)']], 'deny'],
    ['/usr/bin/rm x', [BASH, ['deny', 'Bash(rm x)']], 'deny'],
    ['RM x', [BASH, ['deny', 'Bash(rm x)']], 'deny'],
    ['$X --force', [BASH, ['deny', 'Bash(* --force)']], 'deny'],
    ['tee a', [BASH, ['deny', 'Edit(a)']], 'deny'],
    ['cat a', [BASH, ['deny', 'Edit(a)']], 'allow'],
    ['rm a; rm b', [BASH, ['deny', 'Bash(rm b)'], ['deny', 'Bash(rm c)']], 'deny'],
    ['"a b" x', [BASH, ['deny', 'Bash("a b" x)']], 'deny'],
    ['rm y', [BASH, ['deny', 'Bash("rm" x)']], 'allow'],
    ['l', [BASH, ['deny', 'Bash(l *)']], 'deny'],
    ["echo ' x'", [BASH, ['deny', 'Bash(echo \\ *)']], 'deny'],
    [
      'rm -r a',
      [
        ['allow', 'Bash(rm:*)'],
        ['deny', 'Bash(rm *x:*)'],
      ],
      'allow',
    ],
    ['docker -D run y', [BASH, ['deny', 'Bash(g* run y)']], 'ask handler'],
    ['b\u00e9', [BASH], 'allow'],
    ['\uff4cs', [BASH], 'ask handler'],
    ['l?', [BASH], 'ask handler'],
    ['nice -x ls', [BASH], 'ask handler'],
    ["cat 'a\tb'", [BASH], 'allow'],
    ["cat 'a\nb'", [BASH], 'allow'],
    ['ls && foo', [['allow', 'Bash(ls)']], 'ask handler'],
  ])('%j under %j: %s', (command, rules, verdict) => expect(told('Bash', { command }, rules)).toBe(verdict));

  test('an allow of the session does not hide a deny of the deployment', () => {
    const sessionRules = policyOf([foo]);
    expect(told('Bash', { command: 'foo rm' }, [['deny', 'Bash(rm:*)']], { sessionRules })).toBe('ask handler');
    expect(told('Bash', { command: 'foo x' }, [['deny', 'Bash(rm:*)']], { sessionRules })).toBe('allow');
    expect(told('Read', { file_path: 'a' }, [], { sessionRules: policyOf([['deny', 'Read']]) })).toBe('deny');
  });

  test('of several commands each is judged, and the highest rule is named', () => {
    const rules: Rule[] = [['deny', 'Bash(rm a)', 'user'], ['deny', 'Bash(rm b)', 'managed']]; // biome-ignore format: one line
    expect(of('Bash', { command: 'rm a; rm b' }, rules).rule?.source).toBe('managed');
  });

  test('a path below /proc beside the command is not covered', () => {
    expect(told('Bash', { command: 'ls', cwd: '/proc/x' }, [BASH])).toBe('ask handler');
  });
});

describe('paths and tools', () => {
  test.each<[string, object, Rule[], string]>([
    ['save', { path: 'a' }, [['allow', 'Edit(./**)']], 'allow'],
    ['save', { path: 'a' }, [['allow', 'Edit']], 'allow'],
    ['save', { n: 1 }, [['allow', 'Edit']], 'ask handler'],
    ['save', { n: 1 }, [['deny', 'Edit']], 'deny'],
    ['load', { path: 'a' }, [['deny', 'Edit']], 'allow handler'],
    ['Write', { file_path: 'a', content: '' }, [['deny', 'Edit']], 'deny'],
    ['load', { path: '/e/a' }, [['allow', 'Read(//e/**)']], 'allow'],
    ['load', { n: 1 }, [['allow', 'Read(./**)']], 'allow handler'],
    ['mcp__x__y', { path: 'a' }, [['allow', 'Read(./**)']], 'ask handler'],
    ['load', { paths: ['a', '/e/x'] }, [['allow', 'Read(./a)']], 'ask handler'],
    ['load', { paths: ['a', '/e/x'] }, [['allow', 'Read(./a)'], ['allow', 'Read(//e/x)']], 'allow'], // biome-ignore format: one line
    ['Grep', { pattern: 'x' }, [['allow', 'Grep(./**)']], 'allow'],
    ['Grep', { pattern: 'x' }, [['allow', 'Read(./**)']], 'allow'],
    ['Grep', { pattern: 'x', path: '/e' }, [['allow', 'Read(./**)']], 'ask handler'],
    // As `grep -r x ~`.
    ['Grep', { pattern: 'x', path: '~' }, [['allow', 'Grep']], 'ask handler'],
    ['Grep', { pattern: 'x', path: '/' }, [['allow', 'Read(//**)']], 'ask handler'],
    ['Grep', { pattern: 'x', path: '~/a' }, [['allow', 'Grep']], 'allow'],
    ['Read', { file_path: '/proc/1/x' }, [['allow', 'Read']], 'ask handler'],
    ['Read', { file_path: '%2fproc/1/mem' }, [['allow', 'Read']], 'ask handler'],
    ['Read', { file_path: '/dev/null' }, [['allow', 'Read']], 'allow'],
    ['mcp__x__y', { url: 'file:///workspace/app/a' }, [['allow', 'mcp__x__y']], 'ask handler'],
    ['mcp__x__y', { url: 'https://example.com/' }, [['allow', 'mcp__x__y']], 'allow'],
    ['load', { url: 'file:///workspace/app/a' }, [['allow', 'load']], 'allow'],
    ['save', { url: 'file:///workspace/app/a' }, [['allow', 'save']], 'allow'],
    ['mcp__x__y', { url: 'https://a.b/' }, [['deny', 'WebFetch(domain:a.b)'], ['allow', 'mcp__x__y']], 'allow'], // biome-ignore format: one line
    ['Bash', { command: 'ls', path: 'a' }, [['deny', 'Edit(a)'], BASH], 'deny'],
    ['save', { path: 'a' }, [['deny', 'save(a)'], ['allow', 'save']], 'deny'], // biome-ignore format: one line
    ['save', { path: 'b' }, [['deny', 'save(a)'], ['allow', 'save']], 'allow'], // biome-ignore format: one line
    ['Write', { file_path: 'a', content: '', replace_all: true }, [['deny', 'Edit(replace_all: true)'], ['allow', 'Write']], 'allow'], // biome-ignore format: one line
    ['Write', { file_path: 'a', content: '', replace_all: true }, [['allow', 'Edit(replace_all: true)']], 'ask handler'], // biome-ignore format: one line
    ['Read', { file_path: 'a/c' }, [['deny', 'Read(a/b)'], ['allow', 'Read']], 'allow'], // biome-ignore format: one line
    ['Read', { file_path: 'a/c.x' }, [['deny', 'Read(*.x)'], ['deny', 'Read(a/b)'], ['allow', 'Read']], 'deny'], // biome-ignore format: one line
    ['Read', { file_path: 'a/b' }, [['deny', 'Read(a/c)'], ['deny', 'Read(a/b)'], ['allow', 'Read']], 'deny'], // biome-ignore format: one line
    ['Read', { file_path: 'q/r' }, [['deny', 'Read(q/x)'], ['deny', 'Read(r)'], ['allow', 'Read']], 'deny'], // biome-ignore format: one line
    ['pay', { account: 'acme', name: 'x' }, [['allow', 'pay(acme)']], 'allow'],
    ['pay', { account: 'x', name: 'acme' }, [['allow', 'pay(acme)']], 'ask handler'],
    ['pay', { account: 'acme' }, [['deny', 'pay(acme)'], ['allow', 'pay']], 'deny'], // biome-ignore format: one line
    ['mcp__t__s', { query: 'x', name: 'y' }, [['deny', 'mcp__t__s(x)'], ['allow', 'mcp__t__s']], 'deny'], // biome-ignore format: one line
    ['mcp__t__s', { mode: 'fast' }, [['deny', 'mcp__t__*(mode: fast)'], ['allow', 'mcp__t__s']], 'deny'], // biome-ignore format: one line
    ['mcp____y__z', { n: 1 }, [['deny', 'mcp____y'], ['allow', 'mcp____y__z']], 'allow'], // biome-ignore format: one line
    ['mcp__t__s', { mode: { a: 1 } }, [['deny', 'mcp__t__s(mode: *)'], ['allow', 'mcp__t__s']], 'allow'], // biome-ignore format: one line
    ['mcp__t__s', { n: 7, b: null }, [['deny', 'mcp__t__s(b: null)'], ['allow', 'mcp__t__s']], 'deny'], // biome-ignore format: one line
  ])('%s %j under %j: %s', (toolName, input, rules, verdict) => expect(told(toolName, input, rules)).toBe(verdict));

  test.each<[string, boolean]>([
    ...['save', 'both', 'run', 'loadrun', 'none', 'mcp__x__y'].map((name): [string, boolean] => [name, true]),
    ...['load', 'net', 'loadnet'].map((name): [string, boolean] => [name, false]),
  ])('an Edit rule holds for %s, which may write: %s', (name, holds) => {
    expect(told(name, { path: 'a' }, [['deny', 'Edit(a)'], ['allow', name]])).toBe(holds ? 'deny' : 'allow'); // biome-ignore format: one line
  });
});

describe('hosts', () => {
  const denied = (pattern: string, url: string) => told('WebFetch', { url }, [['deny', pattern], ['allow', 'WebFetch']]); // biome-ignore format: one line
  test.each<[string, string, string]>([
    ['*.example.com', 'https://a.example.com/', 'deny'],
    ['*.example.*', 'https://a.example.com/', 'deny'],
    ['*.b\u00fccher.example', 'https://a.xn--bcher-kva.example/', 'deny'],
    ['*.B\u00dcCHER.example.', 'https://a.b\u00fccher.example/', 'deny'],
    ['example.com\u3002', 'https://example.com/', 'deny'],
    ['*.example.com.', 'https://a.example.com/', 'deny'],
    ['127.*.0.1', 'http://127.0.0.1/', 'deny'],
    ['127.*.0.1.', 'http://127.0.0.1/', 'deny'],
    ['E*e.com', 'http://example.com/', 'deny'],
    ['a.com', 'http://b.com/', 'allow'],
  ])('a deny of %s and %s: %s', (host, url, verdict) => expect(denied(`WebFetch(domain:${host})`, url)).toBe(verdict));
});

describe('how a pattern is read', () => {
  test.each<[string, string]>([
    ['Read(a)', 'path'],
    ['save(a)', 'path'],
    ['both(a)', 'path'],
    ['load(a)', 'path'],
    ['net(a)', 'text'],
    ['run(a)', 'text'],
    ['loadnet(a)', 'text'],
    ['none(a)', 'text'],
    ['unheard(a)', 'text'],
    ['sh(a)', 'command'],
    ['net(AZaz_09:x)', 'param'],
    ['net(Z:x)', 'param'],
    ['net(z9:x)', 'param'],
    ['net(a0:x)', 'param'],
    ...['@', '[', '`', '{', '/', '0', 'a/', 'a;', 'a:', ''].map((name): [string, string] => [
      `net(${name}:x)`,
      name === 'a:' ? 'param' : 'text',
    ]),
    ['net(domian:x)', 'param'],
    ['WebFetch(timeout:5)', 'param'],
    ['*', 'every'],
    ['toString', 'tool'],
  ])('%s: %s', (pattern, kind) => expect(parsePattern(pattern, tools).kind).toBe(kind));

  test.each<[string, string, string | undefined]>([
    ['', 'empty', undefined],
    [' \t', 'empty', undefined],
    ['(x)', 'empty_tool', undefined],
    ['Bash)', 'unbalanced', undefined],
    ['‘Bash(git push:*)’', 'curly_quotes', 'Bash(git push:*)'],
    ['“Read”', 'curly_quotes', 'Read'],
    ['Bash(a)b', 'unbalanced', 'Bash(a)'],
    [' Bash', 'bad_tool_name', 'Bash'],
    ['Ba sh', 'bad_tool_name', undefined],
    [' Ba sh', 'bad_tool_name', undefined],
    ['WebFetch(domain:a%b)', 'bad_domain', undefined],
    ['Read([a)', 'bad_path', undefined],
    ['WebFetch(domain:a b)', 'bad_domain', undefined],
    ['WebFetch(domain:* x)', 'bad_domain', undefined],
    ['WebFetch(domain:b\u00fc*.com)', 'bad_domain', undefined],
    ['WebFetch(domain:https://a.b/c)', 'bad_domain', 'WebFetch(domain:a.b)'],
    ['WebFetch(a.b/c)', 'bad_domain', 'WebFetch(domain:a.b)'],
    ['WebFetch(domian:a.b/c)', 'bad_domain', 'WebFetch(domain:a.b)'],
  ])('%j is refused: %s', (pattern, code, suggestion) => {
    const read = () => parsePattern(pattern, tools);
    expect(read).toThrow(RulePatternError);
    expect(read).toThrow(expect.objectContaining({ code, suggestion }));
  });

  test.each<['allow' | 'deny', string, string | undefined, string | undefined]>([
    ['allow', '*x', 'grants_nothing', undefined],
    ['allow', 'tools__x*', 'grants_nothing', undefined],
    ['allow', 'toolset__x__*', 'grants_nothing', undefined],
    ['allow', 'mcp____*', 'grants_nothing', undefined],
    ['allow', 'mcp__x__*', undefined, undefined],
    ['deny', 'B*', undefined, undefined],
    ['deny', '*', undefined, undefined],
    ['deny', 'toString', 'never_matches', undefined],
    ['deny', 'bash', 'never_matches', 'Bash'],
    ['deny', 'Bahs', 'unlisted_tool', 'Bash'],
    ['deny', 'xmcp__', 'unlisted_tool', undefined],
    ['deny', 'mcp__x__y', undefined, undefined],
  ])('%s %s: the warning %s', (effect, pattern, code, suggestion) => {
    const { problems } = checkRules([{ effect, pattern, source: 'user' }], { tools });
    expect(problems.map((each) => [each.level, each.code, each.suggestion])).toEqual(
      code === undefined ? [] : [['warning', code, suggestion]],
    );
  });

  test('an allow by permission grants something, and what cannot be read is an error', () => {
    const permission = { kind: 'permission', permission: 'Read' } as const;
    expect(checkRules([{ effect: 'allow', pattern: 'x', source: 'user', matcher: permission }]).problems).toEqual([]);
    const member = { effect: 'deny', pattern: 'toString', source: 'user' } as const;
    expect(checkRules([member]).problems).toMatchObject([{ code: 'never_matches' }]);
    expect(checkRules([null as never]).problems).toMatchObject([{ level: 'error', code: 'unreadable' }]);
  });

  test('rules are numbered by source', () => {
    const rule = { effect: 'deny', pattern: 'Read', source: 'user' } as const;
    const { policy } = checkRules([rule, { ...rule, source: 'cli' }, rule]);
    expect(policy.rules.map(({ ref }) => ref.id)).toEqual(['user:1', 'cli:1', 'user:2']);
  });

  test('the words of a command, read as a shell would', () => {
    const words = (spec: string) => commandSpec(spec).words;
    expect(['', 'a\\', '"a\\', "'a\\b' c", '"a b" c', '"a\\"b"', "''"].map(words)).toEqual([
      ...[[], ['a\\'], ['a\\'], ['a\\b', 'c'], ['a b', 'c'], ['a"b'], ['']],
    ]);
  });

  test('the nearest spelling: within a third, of at most sixty-four letters, the first of equals', () => {
    const word = 'a'.repeat(64);
    expect([nearestSpelling(word, [`${word}a`]), nearestSpelling(`${word}a`, [word])]).toEqual([`${word}a`, undefined]);
    expect(nearestSpelling('ab', ['ax', 'ay'])).toBe('ax');
    expect([nearestSpelling('abcdxx', ['abcdef']), nearestSpelling('abcxxx', ['abcdef'])]).toEqual(['abcdef', undefined]); // biome-ignore format: one line
    expect([nearestSpelling('ba', ['ab']), nearestSpelling('xba', ['xab'])]).toEqual(['ab', 'xab']);
  });
});
