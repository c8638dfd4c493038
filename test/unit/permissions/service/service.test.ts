/**
 * Checks the service and the people behind it.
 *
 * Covers R4-009, R4-028, R4-029, R4-084, R4-086, R4-109, R4-139 … R4-147 and R4-153 … R4-155. Covers R4-009, R4-028,
 * R4-029, R4-084, R4-086, R4-109, R4-139 … R4-147, R4-153 … R4-155.
 */
import { describe, expect, test } from 'vitest';
import {
  type Mode,
  type PermissionDecision,
  type PermissionResponse,
  PermissionService,
  type ToolPermission,
} from '../../../../shared/permissions/index.ts';
import { riskLevel } from '../../../../shared/permissions/model/tools.ts';
import type { ParentService } from '../../../../shared/permissions/service/config.ts';
import { FakeClock } from '../../../../shared/testing/fake-clock.ts';
import { shell } from '../support.ts';
import { serviceOf } from './service-support.ts';

const MAKE = { command: 'make all' };
const HALF_HOUR = 30 * 60_000;

describe('a person is asked', () => {
  test('R4-140: with everything that there is to know', async () => {
    const { service, asked } = serviceOf({ answer: { kind: 'Allowed' }, agentName: 'coder', sessionId: 's1' });
    await service.check('Bash', MAKE);
    await service.check('Bash', MAKE);
    expect(asked[0]).toEqual({
      toolName: 'Bash',
      toolInput: MAKE,
      requiredPermissions: ['Execute'],
      riskLevel: 'high',
      prompt: 'Tool [Bash] requires human approval',
      suggestions: [],
      context: 'No rule covers make; Bash(make:*) would cover it. A person decides.',
      requestId: 's1-1',
      sessionId: 's1',
      agentName: 'coder',
    });
    expect(asked[1]?.requestId).toBe('s1-2');
  });

  test.each<[ToolPermission[], string]>([
    [['Sensitive', 'Read'], 'critical'],
    [['Execute', 'Write'], 'high'],
    [['Write'], 'medium'],
    [['Network'], 'medium'],
    [['Read'], 'low'],
    [[], 'low'],
  ])('R4-141: %j is of risk %s', (permissions, risk) => expect(riskLevel(permissions)).toBe(risk));

  test.each<[string, PermissionResponse, object]>([
    ['allows', { kind: 'Allowed' }, { decision: 'allow', reason: 'handler' }],
    ['refuses', { kind: 'Denied', reason: 'Not now.' }, { decision: 'deny', reason: 'handler', message: 'Not now.' }],
    ['refuses without a word', { kind: 'Denied' }, { decision: 'deny', message: 'A person refused the call.' }],
    ['asks back', { kind: 'NeedMoreInfo', question: 'Why?' }, { decision: 'ask', suggestions: ['Why?'] }],
    ['says what no person says', { kind: 'Approve' } as never, { decision: 'deny', error: 'handler_failed' }],
  ])('R4-142: who %s', async (_, answer, decision) => {
    expect(await serviceOf({ answer }).service.check('Bash', MAKE)).toMatchObject(decision);
  });

  test('R4-147: a handler that fails is a denial', async () => {
    const answer = () => {
      throw new Error('down');
    };
    expect(await serviceOf({ answer }).service.check('Bash', MAKE)).toMatchObject({
      decision: 'deny',
      error: 'handler_failed',
    });
  });

  test('R4-028: nobody there is neither an allow nor a denial', async () => {
    expect(await serviceOf().service.check('Bash', MAKE)).toMatchObject({
      decision: 'require_approval',
      reason: 'no_handler',
      source: 'handler_check',
    });
  });

  test('R4-024: what a rule asks is given back, and nobody is asked here', async () => {
    const { service, asked } = serviceOf({ rules: [['ask', 'Bash']], answer: { kind: 'Allowed' } });
    expect(await service.check('Bash', MAKE)).toMatchObject({ decision: 'ask', rule: expect.any(String) });
    expect(asked).toEqual([]);
  });

  test('R4-025, R4-035: neither an allow rule nor don’t-ask asks anybody', async () => {
    for (const options of [{ rules: [['allow', 'Bash(make:*)']] as const }, { mode: 'dontAsk' } as const]) {
      const { service, asked } = serviceOf({ ...options, answer: { kind: 'Allowed' } });
      await service.check('Bash', MAKE);
      expect(asked).toEqual([]);
    }
  });
});

describe('what a person said is remembered', () => {
  test.each([
    ['Once', [2, 2]],
    ['Session', [1, 2]],
    ['SessionAllTools', [1, 1]],
  ] as const)('R4-143: %s; asked after the same call and after another: %j', async (scope, [same, other]) => {
    const { service, asked } = serviceOf({ answer: { kind: 'Allowed', scope } });
    await service.check('Bash', MAKE);
    await service.check('Bash', MAKE);
    expect(asked).toHaveLength(same);
    asked.splice(0, asked.length - 1);
    await service.check('Bash', { command: 'make other' });
    expect(asked).toHaveLength(other);
  });

  test('R4-076: for half an hour', async () => {
    const clock = new FakeClock();
    const { service, asked } = serviceOf({ clock, answer: { kind: 'Allowed', scope: 'Session' } });
    await service.check('Bash', MAKE);
    await clock.advance(HALF_HOUR - 1);
    expect(await service.check('Bash', MAKE)).toMatchObject({ decision: 'allow', reason: 'cache_hit' });
    await clock.advance(1);
    await service.check('Bash', MAKE);
    expect(asked).toHaveLength(2);
  });

  test('R4-079: no refusal is', async () => {
    const { service, asked } = serviceOf({ answer: { kind: 'Denied' } });
    await service.check('Bash', MAKE);
    await service.check('Bash', MAKE);
    expect([asked.length, service.cache.size]).toEqual([2, 0]);
  });

  test('R4-084: another person has approved nothing', async () => {
    const { service } = serviceOf({ answer: { kind: 'Allowed', scope: 'SessionAllTools' } });
    await service.check('Bash', MAKE);
    service.replaceHandler(undefined);
    expect(await service.check('Bash', MAKE)).toMatchObject({ decision: 'require_approval', reason: 'no_handler' });
  });

  test('R4-083, D22: not by another session, agent or folder', async () => {
    const { service } = serviceOf({ answer: { kind: 'Allowed', scope: 'SessionAllTools' } });
    await service.check('Bash', MAKE);
    const { cache } = service;
    const decisionOf = async (more: object) =>
      (await serviceOf({ cache, ...more }).service.check('Bash', MAKE)).decision;
    expect(await decisionOf({})).toBe('allow');
    for (const more of [
      { sessionId: 'x' },
      { agentName: 'x' },
      { cwd: '/workspace/app/b' },
      { binding: { tenant: 'x' } },
    ])
      expect(await decisionOf(more)).toBe('require_approval');
  });

  test('D22: not in another mode, and not for a tool that is defined anew', async () => {
    const { service } = serviceOf({ answer: { kind: 'Allowed', scope: 'SessionAllTools' } });
    await service.check('Bash', MAKE);
    const reasonIn = async (mode: Mode) => (await service.check('Bash', MAKE, { mode })).reason;
    expect([await reasonIn('default'), await reasonIn('dontAsk'), await reasonIn('auto')]).toEqual([
      ...['cache_hit', 'dont_ask', 'no_handler'],
    ]);
    expect((await service.checkWithPermissions('Bash', MAKE, ['Sensitive'])).reason).toBe('handler');
    const { cache } = service;
    const severe = [{ name: 'Bash', permissions: ['Execute'], severity: 'high' }] as const;
    expect((await serviceOf({ cache }).service.check('Bash', MAKE)).reason).toBe('cache_hit');
    expect((await serviceOf({ cache, tools: severe }).service.check('Bash', MAKE)).reason).toBe('no_handler');
    service.update({ SetMode: { mode: 'DontAsk' } });
    service.approve('Bash', MAKE, 'Session');
    expect((await service.check('Bash', MAKE)).reason).toBe('cache_hit');
  });

  test('R4-012, R4-085: deny, ask and protected paths win over it', async () => {
    const { service } = serviceOf({ answer: { kind: 'Allowed', scope: 'SessionAllTools' } });
    await service.check('Bash', MAKE);
    expect((await service.check('Bash', { command: 'cat .env' })).reason).toBe('protected_path');
    service.addRule({ effect: 'ask', pattern: 'Bash(make:*)', source: 'session' });
    expect((await service.check('Bash', MAKE)).decision).toBe('ask');
    service.addRule({ effect: 'deny', pattern: 'Bash(make:*)', source: 'default' });
    expect((await service.check('Bash', MAKE)).decision).toBe('deny');
  });
});

describe('what a person changed (R4-086, R4-109, R4-144, D23)', () => {
  const edited = (modifiedArgs: unknown, rules: NonNullable<Parameters<typeof serviceOf>[0]>['rules'] = []) =>
    serviceOf({ rules, answer: { kind: 'Allowed', scope: 'Session', modifiedArgs } });

  test('runs as changed, and is remembered as changed', async () => {
    const { service, asked } = edited({ command: 'make other' });
    expect(await service.check('Bash', MAKE)).toMatchObject({
      decision: 'allow',
      modifiedArgs: { command: 'make other' },
    });
    expect((await service.check('Bash', { command: 'make other' })).reason).toBe('cache_hit');
    await service.check('Bash', MAKE);
    expect(asked).toHaveLength(2);
  });

  test('an unchanged call carries no arguments', async () => {
    const { service } = serviceOf({ answer: { kind: 'Allowed' } });
    expect(await service.check('Bash', MAKE)).not.toHaveProperty('modifiedArgs');
  });

  test.each([
    ['a deny rule', { command: 'rm x' }, 'deny', 'rule_match'],
    ['an ask rule', { command: 'git push' }, 'ask', 'rule_match'],
    ['a protected path', { command: 'cat .env' }, 'deny', 'protected_path'],
    ['a critical delete', { command: 'rm -rf /' }, 'deny', 'rule_match'],
    ['no command', { command: '' }, 'deny', 'invalid'],
    ['null', null, 'deny', 'invalid'],
  ])('is judged again: %s', async (_, modifiedArgs, decision, reason) => {
    const { service } = edited(modifiedArgs, [
      ['deny', 'Bash(rm:*)'],
      ['ask', 'Bash(git push:*)'],
    ]);
    expect(await service.check('Bash', MAKE)).toMatchObject({ decision, reason });
    expect([service.cache.size, service.tracker.consecutive]).toEqual([0, 0]);
  });
});

describe('denials (R4-089, R4-094, D12)', () => {
  test('three refusals in a row have a person asked outside; their yes starts anew', async () => {
    const { service, asked } = serviceOf({ answer: { kind: 'Denied' } });
    for (let n = 0; n < 3; n++) await service.check('Bash', { command: `make ${n}` });
    expect(await service.check('Bash', MAKE)).toMatchObject({ decision: 'require_approval', reason: 'denial_tracker' });
    expect(asked).toHaveLength(3);
    service.approve('Bash', MAKE, 'Session');
    expect([service.tracker.consecutive, service.tracker.total]).toEqual([0, 3]);
    expect((await service.check('Bash', MAKE)).reason).toBe('cache_hit');
    expect((await service.check('Bash', { command: 'make x' })).reason).toBe('handler');
  });

  test("a person's yes and a classifier's ends the row, its block counts", async () => {
    const verdicts = [true, true, false];
    const classifier = {
      classify: async () => ({ shouldBlock: verdicts.shift() ?? true, reason: 'x', confidence: 1 }),
    };
    const { service } = serviceOf({ mode: 'auto', classifier });
    for (let n = 0; n < 2; n++) await service.check('Bash', { command: `make ${n}` });
    expect([service.tracker.consecutive, service.tracker.total]).toEqual([2, 2]);
    await service.check('Bash', { command: 'make 2' });
    expect([service.tracker.consecutive, service.tracker.total]).toEqual([0, 2]);
    const people = serviceOf({ answer: { kind: 'Allowed' } }).service;
    people.tracker.recordDenial();
    await people.check('Bash', MAKE);
    expect(people.tracker.consecutive).toBe(0);
  });

  test('R4-090: rules, protected paths, plan mode and asks count nothing', async () => {
    const { service } = serviceOf({ rules: [['deny', 'Bash(rm:*)']], answer: { kind: 'NeedMoreInfo', question: '?' } });
    service.tracker.recordDenial();
    await service.check('Bash', { command: 'rm x' });
    await service.check('Read', { file_path: '.env' });
    await service.check('Bash', MAKE, { mode: 'plan' });
    await service.check('Bash', MAKE, { mode: 'dontAsk' });
    await service.check('Bash', MAKE);
    expect([service.tracker.consecutive, service.tracker.total]).toEqual([1, 1]);
  });
});

describe('bypass (R4-016 … R4-018, D2)', () => {
  test('honours rules unless it is told not to', async () => {
    const decisionOf = async (bypassHonoursRules?: boolean) => {
      const service = new PermissionService({
        mode: 'bypass',
        shell: async () => shell,
        rules: [{ effect: 'deny', pattern: 'Bash(make:*)', source: 'project' }],
        ...(bypassHonoursRules === undefined ? {} : { bypassHonoursRules }),
      });
      return (await service.check('Bash', MAKE)).decision;
    };
    expect([await decisionOf(), await decisionOf(true), await decisionOf(false)]).toEqual(['deny', 'deny', 'allow']);
  });

  test('disabled by the administrator it denies, whatever rules and people say, and a refusal keeps its reason', async () => {
    const { service, asked } = serviceOf({
      mode: 'bypass',
      bypassDisabled: true,
      rules: [
        ['allow', 'Bash(git:*)'],
        ['deny', 'Bash(rm:*)'],
        ['ask', 'Bash(npm:*)'],
      ],
      answer: { kind: 'Allowed' },
    });
    for (const command of ['make', 'git status', 'npm test'])
      expect(await service.check('Bash', { command })).toMatchObject({ decision: 'deny', error: 'bypass_disabled' });
    expect((await service.check('Bash', { command: 'rm x' })).reason).toBe('rule_match');
    expect(asked).toEqual([]);
    expect((await service.check('Bash', { command: 'make' }, { mode: 'default' })).decision).toBe('allow');
  });
});

describe('the parent (R4-043, D9)', () => {
  const parentSaying = (parentAnswer: Partial<PermissionDecision> | Error) => {
    const heard: unknown[] = [];
    const parent: ParentService = {
      check: async (toolName, input, options) => {
        heard.push([toolName, input, options?.chain?.length]);
        if (parentAnswer instanceof Error) throw parentAnswer;
        return { decision: 'allow', reason: 'rule_match', source: 'rules', message: 'said so', ...parentAnswer };
      },
    };
    return { heard, parent };
  };
  test.each<[string, Partial<PermissionDecision> | Error, object]>([
    ['allows', {}, { decision: 'allow', reason: 'bubble' }],
    ['denies', { decision: 'deny' }, { decision: 'deny', reason: 'bubble', message: 'said so' }],
    // An ask rule of the parent asks here, too (R4-043).
    ['asks', { decision: 'ask' }, { decision: 'ask', reason: 'bubble' }],
    ['wants an approval', { decision: 'require_approval' }, { decision: 'require_approval', reason: 'bubble' }],
    ['could not judge', { decision: 'deny', error: 'internal' }, { decision: 'deny', reason: 'bubble' }],
    ['fails', new Error('down'), { decision: 'deny', reason: 'bubble', error: 'parent_error' }],
    ['says what no parent says', { decision: 'yes' as never }, { decision: 'require_approval' }],
  ])('who %s', async (_, parentAnswer, expected) => {
    const { heard, parent } = parentSaying(parentAnswer);
    expect(await serviceOf({ mode: 'bubble', parent }).service.check('Bash', MAKE)).toMatchObject(expected);
    expect(heard).toEqual([['Bash', MAKE, 1]]);
  });

  test('G5: an ask rule of any session above wins over an allow rule below it', async () => {
    const root = serviceOf({ rules: [['ask', 'Bash(make:*)']] }).service;
    const between = serviceOf({ mode: 'bubble', parent: root }).service;
    for (const parent of [root, between]) {
      const { service } = serviceOf({ mode: 'bubble', parent, rules: [['allow', 'Bash(make:*)']] });
      expect(await service.check('Bash', MAKE)).toMatchObject({ decision: 'ask', reason: 'bubble' });
    }
    const unmatched = serviceOf({ mode: 'bubble', parent: serviceOf().service, rules: [['allow', 'Bash(make:*)']] });
    expect((await unmatched.service.check('Bash', MAKE)).reason).toBe('rule_match');
  });

  const chainOf = (length: number) => {
    let parent: PermissionService | undefined;
    for (let n = 0; n < length; n++)
      parent = serviceOf(
        parent === undefined ? { rules: [['allow', 'Bash(make:*)']] } : { mode: 'bubble', parent },
      ).service;
    return (parent as PermissionService).check('Bash', MAKE);
  };

  test('the root answers for all; more than sixteen, or a loop, is a denial', async () => {
    expect((await chainOf(3)).decision).toBe('allow');
    expect((await chainOf(16)).decision).toBe('allow');
    expect((await chainOf(17)).decision).toBe('deny');
    const loop: { parent?: ParentService } = {};
    const first = serviceOf({
      mode: 'bubble',
      parent: { check: (...of) => (loop.parent as ParentService).check(...of) },
    });
    loop.parent = first.service;
    expect((await first.service.check('Bash', MAKE)).decision).toBe('deny');
  });
});

describe('permission sets (R4-009)', () => {
  test('a set of its own replaces that of the registry, an empty one does not', async () => {
    const { service } = serviceOf();
    const decisionOf = async (permissions: readonly ToolPermission[]) =>
      (await service.checkWithPermissions('Read', { file_path: 'a' }, permissions)).decision;
    expect(await decisionOf([])).toBe('allow');
    expect(await decisionOf(['Read'])).toBe('allow');
    expect(await decisionOf(['Sensitive'])).toBe('require_approval');
    expect((await service.check('Read', { file_path: 'a' })).decision).toBe('allow');
  });
});

describe('a service that is told little', () => {
  test('works where it stands, and brings its own parser', async () => {
    const rules = [{ effect: 'allow', pattern: 'Bash(ls:*)', source: 'user' }] as const;
    const decisionOf = async (config: object, toolName: string, input: object) =>
      (await new PermissionService({ rules, ...config }).check(toolName, input)).decision;
    expect(await decisionOf({ cwd: '/w' }, 'Read', { file_path: 'a' })).toBe('allow');
    expect(await decisionOf({ cwd: '/w' }, 'Read', { file_path: '/x' })).toBe('require_approval');
    expect(await decisionOf({ projectRoot: '/w' }, 'Read', { file_path: 'a' })).toBe('allow');
    expect(await decisionOf({ projectRoot: '/w' }, 'Read', { file_path: '/x' })).toBe('require_approval');
    expect(await decisionOf({}, 'Bash', { command: 'ls' })).toBe('allow');
  });

  test('and denies where a part gives nothing', async () => {
    const { service } = serviceOf({ shell: async () => undefined as never, rules: [['allow', 'Bash']] });
    expect(await service.check('Bash', MAKE)).toMatchObject({ decision: 'deny', error: 'internal' });
  });
});
