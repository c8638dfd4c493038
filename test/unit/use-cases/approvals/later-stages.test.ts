/** Tests who is kept for a later stage, and when rejections that count have made a quorum impossible. */
import { describe, expect, test } from 'vitest';
import { edit } from '../../../../shared/use-cases/approvals/voting/cast-vote.ts';
import { bash, PEOPLE, policyOf, World } from '../world.ts';

const MINUTE = 60_000;
const asking = async (approvers: string, stages: string, more = '') => {
  const world = new World(policyOf({ approvers, approvals: `{ stages: [${stages}], timeout: 1h }`, more }));
  await world.send(bash('p1'));
  return world;
};

describe('one person who alone can answer a later stage', () => {
  const approvers = [
    '  platform: { members: [alice, bob], channel: approvals }',
    '  security: { members: [bob], channel: security }',
  ].join('\n');
  const stages = '{ group: platform }, { group: security }';

  test('does not use up their vote before it: both stages get their answer', async () => {
    const world = await asking(approvers, stages);
    expect(await world.click('p1', 'bob')).toMatchObject({ kind: 'refused', refusal: 'needed_later' });
    await world.click('p1', 'alice');
    await world.click('p1', 'bob');
    expect((await world.decided('p1')).outcome).toBe('approved');
  });

  test('may reject it at once, and change it', async () => {
    const world = await asking(approvers, stages);
    const { approval } = await world.row('p1');
    const click = { pid: approval.pid, person: PEOPLE.bob, isBot: false, requestId: 'one' };
    const about = { questionDigest: approval.question.digest, via: 'slack', callId: 'call' } as const;
    const changed = await edit({ ...click, ...about, input: { command: 'git push origin x' } }, world.gate.parts);
    expect(changed.kind).toBe('counted');
    await world.rest();
    await world.click('p1', 'bob', 'reject');
    expect((await world.decided('p1')).outcome).toBe('denied');
  });

  test('may approve where somebody else votes in a place there', async () => {
    const delegated = 'delegations: [{ person: bob, to: alice, until: 2027-06-01T00:00:00Z }]';
    const world = await asking(approvers, stages, delegated);
    expect(await world.click('p1', 'bob')).toMatchObject({ kind: 'counted' });
  });

  test('is refused by no stage that could not be answered anyway', async () => {
    const world = await asking(approvers, stages);
    world.gate.usePolicy(policyOf({ approvers: approvers.replace('[bob]', '[olga]') }));
    expect((await world.click('p1', 'bob')).kind).toBe('counted');
  });
});

describe('rejections that count', () => {
  const approvers = [
    '  platform: { members: [alice], channel: approvals }',
    '  security: { members: [bob], channel: security }',
  ].join('\n');

  test('leave the question to those to whom it escalates', async () => {
    const world = await asking(approvers, '{ group: platform, timeout: 10m, escalateTo: security, reject: counts }');
    await world.click('p1', 'alice', 'reject');
    expect(await world.decision('p1')).toBeUndefined();
    await world.clock.advance(11 * MINUTE);
    await world.click('p1', 'bob');
    expect((await world.decided('p1')).outcome).toBe('approved');
  });

  test('end it once nobody of either group is left', async () => {
    const world = await asking(approvers, '{ group: platform, timeout: 10m, escalateTo: security, reject: counts }');
    await world.click('p1', 'alice', 'reject');
    await world.clock.advance(11 * MINUTE);
    await world.click('p1', 'bob', 'reject');
    expect((await world.decided('p1')).outcome).toBe('denied');
  });
});
