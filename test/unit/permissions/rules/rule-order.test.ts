/** Checks rules: sources, order, kinds of matchers and changes (R4-046 … R4-070, D10, D36). */
import { describe, expect, test } from 'vitest';
import { PatternMatcher } from '../../../../shared/permissions/classifiers/pattern-matcher.ts';
import type { RuleInput } from '../../../../shared/permissions/index.ts';
import { MODES } from '../../../../shared/permissions/model/modes.ts';
import { RULE_SOURCES, ruleSourceOf, sourcePriority } from '../../../../shared/permissions/model/sources.ts';
import type { RuleEffect, RuleSource } from '../../../../shared/permissions/model/types.ts';
import { compileRules } from '../../../../shared/permissions/rules/compile.ts';
import { RuleRegistry } from '../../../../shared/permissions/rules/registry.ts';
import { serviceOf } from '../service/service-support.ts';
import { judge, type Rule, shell, tools } from '../support.ts';

const SEED_SOURCES = ['Default', 'LocalSettings', 'ProjectSettings', 'UserSettings', 'Managed', 'CliArg', 'Session'];
const read = (rules: readonly Rule[], more = {}, facts = {}) => judge('Read', { file_path: '/a' }, rules, more, facts);

describe('sources (R4-050, R4-054)', () => {
  test('seven, from default to session, by either name', () => {
    expect(SEED_SOURCES.map(ruleSourceOf)).toEqual(RULE_SOURCES);
    expect(RULE_SOURCES.map(ruleSourceOf)).toEqual(RULE_SOURCES);
    expect(RULE_SOURCES.map(sourcePriority)).toEqual([0, 1, 2, 3, 4, 5, 6]);
    for (const name of ['', 'Policy', 'SESSION', 'toString', 'managed ']) expect(ruleSourceOf(name)).toBeUndefined();
  });

  const PAIRS = RULE_SOURCES.flatMap((a) => RULE_SOURCES.map((b) => [a, b] as const));
  test.each(PAIRS)('R4-048, R4-049, R4-052: %s against %s', (a, b) => {
    const verdict = (one: RuleEffect, other: RuleEffect) => read([[one, 'Read', a], [other, 'Read', b]]).verdict; // biome-ignore format: one line
    expect([verdict('deny', 'allow'), verdict('deny', 'ask'), verdict('ask', 'allow')]).toEqual([
      'deny',
      'deny',
      'ask',
    ]);
    expect([verdict('allow', 'deny'), verdict('ask', 'deny'), verdict('allow', 'ask')]).toEqual([
      'deny',
      'deny',
      'ask',
    ]);
  });

  test.each(PAIRS.filter(([a, b]) => a !== b))('R4-051, R4-056, R4-057: of %s and %s the higher is named', (a, b) => {
    const higher = sourcePriority(a) > sourcePriority(b) ? a : b;
    for (const effect of ['deny', 'ask', 'allow'] as const)
      expect(read([[effect, 'Read', a], [effect, 'Read(//a)', b]]).rule?.source).toBe(higher); // biome-ignore format: one line
  });

  test('R4-051: within a source the first that was written', () => {
    for (const effect of ['deny', 'ask', 'allow'] as const)
      expect(read([[effect, 'Read', 'user'], [effect, 'Read', 'user']]).rule?.id).toBe('user:1'); // biome-ignore format: one line
  });

  test('R4-056: suggestions are those of the highest', () => {
    const rule = (source: RuleSource, suggestion: string): RuleInput => ({
      effect: 'ask',
      pattern: 'Read',
      source,
      suggestions: [suggestion],
    });
    const { policy } = compileRules([rule('default', 'a'), rule('session', 'b'), rule('managed', 'c')]);
    expect(read([], { policy }).suggestions).toEqual(['b']);
  });

  test('R4-058: where none matches, the next stage decides', () => {
    expect(read([['deny', 'Edit'], ['allow', 'Read(//b)']]).reason).toBe('handler'); // biome-ignore format: one line
  });

  test.each<[RuleSource, string, string]>([
    ['default', 'ask', 'allow'],
    ['local', 'ask', 'ask'],
    ['project', 'ask', 'ask'],
    ['user', 'ask', 'allow'],
    ['managed', 'allow', 'allow'],
    ['cli', 'ask', 'allow'],
    ['session', 'ask', 'allow'],
  ])(
    'an allow of %s under managedRulesOnly: %s; in a workspace that is not trusted: %s',
    (source, managed, trusted) => {
      expect(read([['allow', 'Read', source]], { managedRulesOnly: true }).verdict).toBe(managed);
      expect(read([['allow', 'Read', source]], { workspaceTrusted: false }).verdict).toBe(trusted);
      for (const effect of ['deny', 'ask'] as const)
        for (const more of [{ managedRulesOnly: true }, { workspaceTrusted: false }])
          expect(read([[effect, 'Read', source]], more).verdict).toBe(effect);
    },
  );
});

describe('an end date (D36)', () => {
  test.each<[RuleEffect, number, number, string]>([
    ['allow', 10, 9, 'allow'],
    ['allow', 10, 10, 'ask'],
    ['allow', Number.NaN, 1, 'ask'],
    ['deny', 10, 9, 'deny'],
    ['deny', 10, 10, 'ask'],
    ['deny', Number.NaN, 1, 'deny'],
    ['ask', Number.NaN, 1, 'ask'],
  ])('%s until %d, at %d: %s', (effect, expiresAt, now, verdict) => {
    const { policy } = compileRules([{ effect, pattern: 'Read', source: 'user', expiresAt }]);
    expect(read([], { policy }, { now }).verdict).toBe(verdict);
  });
});

describe('matchers (R4-059, R4-068)', () => {
  const withMatcher = (effect: RuleEffect, matcher: RuleInput['matcher'], toolName: string, input: object) => {
    const { policy } = compileRules([{ effect, pattern: 'x', source: 'user', matcher }], { tools });
    return judge(toolName, input, [], { policy }).verdict;
  };
  test('a tool by its exact name, a permission, and everything', () => {
    const bash = { command: 'make' };
    expect(withMatcher('deny', { kind: 'tool', name: 'Bash' }, 'Bash', bash)).toBe('deny');
    expect(withMatcher('deny', { kind: 'tool', name: 'Bas' }, 'Bash', bash)).toBe('ask');
    expect(withMatcher('deny', { kind: 'permission', permission: 'Execute' }, 'Bash', bash)).toBe('deny');
    expect(withMatcher('deny', { kind: 'permission', permission: 'Write' }, 'Bash', bash)).toBe('ask');
    expect(withMatcher('allow', { kind: 'permission', permission: 'Network' }, 'WebSearch', { query: 'x' })).toBe(
      'allow',
    );
    expect(withMatcher('allow', { kind: 'permission', permission: 'Read' }, 'WebSearch', { query: 'x' })).toBe('ask');
    expect(withMatcher('deny', { kind: 'all' }, 'Read', { file_path: 'a' })).toBe('deny');
    // An allow of everything grants nothing.
    expect(withMatcher('allow', { kind: 'all' }, 'WebSearch', { query: 'x' })).toBe('ask');
  });

  test('an unknown matcher, effect, source, or a pattern that is no text refuses the whole set', () => {
    const problems = (rule: object) =>
      compileRules([
        { effect: 'deny', pattern: 'Read', source: 'user', ...rule } as RuleInput,
        { effect: 'allow', pattern: 'Read', source: 'user' },
      ]);
    for (const [rule, code] of [
      [{ matcher: { kind: 'regex' } }, 'unknown_matcher'],
      [{ effect: 'permit' }, 'unknown_effect'],
      [{ source: 'policy' }, 'unknown_source'],
      [{ pattern: 7 }, 'not_a_text'],
      [{ pattern: 'Read(' }, 'unbalanced'],
    ] as const) {
      const { policy, problems: found } = problems(rule);
      expect(found).toMatchObject([{ level: 'error', code, index: 0 }]);
      expect(read([], { policy }).verdict).toBe('error');
    }
    expect(problems({ effect: 'alow' }).problems[0]?.suggestion).toBe('allow');
    expect(problems({ source: 'sesion' }).problems[0]?.suggestion).toBe('session');
    expect(compileRules([null as never]).problems).toMatchObject([{ code: 'unreadable', pattern: '' }]);
  });
});

test.each([
  ...[
    ['Bash(', 'Bash'],
    ['Bash()', 'Bash'],
    ['Bash( )x', 'Bash'],
    ['Bash(ls', 'Bash(ls)'],
    ['Bash(ls)x', 'Bash(ls)'],
  ],
  ...[
    [' Bash', 'Bash'],
    ['*(ls)', '*'],
    ['Bash(command:rm *)', 'Bash(rm *)'],
    ['WebFetch(url:x.y)', 'WebFetch(domain:x.y)'],
  ],
  ...[
    ['WebFetch(domian:x.y)', 'WebFetch(domain:x.y)'],
    ['WebFetch(https://x.y/z)', 'WebFetch(domain:x.y)'],
  ],
])('the nearest spelling of %j is %j, which loads', (pattern, suggestion) => {
  const problemsOf = (text: string) =>
    compileRules([{ effect: 'deny', pattern: text, source: 'user' }]).problems.filter(({ level }) => level === 'error');
  expect(problemsOf(pattern)).toMatchObject([{ suggestion }]);
  expect(problemsOf(suggestion)).toEqual([]);
});

describe('a pattern against a call (R4-060 … R4-067)', () => {
  const matcher = new PatternMatcher({ projectRoot: '/', shell: async () => shell });
  test.each<[string, string, object, boolean, boolean]>([
    ['*', 'Bash', { command: 'ls' }, true, false],
    ['Bash', 'Bash', { command: 'ls' }, true, true],
    ['Bash(*)', 'Bash', { command: 'ls' }, true, true],
    ['Bash', 'BashExtra', {}, false, false],
    ['bash', 'Bash', { command: 'ls' }, false, false],
    ['Bash(rm:*)', 'Bash', { command: 'rm -rf a/b/x' }, true, true],
    ['Bash(rm:*)', 'Bash', { command: 'rm' }, true, true],
    ['Bash(rm:*)', 'Bash', { command: 'rmdir x' }, false, false],
    ['Bash(rm:*)', 'Bash', { command: 'ls; rm x' }, true, false],
    ['Bash(ls)', 'Bash', { command: 'ls' }, true, true],
    ['Bash(ls)', 'Bash', { command: 'ls -l' }, false, false],
    ['Bash(ls *)', 'Bash', { command: 'ls' }, true, true],
    ['Bash(ls  *)', 'Bash', { command: 'ls -l' }, true, true],
    ['Bash(ls *)', 'Bash', { command: 'lsof' }, false, false],
    ['Bash(ls*)', 'Bash', { command: 'lsof' }, true, true],
    ['Bash(npm run *)', 'Bash', { command: 'npm run' }, true, true],
    ['Bash(make -s *)', 'Bash', { command: 'make' }, false, false],
    ['Bash(* --help *)', 'Bash', { command: 'ls --help' }, false, false],
    ['Bash(* --help *)', 'Bash', { command: 'ls --help x' }, true, true],
    ['Bash(git log * main)', 'Bash', { command: 'git log main' }, false, false],
    ['Bash(echo \\ *)', 'Bash', { command: 'echo' }, false, false],
    ['mcp__x__y(mode: fast )', 'mcp__x__y', { mode: 'fast' }, true, true],
    ['mcp__x__y(mode:*)', 'mcp__x__y', { mode: 'fast' }, true, false],
    ['mcp__x__y(mode: *)', 'mcp__x__y', { mode: 'fast' }, true, true],
    ['mcp__x__y(mode:*)', 'mcp__x__y', { mode: { a: 1 } }, false, false],
    ['mcp__x__y(mode:*)', 'mcp__x__y', {}, false, false],
    // Where several fields may be the subject, an allow needs all; a deny or ask any.
    ['deploy(prod)', 'deploy', { name: 'prod' }, true, true],
    ['deploy(prod)', 'deploy', { name: 'prod', command: 'rm -rf x' }, true, false],
    ['deploy(prod)', 'deploy', { other: 'prod' }, false, false],
    // One field says nothing of what a command, a file or an address is: the tool's own form does.
    ['Bash(background:true)', 'Bash', { command: 'ls', background: true }, true, false],
    ['Edit(replace_all:true)', 'Edit', { file_path: '/a', replace_all: true }, true, false],
    ['WebFetch(prompt:x)', 'WebFetch', { url: 'https://a.example', prompt: 'x' }, true, false],
    ['WebSearch(query:x)', 'WebSearch', { query: 'x' }, true, true],
    ['B*', 'Bash', { command: 'ls' }, true, false],
    ['mcp__x__*', 'mcp__x__y', {}, true, true],
    ['mcp__*', 'mcp__x__y', {}, true, false],
    ['mcp__x*', 'mcp__x__y', {}, true, false],
    ['mcp__x', 'mcp__x__y', {}, true, true],
    ['mcp__x(*)', 'mcp__x__y', {}, true, true],
    ['mcp__x', 'mcp__x', {}, true, true],
    ['mcp__x', 'mcp__x_y__z', {}, false, false],
    ['mcp__x', 'mcp__xy__z', {}, false, false],
    ['mcp__x__y', 'mcp__x__y__z', {}, false, false],
    ['mcp__x(mode:fast)', 'mcp__x__y', { mode: 'fast' }, true, true],
    ['mcp__', 'mcp____y', {}, false, false],
    ['Read(src/**)', 'Read', { file_path: '/src/a' }, true, true],
    ['Read(src/**)', 'Edit', { file_path: '/src/a' }, true, false],
    ['Edit(src/**)', 'Write', { file_path: '/src/a' }, true, true],
    ['Edit', 'Write', { file_path: '/src/a' }, true, true],
    ['Write', 'Edit', { file_path: '/src/a' }, false, false],
    ['Bash(', 'Bash', { command: 'ls' }, true, false],
    ['Bash', 'no tool', { command: 'ls' }, false, false],
    ['Bash(ls:*)', 'Bash', { command: 'ls $(' }, true, false],
  ])('%s against %s %j: fires %s, allows %s', async (pattern, toolName, input, fires, allows) => {
    expect(await matcher.fires(pattern, toolName, input)).toBe(fires);
    expect(await matcher.allows(pattern, toolName, input)).toBe(allows);
  });

  test('R4-068: a rule for a permission fires for tools that need it', async () => {
    const fires = (permission: 'Execute' | 'Read') =>
      matcher.fires('x', 'Bash', { command: 'ls' }, { kind: 'permission', permission });
    expect([await fires('Execute'), await fires('Read')]).toEqual([true, false]);
  });

  test('a loader without a parser fails, and no deny pattern is taken for one that does not fire', async () => {
    const matcher = new PatternMatcher({ projectRoot: '/', shell: async () => undefined as never });
    await expect(matcher.fires('Bash(rm:*)', 'Bash', { command: 'rm x' })).rejects.toThrow('shell: loads no parser');
  });
  test('paths are those of the place that it is given', async () => {
    const placed = new PatternMatcher({ cwd: '/p/q', projectRoot: '/p', home: '/h' });
    const allows = (pattern: string, file_path: string) => placed.allows(pattern, 'Read', { file_path });
    expect(
      await Promise.all([allows('Read(a)', '/p/q/a'), allows('Read(/a)', '/p/a'), allows('Read(~/a)', '/h/a')]),
    ).toEqual([true, true, true]);
    expect(await allows('Read(a)', '/p/a')).toBe(false);
    expect(await new PatternMatcher({ projectRoot: '/p' }).allows('Read(a)', 'Read', { file_path: '/p/a' })).toBe(true);
    expect(await new PatternMatcher().allows('Read(/a)', 'Read', { file_path: '/a' })).toBe(false);
    expect(await new PatternMatcher().allows('Read(src/**)', 'Read', { file_path: 'src/a' })).toBe(true);
    expect(await new PatternMatcher({ cwd: '/p' }).allows('Read(/a)', 'Read', { file_path: '/p/a' })).toBe(true);
    expect(await new PatternMatcher().fires('Bash(ls)', 'Bash', { command: 'ls' })).toBe(true);
    expect(await new PatternMatcher().allows('Read(~/a)', 'Read', { file_path: '/home/user/a' })).toBe(true);
  });

  test('a quoted word in a rule is read as a shell would', () => {
    const denied = (pattern: string, command: string) => judge('Bash', { command }, [['deny', pattern]]).verdict;
    expect(denied('Bash("rm" -rf:*)', 'rm -rf x')).toBe('deny');
    expect(denied("Bash('rm' *x:*)", 'rm -r ax y')).toBe('deny');
    expect(denied('Bash(r\\m:*)', 'rm x')).toBe('deny');
    expect(denied('Bash(echo "a \\" b")', `echo 'a " b'`)).toBe('deny');
    expect(denied('Bash(  rm\t -rf   x )', 'rm -rf x')).toBe('deny');
  });
});

describe('changes (R4-053 … R4-055, R4-069, R4-070, D10)', () => {
  const managed: RuleInput = { effect: 'deny', pattern: 'Read', source: 'managed' };
  const add = (behavior: string, source: string, matcher = 'Read') => ({ AddRule: { matcher, behavior, source } });

  test.each(SEED_SOURCES)('a user adds rules of %s, but no managed ones', (source) => {
    const registry = new RuleRegistry();
    const result = registry.apply(add('Allow', source));
    expect(result.kind).toBe(source === 'Managed' ? 'dropped' : 'added');
    expect(registry.rules).toHaveLength(source === 'Managed' ? 0 : 1);
    expect(new RuleRegistry().apply(add('Allow', source), 'deployment').kind).toBe('added');
  });

  test('an unknown source is dropped and told, never made another', () => {
    expect(new RuleRegistry().apply(add('Allow', 'Admin'))).toEqual({
      kind: 'dropped',
      why: `the source is one of ${RULE_SOURCES.join(', ')}`,
    });
    expect(new RuleRegistry().apply(add('Allow', 'Managed'))).toEqual({
      kind: 'dropped',
      why: 'only the deployment holds managed rules',
    });
  });

  test.each([...(['deny', 'Deny', 'ask', 'Ask', 'allow', 'Allow'] as const)])(
    'the behaviour %s is known',
    (behavior) => {
      expect(new RuleRegistry().apply(add(behavior, 'user'))).toMatchObject({
        rule: { effect: behavior.toLowerCase() },
      });
    },
  );

  test.each(['', 'ALLOW', 'aLlow', 'permit', 'Allowed', 'toString'])('the behaviour %j is refused', (behavior) => {
    const registry = new RuleRegistry();
    expect(() => registry.apply(add(behavior, 'user'))).toThrow('deny, ask or allow.');
    expect(() => registry.apply(add('x', 'user'))).toThrow(/deny, ask or allow\.$/);
    expect(registry.rules).toEqual([]);
  });

  test('a malformed rule changes nothing; the nearest spelling is told', () => {
    const registry = new RuleRegistry([managed]);
    expect(() => registry.apply(add('deny', 'user', 'Bash(rm'))).toThrow('Did you mean Bash(rm)?');
    expect(() => registry.apply(add('dny', 'user'))).toThrow('Did you mean deny?');
    expect(registry.rules).toEqual([managed]);
    expect(registry.problems).toEqual([]);
    expect(new RuleRegistry([{ ...managed, pattern: 'B(' }]).problems).toHaveLength(1);
  });

  test('a user removes all rules of a matcher, but no managed ones', () => {
    const user: RuleInput = { effect: 'deny', pattern: 'Read', source: 'user' };
    const other: RuleInput = { effect: 'deny', pattern: 'Edit', source: 'user' };
    const registry = new RuleRegistry([managed, user, other, user]);
    expect(registry.apply({ RemoveRule: { matcher: 'Read' } })).toEqual({ kind: 'removed', count: 2, kept: 1 });
    expect(registry.rules).toEqual([managed, other]);
    expect(registry.apply({ RemoveRule: { matcher: 'Read' } }, 'deployment')).toMatchObject({ count: 1, kept: 0 });
    expect(registry.rules).toEqual([other]);
  });

  test('a change counts from the next call on', async () => {
    const { service } = serviceOf({ rules: [['allow', 'Read', 'session']] });
    const decided = async () => (await service.check('Read', { file_path: '/a' })).decision;
    expect(await decided()).toBe('allow');
    service.update(add('Deny', 'Default'));
    expect(await decided()).toBe('deny');
    service.update({ RemoveRule: { matcher: 'Read' } });
    expect(await decided()).toBe('require_approval');
    expect(service.update({ SetMode: { mode: 'DontAsk' } })).toEqual({ kind: 'mode', mode: 'dontAsk' });
    expect([service.mode, await decided()]).toEqual(['dontAsk', 'deny']);
    expect(() => service.update({ SetMode: { mode: 'plann' } })).toThrow('Did you mean plan?');
    expect(() => service.update({ SetMode: { mode: 'x' } })).toThrow(`one of ${MODES.join(', ')}`);
    for (const update of [{}, { setMode: { mode: 'plan' } }])
      expect(() => service.update(update as never)).toThrow(expect.objectContaining({ code: 'unknown_update' }));
  });

  test.each([
    ['allow-for-session', 'allow', 'session'],
    ['allow-always', 'allow', 'user'],
    ['deny-always', 'deny', 'user'],
  ] as const)('R4-070: %s is an %s rule of %s', (answer, effect, source) => {
    expect(RuleRegistry.lasting(answer, 'Read', 7)).toEqual({ effect, pattern: 'Read', source, expiresAt: 7 });
  });
});
