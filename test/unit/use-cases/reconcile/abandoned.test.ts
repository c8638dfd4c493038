/** Checks that a question ends which too few people are left to answer under a new policy file (A17). */
import { describe, expect, test } from 'vitest';
import { endAbandoned } from '../../../../shared/use-cases/reconcile/end-abandoned.ts';
import { bash, policyOf, World } from '../world.ts';

const MEMBERS = 'members: [alice, bob]';
const asking = (group: string, more = '') =>
  policyOf({
    approvals: `{ approvers: ${group}, timeout: 3d${more} }`,
    approvers: `  ${group}: { ${MEMBERS}, channel: approvals }`,
  });

async function waiting(document = asking('platform')): Promise<World> {
  const world = new World(document);
  await world.send(bash('p1', 'git push origin main'));
  return world;
}
/** By a process that began now, unless it is an older one. */
async function looked(world: World, { pids = [world.pid('p1')], policySince = world.clock.now() + 1 } = {}) {
  await endAbandoned({ lost: pids, listed: [] }, { ...world.gate.parts, workflow: world.gate.workflow, policySince });
  await world.rest();
}
/** As the reconciler does while the first group is there: one of fifteen in each run. */
async function lookedInTurn(world: World, runs = 15): Promise<void> {
  for (let run = 0; run < runs; run++) {
    const policySince = world.clock.now() + 1;
    const deps = { ...world.gate.parts, workflow: world.gate.workflow, policySince };
    await endAbandoned({ lost: [], listed: [world.pid('p1')] }, deps);
    await world.clock.advance(60_000);
  }
}

test('it ends as superseded, at once, and its card says so', async () => {
  const world = await waiting();
  world.gate.usePolicy(asking('infra'));
  expect(await world.click('p1', 'alice')).toMatchObject({ refusal: 'not_in_group' });
  await looked(world);
  expect(await world.decided('p1')).toMatchObject({
    outcome: 'superseded',
    message: expect.stringContaining('no longer has the group that was asked'),
  });
  expect(world.slack.titles).toEqual([expect.stringContaining('the policy changed')]);
});

test('though the process that ended it stops there', async () => {
  const world = await waiting();
  world.gate.usePolicy(asking('infra'));
  const away = { ...world.gate.workflow, completeWait: () => Promise.reject(new Error('away')) };
  const policySince = world.clock.now() + 1;
  const unended = await endAbandoned(
    { lost: [world.pid('p1')], listed: [] },
    { ...world.gate.parts, workflow: away, policySince },
  );
  expect(unended).toMatchObject([{ pid: world.pid('p1'), error: { message: 'away' } }]);
  await world.clock.advance(5 * 60_000);
  expect((await world.decided('p1')).outcome).toBe('superseded');
});

test.each([
  ['the group has other members', asking('platform'), policyOf({ approvals: '{ approvers: platform, timeout: 3d }' })],
  [
    'it may escalate to a group that is there',
    policyOf({
      approvals: '{ stages: [{ group: platform, timeout: 1h, escalateTo: security }], timeout: 3d }',
      approvers: `  platform: { ${MEMBERS}, channel: approvals }\n  security: { members: [bob], channel: security }`,
    }),
    asking('security'),
  ],
  ['silence approves it', asking('platform', ', timeoutBehavior: Approve'), asking('infra')],
])('it waits on where %s', async (_, before, after) => {
  const world = await waiting(before);
  world.gate.usePolicy(after);
  await looked(world);
  expect((await world.row('p1')).approval.status).toBe('pending');
  expect(await world.decision('p1')).toBeUndefined();
});

test('it waits on for somebody who was given a seat', async () => {
  const world = await waiting();
  const { approval } = await world.row('p1');
  await world.passOn('p1', 'alice', 'bob');
  expect(approval.status).toBe('pending');
  world.gate.usePolicy(asking('infra'));
  await looked(world);
  expect((await world.row('p1')).approval.status).toBe('pending');
});

test('one that expired in its time, whose group is gone since, is superseded', async () => {
  const world = await waiting();
  world.gate.usePolicy(asking('infra'));
  await world.clock.advance(4 * 24 * 60 * 60_000);
  expect((await world.decided('p1')).outcome).toBe('superseded');
});

test('one that expired in its time, though somebody was given a seat, expired: there was somebody to answer', async () => {
  const world = await waiting();
  await world.passOn('p1', 'alice', 'bob');
  world.gate.usePolicy(asking('infra'));
  await world.clock.advance(4 * 24 * 60 * 60_000);
  expect((await world.decided('p1')).outcome).toBe('expired');
});

test('one that was asked under a newer policy file waits on while an older process of the reconciler looks at it', async () => {
  const world = await waiting(asking('infra'));
  const policySince = world.clock.now();
  world.gate.usePolicy(asking('platform'));
  await looked(world, { policySince });
  await world.clock.advance(14 * 60_000);
  await looked(world, { policySince });
  expect((await world.row('p1')).approval.status).toBe('pending');
  await world.clock.advance(60_000);
  await looked(world, { policySince });
  expect((await world.decided('p1')).outcome).toBe('superseded');
});

test('a hundred that wait on keep no other waiting for long', async () => {
  const world = await waiting();
  world.gate.usePolicy(asking('infra'));
  const pids = [...Array.from({ length: 250 }, (_, index) => `waits-on-${index}`), world.pid('p1')];
  for (let run = 0; run < 3; run++) {
    await looked(world, { pids });
    await world.clock.advance(60_000);
  }
  expect((await world.decided('p1')).outcome).toBe('superseded');
});

test('a gate in memory ends it within a minute of the new policy file', async () => {
  const world = await waiting();
  await world.clock.advance(10 * 60_000);
  world.gate.usePolicy(asking('infra'));
  await world.clock.advance(60_000);
  expect((await world.decided('p1')).outcome).toBe('superseded');
});

describe('a question whose groups lost people', () => {
  const stages = (text: string, groups: Record<string, string>, more = '') =>
    policyOf({
      approvals: `{ stages: [${text}], timeout: 3d${more} }`,
      approvers: Object.entries(groups)
        .map(([name, members]) => `  ${name}: { members: [${members}], channel: approvals }`)
        .join('\n'),
    });
  const two = '{ group: platform, quorum: 2 }';
  const inTurn = '{ group: platform }, { group: security }';

  test('ends as superseded where fewer are left than its quorum', async () => {
    const world = await waiting(stages(two, { platform: 'alice, bob' }));
    world.gate.usePolicy(stages(two, { platform: 'alice, olga' }));
    await lookedInTurn(world);
    expect(await world.decided('p1')).toMatchObject({
      outcome: 'superseded',
      message: expect.stringContaining('no longer has enough people'),
    });
    expect((await world.audit('p1')).map(({ detail }) => detail)).toContain(
      'stage 1, platform: too few people are left in the policy file',
    );
  });

  test('waits on where those who are left and those who voted are enough', async () => {
    const world = await waiting(stages(two, { platform: 'alice, bob' }));
    await world.click('p1', 'alice');
    world.gate.usePolicy(stages('{ group: platform }', { platform: 'bob' }));
    await lookedInTurn(world);
    expect((await world.row('p1')).approval.status).toBe('pending');
    await world.click('p1', 'bob');
    expect(await world.decision('p1')).toBeDefined();
  });

  test('waits on where somebody voted under the file of before while it was looked at', async () => {
    const before = stages(two, { platform: 'alice, bob' });
    const world = await waiting(before);
    world.gate.usePolicy(stages(two, { platform: 'alice, olga' }));
    const { parts, workflow } = world.gate;
    const read = async () => {
      await world.click('p1', 'bob');
      return parts.delegations.read();
    };
    const deps = {
      ...parts,
      workflow,
      policySince: world.clock.now() + 1,
      delegations: { ...parts.delegations, read },
    };
    world.gate.usePolicy(before);
    await endAbandoned({ lost: [world.pid('p1')], listed: [] }, deps);
    await world.rest();
    expect((await world.row('p1')).approval.status).toBe('pending');
  });

  test('waits on for somebody who said "not me" and may still vote', async () => {
    const world = await waiting(stages('{ group: platform }', { platform: 'alice' }));
    await world.passOn('p1', 'alice');
    await lookedInTurn(world);
    expect((await world.row('p1')).approval.status).toBe('pending');
  });

  test('ends at once where the group of a later stage is gone', async () => {
    const world = await waiting(stages(inTurn, { platform: 'alice', security: 'bob' }));
    world.gate.usePolicy(stages('{ group: platform }', { platform: 'alice' }));
    await lookedInTurn(world);
    expect((await world.decided('p1')).outcome).toBe('superseded');
    expect((await world.audit('p1')).map(({ detail }) => detail)).toContain(
      'stage 2, security, which is no longer in the policy file',
    );
  });

  test('ends though its first stage has approved, and the later stage lost its people', async () => {
    const world = await waiting(stages(inTurn, { platform: 'alice', security: 'bob' }));
    await world.click('p1', 'alice');
    world.gate.usePolicy(stages(inTurn, { platform: 'alice', security: 'olga, alice' }));
    await lookedInTurn(world);
    expect((await world.decided('p1')).outcome).toBe('superseded');
  });

  test('waits on where a Slack user group has to answer, whose members nobody knows beforehand', async () => {
    const group = '  platform: { userGroup: S0PLATFORM, channel: approvals }';
    const world = await waiting(policyOf({ approvals: '{ approvers: platform, timeout: 3d }', approvers: group }));
    await lookedInTurn(world);
    expect((await world.row('p1')).approval.status).toBe('pending');
  });
});

test('an identical call asks by itself once the row of the one that it followed is gone, as after a restored table', async () => {
  const world = new World();
  await world.send(bash('p0'));
  await world.send(bash('p1'));
  expect((await world.row('p1')).approval.follows).toBe(world.pid('p0'));
  expect(world.slack.cards.size).toBe(1);
  await lookedInTurn(world);
  expect(world.slack.cards.size).toBe(1);
  const { approvals, proposals } = world.gate.parts.state;
  for (const rows of [approvals, proposals]) rows.delete(world.pid('p0'));
  await lookedInTurn(world);
  expect(world.slack.cards.size).toBe(2);
  await world.click('p1', 'alice');
  expect(await world.decided('p1')).toMatchObject({ outcome: 'approved' });
  expect(world.faults).toEqual([]);
});
