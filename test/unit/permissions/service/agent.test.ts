/**
 * Checks how an agent's program uses the service (R4-156 … R4-163).
 *
 * Hooks come first, and some tools need an appeal.
 */
import { describe, expect, test } from 'vitest';
import { InMemoryPermissionAuditSink } from '../../../../shared/permissions/index.ts';
import { AgentPermissions } from '../../../../shared/permissions/service/agent-permissions.ts';
import type { HookAnswer, PermissionHook } from '../../../../shared/permissions/service/permission-hooks.ts';
import { type ServiceOptions, serviceOf } from './service-support.ts';

const saying =
  (answer: HookAnswer): PermissionHook =>
  () =>
    answer;
const failing: PermissionHook = () => {
  throw new Error('down');
};
const checked = (hooks: readonly PermissionHook[], options: ServiceOptions = {}, command = 'make') =>
  new AgentPermissions(serviceOf({ ...options }).service, hooks).checkToolApproval('Bash', { command });

const ALLOW = saying({ decision: 'allow' });
const DENY = saying({ decision: 'deny', reason: 'denied' });
const BLOCK = saying({ block: true, reason: 'blocked' });
const ASK = saying({ decision: 'ask' });
const PASS = saying(undefined);
const MAKES = { rules: [['allow', 'Bash(make:*)']] } as const;

describe('hooks (R4-156, R4-157)', () => {
  test.each<[string, readonly PermissionHook[], string]>([
    ['none', [], 'require_approval'],
    ['falling through', [PASS], 'require_approval'],
    ['an allow', [ALLOW], 'allow'],
    ['an ask', [ASK], 'require_approval'],
    ['a denial', [DENY], 'deny'],
    ['a block', [BLOCK], 'deny'],
    ['an allow, then a denial', [ALLOW, DENY], 'deny'],
    ['a denial, then an allow', [DENY, ALLOW], 'deny'],
    ['an allow, then a block', [ALLOW, BLOCK], 'deny'],
    ['an allow, then a failure', [ALLOW, failing], 'require_approval'],
    ['a failure, then an allow', [failing, ALLOW], 'require_approval'],
    ['a failure, then a denial', [failing, DENY], 'deny'],
    ['a denial, then a failure', [DENY, failing], 'deny'],
    ['a failure, then a block', [failing, BLOCK], 'deny'],
    ['falling through, then an allow', [PASS, ALLOW], 'allow'],
    ['an allow, then falling through', [ALLOW, PASS], 'allow'],
    ['a denial, then an ask', [DENY, ASK], 'deny'],
    ['a failure, then an ask', [failing, ASK], 'require_approval'],
    ['an ask, then an allow', [ASK, ALLOW], 'require_approval'],
    ['an allow, then an ask', [ALLOW, ASK], 'require_approval'],
    ['a mode, then an allow', [saying({ modeOverride: 'default' }), ALLOW], 'allow'],
    ['a mode with an allow', [saying({ decision: 'allow', modeOverride: 'default' })], 'allow'],
  ])('%s', async (_, hooks, decision) => {
    expect((await checked(hooks)).decision).toBe(decision);
  });

  test.each<[string, unknown]>([
    ['another word for a denial', { decision: 'denied' }],
    ['nothing', null],
    ['no answer at all', {}],
    ['no object', true],
    ['a mode that is no text', { decision: 'allow', modeOverride: 3 }],
  ])('an answer that nobody can read is no falling through: %s', async (_, answer) => {
    const hooks = [saying(answer as HookAnswer)];
    for (const each of [hooks, [...hooks, ALLOW], [ALLOW, ...hooks]])
      expect((await checked(each, MAKES)).decision).toBe('require_approval');
  });

  test('a block ends the asking, a denial is given with its reason', async () => {
    const asked: string[] = [];
    const seen =
      (name: string, answer: HookAnswer): PermissionHook =>
      () => {
        asked.push(name);
        return answer;
      };
    const decision = await checked([seen('a', { block: true }), seen('b', undefined)]);
    expect([asked, decision.message, decision.reason, decision.source]).toEqual([
      ...[['a'], 'A hook refused the call.', 'hook', 'hooks'],
    ]);
    expect((await checked([DENY])).message).toBe('denied');
    expect((await checked([BLOCK, DENY], MAKES)).message).toBe('blocked');
    expect((await checked([DENY, saying({ decision: 'deny', reason: 'again' })])).message).toBe('denied');
  });

  test('R4-124: what a hook refuses is in the record, once, as everything else', async () => {
    const auditSink = new InMemoryPermissionAuditSink();
    await checked([BLOCK], { auditSink }, 'make secret-target');
    await checked([DENY], { auditSink });
    await checked([saying({ modeOverride: 'root' })], { auditSink });
    await checked([PASS], { auditSink });
    expect(auditSink.all().map(({ decision, reason, source }) => [decision, reason, source])).toEqual([
      ...[1, 2, 3].map(() => ['deny', 'hook', 'hooks']),
      ['require_approval', 'no_handler', 'handler_check'],
    ]);
    const [first] = auditSink.all();
    expect(first).toMatchObject({ tool_name: 'Bash', args_hash: expect.stringMatching(/^[0-9a-f]{8}$/) });
    expect(Number.isInteger(first?.duration_us) && (first?.duration_us ?? -1) >= 0).toBe(true);
    expect(JSON.stringify(first)).not.toContain('secret-target');
  });

  test('a failure and a denial hold against an allow rule', async () => {
    expect((await checked([failing], MAKES)).decision).toBe('require_approval');
    expect((await checked([DENY], MAKES)).decision).toBe('deny');
    expect((await checked([PASS], MAKES)).decision).toBe('allow');
    expect((await checked([ASK], MAKES)).decision).toBe('allow');
  });

  test.each([
    ['a deny rule', { rules: [['deny', 'Bash(make:*)']] }, 'make', 'deny'],
    ['an ask rule', { rules: [['ask', 'Bash(make:*)']] }, 'make', 'ask'],
    ['a protected path', {}, 'cat .env', 'deny'],
    ['a critical delete', {}, 'rm -rf /', 'ask'],
    ['plan mode', { mode: 'plan' }, 'make', 'deny'],
  ] as const)('an allow does not lift %s', async (_, options, command, decision) => {
    expect((await checked([ALLOW], options, command)).decision).toBe(decision);
  });
});

describe('the mode of one call (R4-158)', () => {
  test('counts for that call, and leaves the mode as it is', async () => {
    const modes = ['dontAsk', undefined, 'BypassPermissions'];
    const { service } = serviceOf({ bypassHonoursRules: false });
    const agent = new AgentPermissions(service, [
      () => {
        const mode = modes.shift();
        return mode === undefined ? undefined : { modeOverride: mode };
      },
    ]);
    const decided = async () => (await agent.checkToolApproval('Bash', { command: 'make' })).reason;
    expect([await decided(), await decided(), await decided()]).toEqual(['dont_ask', 'no_handler', 'bypass']);
    expect(service.mode).toBe('default');
  });

  test('comes with a decision too; the last of several counts; an unknown one is a denial', async () => {
    const override = (modeOverride: string) => saying({ modeOverride });
    expect((await checked([saying({ decision: 'ask', modeOverride: 'dontAsk' })])).reason).toBe('dont_ask');
    expect((await checked([override('bypass'), override('dontAsk')])).reason).toBe('dont_ask');
    for (const mode of ['root', '', 'toString'])
      expect(await checked([override(mode), ALLOW])).toMatchObject({ decision: 'deny', error: 'unknown_mode' });
  });
});

describe('a tool that needs an appeal (R4-159 … R4-163)', () => {
  test('is there at once; its rule waits for the next check, and comes once', async () => {
    const { service } = serviceOf({ rules: [['allow', 'deploy', 'session']] });
    const agent = new AgentPermissions(service);
    agent.addTool('read');
    agent.addNeedAppealTool('deploy');
    agent.addNeedAppealTool('refund');
    expect(agent.tools).toEqual(['read', 'deploy', 'refund']);
    expect(agent.bufferedRules).toMatchObject([
      { effect: 'ask', pattern: 'deploy', source: 'session', suggestions: ['Allow', 'Deny'] },
      { effect: 'ask', pattern: 'refund', source: 'session', suggestions: ['Allow', 'Deny'] },
    ]);
    expect(service.rules).toHaveLength(1);
    const decision = await agent.checkToolApproval('deploy', {});
    expect(decision).toMatchObject({ decision: 'ask', suggestions: ['Allow', 'Deny'] });
    expect(agent.bufferedRules).toEqual([]);
    expect(service.rules).toHaveLength(3);
    expect(await agent.toolNeedsApproval('refund', {})).toBe(true);
    expect(service.rules).toHaveLength(3);
  });

  test('whether a tool needs an approval: by a rule, or where nobody is there to ask', async () => {
    const agent = new AgentPermissions(
      serviceOf({
        rules: [
          ['deny', 'Bash(rm:*)'],
          ['allow', 'Bash(ls:*)'],
        ],
      }).service,
    );
    const needs = (command: string) => agent.toolNeedsApproval('Bash', { command });
    expect([await needs('make'), await needs('ls'), await needs('rm x')]).toEqual([true, false, false]);
  });

  test('whose name no tool can have is refused at once, and the others still ask', async () => {
    const { service } = serviceOf({ rules: [['allow', 'deploy', 'session']] });
    const agent = new AgentPermissions(service);
    for (const name of ['no tool', 'deploy(x', '*', '', 'toString', 'x'.repeat(129)])
      expect(() => agent.addNeedAppealTool(name)).toThrow(expect.objectContaining({ code: 'unknown_tool' }));
    agent.addNeedAppealTool('deploy');
    expect(agent.tools).toEqual(['deploy']);
    expect((await agent.checkToolApproval('deploy', {})).decision).toBe('ask');
  });

  test('R4-162: without a service it runs, and nothing is buffered', async () => {
    const agent = new AgentPermissions();
    agent.addNeedAppealTool('deploy');
    expect([agent.tools, agent.bufferedRules]).toEqual([['deploy'], []]);
    expect(await agent.checkToolApproval('deploy', {})).toMatchObject({ decision: 'allow', reason: 'no_service' });
    expect(await agent.toolNeedsApproval('deploy', {})).toBe(false);
  });
});
