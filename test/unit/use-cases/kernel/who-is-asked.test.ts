/**
 * Checks who is asked about calls, and whose answer still fits.
 *
 * Covers which answers they have (A3, A16, A17, A24, D16, D23, D31, G26).
 */
import { describe, expect, test } from 'vitest';
import type { HumanAnswer, Severity } from '../../../../shared/contract/index.ts';
import { callsOf } from '../../../../shared/domain/approval/approval.ts';
import {
  type ApprovalPlan,
  askedBy,
  planForGroup,
} from '../../../../shared/use-cases/kernel/calls/question/approval-plan.ts';
import { answerFits, type CallResolution } from '../../../../shared/use-cases/kernel/calls/question/call-question.ts';
import { questionDigest } from '../../../../shared/use-cases/kernel/calls/question/edits.ts';
import { PEOPLE, type PolicyParts, policyOf, World } from '../world.ts';

const fetch = (id: string) => ({ id, toolName: 'WebFetch', input: { url: 'https://x.test' } });
const make = (id: string, command = 'make all') => ({ id, toolName: 'Bash', input: { command } });

async function question(parts: PolicyParts, calls: readonly unknown[], more: Record<string, unknown> = {}) {
  const world = new World(policyOf(parts));
  await world.send({ kind: 'tool-call', proposalId: 'p1', calls, ...more });
  return { world, question: (await world.row('p1')).approval.question };
}

describe('what people may say', () => {
  const ALL = ['approve', 'edit', 'reject', 'respond'];
  const tools = (bashAllows: string, fetchAllows = 'approve, edit, reject, respond') => ({
    more: `tools:
  Bash: { permissions: [Execute], allowedDecisions: [${bashAllows}] }
  WebFetch: { permissions: [Network], allowedDecisions: [${fetchAllows}] }`,
  });
  test.each<[string, PolicyParts, unknown[], Record<string, unknown>, string[]]>([
    ['of one call', {}, [make('a')], {}, ALL],
    ['of two', {}, [make('a'), fetch('b')], {}, ['approve', 'reject']],
    ['of a tool that allows less', tools('approve, reject'), [make('a')], {}, ['approve', 'reject']],
    ['of a tool that allows no approval', tools('respond'), [make('a')], {}, ['reject', 'respond']],
    ['of two of which one allows less', tools('reject'), [make('a'), fetch('b')], {}, ['reject']],
    ['of a message that wants less', {}, [make('a')], { allowedDecisions: ['respond'] }, ['reject', 'respond']],
    [
      'of a message that wants what the tool does not allow',
      tools('approve, reject'),
      [make('a')],
      { allowedDecisions: ['edit', 'approve'] },
      ['approve', 'reject'],
    ],
  ])('%s: %#', async (_, parts, calls, more, offers) => {
    expect((await question(parts, calls, more)).question.offers).toEqual(offers);
  });

  test('is asked with the rule that asks, with what was edited, and with why in 1000 characters', async () => {
    const long = 'x'.repeat(960);
    const ask = ["'Bash(make:*)'", `'Bash(git push ${long})'`];
    const { world, question: first } = await question({ ask }, [make('call', `git push ${long}`)]);
    const [asked] = callsOf(first);
    expect(asked).toMatchObject({ rule: { pattern: `Bash(git push ${long})`, source: 'project' }, severity: 'medium' });
    expect(asked?.why).toHaveLength(1000);
    expect(asked).not.toHaveProperty('input');
    await world.edit('p1', 'alice', { command: 'make it' });
    const again = (await world.row('p1')).approval.question;
    expect(callsOf(again)[0]).toMatchObject({ input: { command: 'make it' }, rule: { pattern: 'Bash(make:*)' } });
    expect(callsOf((await question({}, [make('a')])).question)[0]).not.toHaveProperty('rule');
  });
});

test('a call that nobody is named for is an error of its own, beside one that somebody is', async () => {
  const world = new World(
    policyOf({
      approvals: '{ timeout: 1h }',
      more: 'tools: { Bash: { permissions: [Execute], approvers: platform } }',
    }),
  );
  await world.send({ kind: 'tool-call', proposalId: 'p1', calls: [make('a'), fetch('b')] });
  await world.click('p1', 'alice');
  expect((await world.decided('p1')).calls).toMatchObject([
    { id: 'a', outcome: 'approved' },
    { id: 'b', outcome: 'error', reasonCode: 'no_approvers' },
  ]);
});

describe('an answer', () => {
  const settling = {
    session: { pid: 'p' },
    effective: { place: 'calls', edits: new Map() },
  } as unknown as CallResolution;
  const judged = (id: string, verdict: string, actionDigest = `digest-${id}`) =>
    ({ call: make(id), actionDigest, verdict: { verdict }, trace: [] }) as never;
  const known = [{ id: 'a', actionDigest: 'digest-a' }];
  const answer = { calls: ['a'], digest: questionDigest('p', 'calls', known), stagesDigest: 's' } as HumanAnswer;
  const fits = (calls: readonly never[], stagesDigest = 's') =>
    answerFits(answer, calls, settling, { stagesDigest } as never);
  test('fits what was asked, of those who would be asked now, and nothing more', () => {
    expect(fits([judged('a', 'ask')])).toBe(true);
    expect(fits([judged('a', 'ask')], 'others')).toBe(false);
    expect(fits([judged('a', 'allow')], 'others')).toBe(true);
    expect(fits([judged('a', 'ask', 'another action')])).toBe(false);
    expect(fits([judged('a', 'allow', 'another action')])).toBe(false);
    expect(fits([judged('a', 'ask'), judged('b', 'allow')])).toBe(true);
    expect(fits([judged('a', 'ask'), judged('b', 'ask')])).toBe(false);
    expect(fits([judged('a', 'allow'), judged('b', 'ask')])).toBe(false);
  });
});

describe('people of a plan', () => {
  const FOUR =
    '  platform: { members: [alice, bob, olga], channel: approvals }\n  security: { members: [bob], channel: security }\n  few: { members: [alice], channel: security }';
  const { policy } = new World(policyOf({ approvers: FOUR })).gate.parts;
  const settings = policy.settings.agents['coder'] as never;
  const stage = (group: string, quorum = 1, more = {}) => ({ group, by: 'group', quorum, reject: 'ends', ...more });
  const plan = (...stages: unknown[]) => ({ stages, timeoutApproves: true }) as unknown as ApprovalPlan;
  const asked = (severity: Severity, wanted: ApprovalPlan, editors: (typeof PEOPLE.alice)[] = []) =>
    askedBy(wanted, severity, settings, policy, undefined, editors);
  const quorums = (severity: Severity, ...stages: unknown[]) => {
    const found = asked(severity, plan(...stages));
    return found.ok ? found.stages.map(({ quorum }) => quorum) : found.code;
  };

  test.each<[Severity, unknown[], number[] | string]>([
    ['medium', [stage('platform')], [1]],
    ['high', [stage('platform')], [2]],
    ['critical', [stage('platform')], [2]],
    ['high', [stage('platform', 2)], [2]],
    ['high', [stage('few'), stage('security')], [1, 1]],
    ['high', [stage('security')], 'quorum_unavailable'],
    ['high', [stage('platform'), stage('platform', 1, { by: 'requester' })], 'quorum_unavailable'],
    ['high', [stage('platform', 1, { by: 'requester' }), stage('platform')], 'quorum_unavailable'],
    ['medium', [stage('platform', 3)], 'quorum_unavailable'],
  ])('are two for what is of %s severity: %j: %j', (severity, stages, expected) => {
    expect(quorums(severity, ...stages)).toEqual(expected);
  });

  test('are not those who edited, where severity is high', () => {
    const two = plan(stage('platform', 2));
    expect(asked('high', two, [PEOPLE.alice])).toMatchObject({ ok: false, code: 'quorum_unavailable' });
    expect(asked('medium', two, [PEOPLE.alice])).toMatchObject({ ok: true });
  });

  test('may edit only where the others are enough', () => {
    expect(asked('high', plan(stage('platform')))).toMatchObject({ editable: false });
    expect(asked('medium', plan(stage('platform')))).toMatchObject({ editable: true });
    const three = [PEOPLE.alice, PEOPLE.bob, { team: 'T0DEMO', user: 'U0CAROL' }];
    const more = Object.create(policy, { membersOf: { value: () => three } });
    expect(askedBy(plan(stage('platform')), 'high', settings, more)).toMatchObject({ editable: true });
  });

  test('decide by silence only below high severity', () => {
    expect(asked('medium', plan(stage('platform')))).toMatchObject({ onTimeout: 'approve' });
    expect(asked('high', plan(stage('platform')))).not.toHaveProperty('onTimeout');
    expect(planForGroup(policy, settings, 'platform')).toMatchObject({ timeoutApproves: false });
  });

  test('are others where they are asked in another way', () => {
    const digests = [
      plan(stage('platform')),
      plan(stage('platform', 2)),
      plan(stage('platform', 1, { reject: 'counts' })),
      plan(stage('platform', 1, { by: 'requester' })),
      plan(stage('platform', 1, { escalateTo: 'security' })),
      plan(stage('security')),
      plan(stage('platform'), stage('security')),
    ].map((each) => asked('low', each));
    expect(new Set(digests.map((each) => each.ok && each.stagesDigest)).size).toBe(7);
  });
});
