/**
 * Runs every case of the area slack that is data, one test each.
 *
 * Checks too that the interpreter tells a good request from a bad one.
 */
import { describe, expect, test } from 'vitest';
import { withOwn } from './case-files.ts';
import { interpretCase } from './interpret.ts';
import { isScenario } from './named.ts';
import type { SecurityCase } from './security/cases.ts';
import { isSlackData } from './security/slack-shape.ts';

const cases = withOwn<SecurityCase>('security.jsonl').filter(isSlackData);

describe('security: slack', () => {
  test.each(cases.map((one) => [`${one.id}: ${one.why ?? ''}`, one] as const))('%s', async (_name, one) => {
    const { passed, expected, got } = await interpretCase(one);
    expect(passed, `expected ${String(expected)}, got ${String(got)}`).toBe(true);
  });
});

const given = (scenario: Record<string, unknown>, more: Record<string, unknown> = {}) => ({
  mode: 'default',
  rules: [{ effect: 'ask', pattern: 'Bash(git push:*)', source: 'project' }],
  toolName: 'Bash',
  input: { command: 'git push origin main' },
  cwd: '/workspace/app',
  projectRoot: '/workspace/app',
  home: '/home/agent',
  now: 1100,
  ...more,
  scenario: { http: { sig: 'valid', timestamp: 1100 }, approval: {}, click: clickOf({}), ...scenario },
});
const clickOf = (more: Record<string, unknown>) => ({
  type: 'block_actions',
  user: { id: 'U_APP1', team_id: 'T1' },
  actions: [{ action_id: 'approve', value: 'ap_1' }],
  ...more,
});
const of = (scenario: Record<string, unknown>, expected: string, more?: Record<string, unknown>) => ({
  ...{ id: 'x', area: 'slack', kind: 'attack', match: 'exact', expect: expected },
  given: given(scenario, more),
});

describe('the same request, changed in one place', () => {
  test.each<[string, Record<string, unknown>, string]>([
    ['as it is', {}, 'allow'],
    ['signed five minutes ago', { http: { sig: 'valid', timestamp: 800 } }, 'allow'],
    ['signed a second more than that ago', { http: { sig: 'valid', timestamp: 799 } }, 'error'],
    ['not signed', { http: { timestamp: 1100 } }, 'error'],
    ['without a time stamp', { http: { sig: 'valid', timestamp: null } }, 'error'],
    ['with one payload of its own', { http: { sig: 'valid', timestamp: 1100, body: 'payload=A' } }, 'allow'],
    ['with a HEAD', { http: { sig: 'valid', timestamp: 1100, method: 'HEAD' } }, 'error'],
    ['of the owner', { click: clickOf({ user: { id: 'U_REQ', team_id: 'T1' } }) }, 'deny'],
    ['of another workspace', { click: clickOf({ user: { id: 'U_APP1', team_id: 'T2' } }) }, 'deny'],
    ['of another app', { click: clickOf({ api_app_id: 'A2' }) }, 'error'],
    ['on another message', { click: clickOf({ message: { ts: '2.2' } }) }, 'error'],
    ['in another channel', { click: clickOf({ channel: { id: 'C2' } }) }, 'error'],
    ['about another approval', { click: clickOf({ actions: [{ action_id: 'approve', value: 'ap_2' }] }) }, 'error'],
    ['with another digest', { click: clickOf({ actions: [{ action_id: 'approve', value: 'ap_1:0' }] }) }, 'error'],
    ['as a rejection', { click: clickOf({ actions: [{ action_id: 'reject', value: 'ap_1' }] }) }, 'deny'],
    ['after a rejection', { approval: { status: 'REJECTED' } }, 'deny'],
    ['after the end', { approval: { status: 'EXPIRED' } }, 'deny'],
    ['after it was withdrawn', { approval: { status: 'CANCELLED' } }, 'deny'],
    ['of the highest severity', { approval: { severity: 'critical' } }, 'deny'],
    [
      'with an edit that is asked about',
      { click: clickOf({ type: 'view_submission', substitute: { command: 'git push -f' } }) },
      'ask',
    ],
    ['with a form that approves', { click: clickOf({ type: 'view_submission' }) }, 'allow'],
  ])('%s', async (_name, scenario, expected) => {
    const { passed, got } = await interpretCase(of(scenario, expected));
    expect(passed, String(got)).toBe(true);
  });

  test.each([
    [{}, 'allow', 'becomes APPROVED', 'ends as REJECTED'],
    [{}, 'allow', 'one SendTask* call', 'two SendTask* calls'],
    [{}, 'allow', 'exactly one terminal state', 'exactly two terminal states'],
    [{ click: clickOf({ api_app_id: 'A2' }) }, 'error', 'no SendTask* call', 'one SendTask* call'],
    [{ approval: { status: 'REJECTED' } }, 'deny', 'stays REJECTED', 'stays EXPIRED'],
  ])('of %j, which ends in %s, "%s" holds, and not "%s"', async (scenario, expected, right, wrong) => {
    const asserting = (words: string) => ({ ...of(scenario, expected), assert: [words] });
    expect(await interpretCase(asserting(right))).toMatchObject({ passed: true });
    expect(await interpretCase(asserting(wrong))).toMatchObject({ passed: false });
  });

  test('what cannot be read has failed', async () => {
    const unread = { ...of({}, 'allow'), kind: 'property', assert: ['the moon is full'] };
    expect((await interpretCase(of({ moon: 'full' }, 'allow'))).passed).toBe(false);
    expect((await interpretCase(of({ click: clickOf({ moon: 'full' }) }, 'allow'))).passed).toBe(false);
    expect((await interpretCase(unread)).passed).toBe(false);
  });

  test('a scenario in words is none of these', () => {
    expect(isScenario({ area: 'slack', given: { scenario: 'somebody clicks' } })).toBe(true);
    expect(isScenario(of({}, 'allow'))).toBe(false);
  });
});
