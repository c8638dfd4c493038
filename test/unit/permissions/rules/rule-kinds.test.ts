/**
 * Checks kinds of rules that the cases hardly touch.
 *
 * Kinds: texts of own tools, wildcards before the first word, hooks, and what a person refused.
 */
import { describe, expect, test } from 'vitest';
import { createToolRegistry } from '../../../../shared/permissions/model/tools.ts';
import type { HookFact } from '../../../../shared/permissions/model/types.ts';
import { judge } from '../support.ts';

const tools = createToolRegistry([{ name: 'Query', permissions: ['Network'], subject: ['query'] }]);
const ask = (input: object, effect: 'deny' | 'allow', pattern: string) =>
  judge('Query', input, [[effect, pattern]], { tools }).verdict;

describe('a text rule of an own tool', () => {
  test.each([
    ['Query(drop table users)', 'drop table users', 'deny'],
    ['Query(drop table users)', 'drop table usersx', 'ask'],
    ['Query(drop:*)', 'drop', 'deny'],
    ['Query(drop:*)', 'drop table users', 'deny'],
    ['Query(drop:*)', 'dropped', 'ask'],
    ['Query(drop:*)', 'select drop', 'ask'],
    ['Query(*users*)', 'select * from users where x', 'deny'],
    ['Query(*users)', 'select * from users where x', 'ask'],
  ])('deny %s, %s: %s', (pattern, query, verdict) => {
    expect(ask({ query }, 'deny', pattern)).toBe(verdict);
  });

  test('an allow covers just that text', () => {
    expect(ask({ query: 'select 1' }, 'allow', 'Query(select:*)')).toBe('allow');
    expect(ask({ query: 'selected' }, 'allow', 'Query(select:*)')).toBe('ask');
  });

  test.each([
    ['Query(limit:10)', { query: 'q', limit: 10 }, 'deny'],
    ['Query(limit:10)', { query: 'q', limit: 11 }, 'ask'],
    ['Query(dry:true)', { query: 'q', dry: true }, 'deny'],
    ['Query(dry:null)', { query: 'q', dry: null }, 'deny'],
    ['Query(dry:x)', { query: 'q', dry: { x: 'x' } }, 'ask'],
    ['Query(env:pro*)', { query: 'q', env: 'production' }, 'deny'],
    ['Query(env:pro*)', { query: 'q', nested: { env: 'production' } }, 'ask'],
  ])('a parameter is compared as its scalar: deny %s, %j: %s', (pattern, input, verdict) => {
    expect(ask(input, 'deny', pattern)).toBe(verdict);
  });

  test.each([
    ['mcp__mail__send(to:*@evil.test)', { to: ['a@good.test', 'b@evil.test'] }],
    ['mcp__mail__send(to:*@evil.test)', { to: [['b@evil.test']] }],
    ['mcp__mail__send(count:5)', { count: [5] }],
    ['mcp__mail__send(to:*)', { to: ['a@good.test'] }],
    ['mcp__mail__send(secret)', { id: ['secret'] }],
    ['mcp__mail__send(sec:*)', { id: ['x', 'sec ret'] }],
  ])('of a list any value counts: deny and ask %s, %j', (pattern, input) => {
    const allow = ['allow', 'mcp__mail__send'] as const;
    expect(judge('mcp__mail__send', input, [['deny', pattern], allow]).verdict).toBe('deny');
    expect(judge('mcp__mail__send', input, [['ask', pattern], allow]).verdict).toBe('ask');
  });

  test.each([
    ['Skill', 'Skill(deploy)', { skill: 'deploy' }],
    ['Skill', 'Skill(deploy *)', { skill: 'deploy', args: 'now' }],
    ['Skill', 'Skill(deploy*)', { skill: 'deploy-prod', args: 'now' }],
    ['Agent', 'Agent(Explore)', { description: 'd', prompt: 'p', subagent_type: 'Explore' }],
    ['Task', 'Task(Explore)', { description: 'd', prompt: 'p', subagent_type: 'Explore' }],
    ['SlashCommand', 'SlashCommand(/deploy:*)', { command: '/deploy prod' }],
  ])('of a tool of Claude Code that nobody listed its subject counts: deny and ask on %s', (tool, pattern, input) => {
    const allow = ['allow', tool] as const;
    expect(judge(tool, input, [['deny', pattern], allow]).verdict).toBe('deny');
    expect(judge(tool, input, [['ask', pattern], allow]).verdict).toBe('ask');
    expect(judge(tool, { prompt: 'p', args: 'Explore' }, [['deny', pattern], allow]).verdict).toBe('allow');
  });

  test.each([
    ['Agent', 'Agent(Explore)', { subagent_type: 'explore' }],
    ['Agent', 'Agent(code-reviewer)', { subagent_type: 'Code Reviewer' }],
    ['Agent', 'Agent(code_*)', { subagent_type: 'code-reviewer' }],
    ['Agent', 'Agent(general-purpose)', { prompt: 'p' }],
    ['Agent', 'Agent(tools:reviewer)', { subagent_type: 'tools:Reviewer' }],
    ['Agent', 'Task(Explore)', { subagent_type: 'Explore' }],
    ['Task', 'Agent(Explore)', { subagent_type: 'Explore' }],
    ['Agent', 'Task', { subagent_type: 'Explore' }],
    ['Task', 'Agent(isolation:*)', { isolation: 'worktree' }],
    ['Skill', 'Skill(deploy)', { skill: '/deploy' }],
    ['Skill', 'Skill(deploy *)', { skill: ' Deploy' }],
    ['Skill', 'Skill(ops:deploy)', { skill: 'ops:deploy', args: 'now' }],
  ])('a deny or ask speaks of what Claude Code starts: a call of %s, %s', (tool, pattern, input) => {
    for (const effect of ['deny', 'ask'] as const)
      expect(
        judge(tool, input, [
          [effect, pattern],
          ['allow', tool],
        ]).verdict,
      ).toBe(effect);
  });

  test.each([
    ['Agent', 'Agent(general-purpose)', { subagent_type: 'Explore' }],
    ['Agent', 'Agent(Explore)', { prompt: 'p' }],
    ['Agent', 'Task(Plan)', { subagent_type: 'Explore' }],
    ['Skill', 'Skill(deploy *)', { skill: 'deploy-log' }],
    ['Skill', 'Skill(ops:deploy)', { skill: 'deploy' }],
    ['Skill', 'Agent(deploy)', { skill: 'deploy' }],
  ])('and of nothing else: a call of %s, deny %s, %j', (tool, pattern, input) => {
    expect(
      judge(tool, input, [
        ['deny', pattern],
        ['allow', tool],
      ]).verdict,
    ).toBe('allow');
  });

  test('an allow of one name of a tool covers no call under another', () => {
    expect(judge('Agent', { subagent_type: 'Explore' }, [['allow', 'Task']]).verdict).toBe('ask');
  });

  test('tools that the policy file lists are apart, whatever Claude Code calls its own', () => {
    const own = createToolRegistry(['Agent', 'Task'].map((name) => ({ name, permissions: ['Network'] })));
    const rules = [
      ['deny', 'Task'],
      ['allow', 'Agent'],
    ] as const;
    expect(judge('Agent', { prompt: 'p' }, rules, { tools: own }).verdict).toBe('allow');
  });

  test('an allow of a skill by its name covers no arguments of it', () => {
    expect(judge('Skill', { skill: 'review', args: 'all' }, [['allow', 'Skill(review)']]).verdict).toBe('ask');
  });

  test.each([
    ['mcp__mail__send(to:a@good.test)', { to: ['a@good.test'] }],
    ['mcp__mail__send(to:*)', { to: ['a@good.test', 'b@evil.test'] }],
    ['mcp__mail__send(good)', { id: ['good'] }],
  ])('an allow covers no list: %s, %j', (pattern, input) => {
    expect(judge('mcp__mail__send', input, [['allow', pattern]]).verdict).toBe('ask');
  });
});

describe('a shell rule whose first word is a wildcard', () => {
  test.each([
    ['Bash(*--force*)', 'git push --force', 'deny'],
    ['Bash(*--force*)', 'git status && git push --force origin', 'deny'],
    ['Bash(*--force*)', 'git push', 'ask'],
    ['Bash(* | sh)', 'make x | sh', 'deny'],
    ['Bash(g*t push)', 'git push', 'deny'],
    ['Bash(g*t push)', '/usr/bin/git push', 'deny'],
    ['Bash(g*t push)', 'git pull', 'ask'],
  ])('deny %s, %s: %s', (pattern, command, verdict) => {
    expect(judge('Bash', { command }, [['deny', pattern]]).verdict).toBe(verdict);
  });
});

describe('an accent written as one character or two', () => {
  test.each([
    ['caf\u00e9', 'cafe\u0301'],
    ['cafe\u0301', 'caf\u00e9'],
  ])('deny Read(%s/**) speaks of both', (pattern, written) => {
    const verdict = judge('Read', { file_path: `${written}/x.txt` }, [
      ['deny', `Read(${pattern}/**)`],
      ['allow', 'Read'],
    ]).verdict;
    expect(verdict).toBe('deny');
  });
});

describe('a hook', () => {
  const hooked = (decision: HookFact['decision'], command = 'ls', rules: Parameters<typeof judge>[2] = []) =>
    judge('Bash', { command }, rules, {}, { hook: { decision, reason: 'It says so.' } });

  test.each([
    ['block', 'deny'],
    ['deny', 'deny'],
    ['allow', 'allow'],
    ['failed', 'ask'],
    ['human', 'ask'],
  ] as const)('%s: %s', (decision, verdict) => {
    expect(hooked(decision).verdict).toBe(verdict);
  });

  test.each(['block', 'deny'] as const)('%s wins over an allow rule, and is told', (decision) => {
    expect(hooked(decision, 'ls', [['allow', 'Bash(ls:*)']])).toMatchObject({
      verdict: 'deny',
      reason: 'hook',
      message: 'It says so.',
    });
  });

  test.each([
    ['a deny rule', 'rm x', [['deny', 'Bash(rm:*)']], 'deny'],
    ['an ask rule', 'rm x', [['ask', 'Bash(rm:*)']], 'ask'],
    ['a protected path', 'cat .env', [], 'deny'],
    ['what is not understood', 'ls $(', [], 'ask'],
  ] as const)('that allows lifts no %s', (_name, command, rules, verdict) => {
    expect(hooked('allow', command, rules).verdict).toBe(verdict);
  });

  test.each(['failed', 'human'] as const)('%s has a person asked where a rule allows', (decision) => {
    expect(hooked(decision, 'ls', [['allow', 'Bash(ls:*)']]).verdict).toBe('ask');
  });
});

describe('what a person has just refused', () => {
  test.each([
    [{ by: 'Bob', reason: 'Not now.' }, 'Bob has just refused this very call. Not now.'],
    [{ by: 'Bob' }, 'Bob has just refused this very call.'],
    [{ reason: '' }, 'A person has just refused this very call.'],
  ])('%j', (refusal, message) => {
    const verdict = judge('Bash', { command: 'make' }, [['ask', 'Bash(make:*)']], {}, { refusal });
    expect(verdict).toMatchObject({ verdict: 'deny', code: 'remembered_refusal', message });
  });
});

test('a field rule compares numbers as numbers, and texts as texts', () => {
  const verdictOf = (pattern: string, amount: unknown) => judge('Pay', { amount }, [['deny', pattern]]).verdict;
  expect([verdictOf('Pay(amount:1.0)', 1), verdictOf('Pay(amount:1e3)', [5, 1000])]).toEqual(['deny', 'deny']);
  expect([verdictOf('Pay(amount:007)', '7'), verdictOf('Pay(amount:1.0)', 10)]).toEqual(['ask', 'ask']);
});
