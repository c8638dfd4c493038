/** Tests who is kept for a later stage, and when rejections that count have made a quorum impossible. */
import { describe, expect, test } from 'vitest';
import type { Person } from '../../../../shared/contract/index.ts';
import type { PeopleDirectory } from '../../../../shared/ports/people.ts';
import { edit } from '../../../../shared/use-cases/approvals/voting/cast-vote.ts';
import { bash, PEOPLE, policyOf, World } from '../world.ts';

const MINUTE = 60_000;
const EVERYBODY: Omit<PeopleDirectory, 'membersOf'> = {
  accountStatus: async () => 'member',
  nameOf: async () => undefined,
};
const DELEGATED = 'delegations: [{ person: bob, to: alice, until: 2027-06-01T00:00:00Z }]';
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

  test('may approve where somebody else is in the later group, too', async () => {
    const world = await asking(approvers.replace('[bob]', '[alice, bob]'), stages);
    expect(await world.click('p1', 'bob')).toMatchObject({ kind: 'counted' });
    await world.click('p1', 'alice');
    expect((await world.decided('p1')).outcome).toBe('approved');
  });

  test('is no less needed where another may vote for them: it is one place, and votes once', async () => {
    const world = await asking(approvers, stages, DELEGATED);
    expect(await world.click('p1', 'bob')).toMatchObject({ kind: 'refused', refusal: 'needed_later' });
    expect(await world.click('p1', 'alice')).toMatchObject({ kind: 'counted' });
    await world.click('p1', 'bob');
    expect((await world.decided('p1')).outcome).toBe('approved');
  });

  test('is kept for none whose group Slack does not tell now: it is taken to be enough', async () => {
    const people: PeopleDirectory = { ...EVERYBODY, membersOf: async () => undefined };
    const approvals = `{ stages: [${stages}], timeout: 1h }`;
    const world = new World(
      policyOf({ approvers: approvers.replace('members: [bob]', 'userGroup: S0DOWN'), approvals }),
      { people },
    );
    await world.send(bash('p1'));
    expect(await world.click('p1', 'bob')).toMatchObject({ kind: 'counted' });
  });

  test('is refused by no stage that could not be answered anyway', async () => {
    const world = await asking(approvers, stages);
    world.gate.usePolicy(policyOf({ approvers: approvers.replace('[bob]', '[olga]') }));
    expect((await world.click('p1', 'bob')).kind).toBe('counted');
  });
});

describe('with a Slack user group that is asked first', () => {
  const approvers = [
    '  platform: { userGroup: S0PLATFORM, channel: approvals }',
    '  security: { members: [alice, bob], channel: security }',
  ].join('\n');
  const asked = async (
    members: readonly Person[],
    quorum: number,
    document: Parameters<typeof policyOf>[0],
    message: unknown = bash('p1'),
  ) => {
    const people: PeopleDirectory = { ...EVERYBODY, membersOf: async () => members };
    const approvals = `{ stages: [{ group: platform, quorum: ${quorum} }, { group: security }], timeout: 1h }`;
    const world = new World(policyOf({ approvers, approvals, ...document }), { people });
    await world.send(message);
    return world;
  };
  const ofBob = approvers.replace('[alice, bob]', '[bob]');

  test('nobody votes there in the place of somebody who is needed later', async () => {
    const world = await asked([PEOPLE.bob, PEOPLE.stranger], 1, { approvers: ofBob, more: DELEGATED });
    expect(await world.click('p1', 'alice')).toMatchObject({ kind: 'refused', refusal: 'needed_later' });
    await world.click('p1', 'stranger');
    await world.click('p1', 'bob');
    expect((await world.decided('p1')).outcome).toBe('approved');
  });

  test('votes on single calls count for how many are still needed', async () => {
    const calls = ['one', 'two'].map((id) => ({ id, toolName: 'Bash', input: { command: `git push ${id}` } }));
    const batch = { kind: 'tool-call', proposalId: 'p1', calls };
    const world = await asked([PEOPLE.alice, PEOPLE.bob, PEOPLE.stranger], 2, { approvers: ofBob }, batch);
    for (const { id } of calls) await world.click('p1', 'alice', 'approve', { calls: [{ id, choice: 'approve' }] });
    expect(await world.click('p1', 'bob')).toMatchObject({ kind: 'refused', refusal: 'needed_later' });
    await world.click('p1', 'stranger');
    await world.click('p1', 'bob');
    expect((await world.decided('p1')).outcome).toBe('approved');
  });

  test('two who click at once do not both use up their votes', async () => {
    const world = await asked([PEOPLE.alice, PEOPLE.bob, PEOPLE.stranger], 2, {});
    const clicks = await Promise.all([world.click('p1', 'alice'), world.click('p1', 'bob')]);
    expect(clicks.map(({ kind }) => kind).toSorted()).toEqual(['counted', 'refused']);
    await world.click('p1', 'stranger');
    await world.click('p1', clicks[0]?.kind === 'counted' ? 'bob' : 'alice');
    expect((await world.decided('p1')).outcome).toBe('approved');
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
