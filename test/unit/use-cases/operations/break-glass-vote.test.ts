/**
 * Checks break-glass: an operator can do all that a click can, under the same rules.
 *
 * Covers in whose name the question is, too (A5, A24, D23, D31, D34).
 */
import { describe, expect, test } from 'vitest';
import { choice, choicePolicy, flow, space } from '../choice-world.ts';
import { bash, PEOPLE, policyOf, World } from '../world.ts';

let operations = 0;
const decide = async (world: World, proposalId: string, vote: Record<string, unknown>, operator = 'oncall') => {
  const operation = { kind: 'decide', operationId: `d${++operations}`, agent: 'coder', proposalId, reason: 'no Slack' };
  world.gate.operateAs(operator, JSON.stringify({ ...operation, ...vote }));
  await world.rest();
  const [record] = await world.look.audit.recent('-operations', 1);
  await world.clock.advance(1);
  return record?.entry.reasonCode;
};

describe('an operator', () => {
  test('edits: the changed call goes through all rules; a deny and a protected path win', async () => {
    const world = new World();
    for (const [id, command, outcome] of [
      ['p1', 'git status -s', 'approved'],
      ['p2', 'rm -rf build', 'denied'],
      ['p3', 'cat .env', 'denied'],
    ] as const) {
      await world.send(bash(id));
      expect(await decide(world, id, { choice: 'edit', input: { command } })).toBe('vote_edit');
      expect(await world.decided(id)).toMatchObject({ outcome });
    }
    expect((await world.decided('p1')).calls[0]?.effective?.input).toEqual({ command: 'git status -s' });
    expect(world.slack.notices.join('\n')).toContain('Bob (operator oncall): edit coder p1. Done. Reason: ');
  });

  test('G20 says what it said to the question that was asked then: not to what an edit made of it', async () => {
    const policy = policyOf({ approvals: '{ stages: [{ group: platform, quorum: 2 }], timeout: 1h }' });
    const world = new World(policy);
    await world.send(bash('p1'));
    const approve = { choice: 'approve', operationId: 'once' };
    expect(await decide(world, 'p1', approve)).toBe('vote_approve');
    await world.edit('p1', 'alice', { command: 'git push --force origin prod' });
    expect((await world.row('p1')).approval).toMatchObject({ round: 2, status: 'pending', votes: [] });
    for (const late of [approve, { choice: 'approve' }, { choice: 'respond', answer: 'yes' }])
      expect(await decide(world, 'p1', late)).toBe('stale_digest');
    expect((await world.row('p1')).approval.votes).toEqual([]);
    expect(await decide(world, 'p1', { choice: 'approve', round: 2 })).toBe('vote_approve');
  });

  test('answers instead of the call, and the question of an agent', async () => {
    const world = new World();
    await world.send(bash('p1'));
    expect(await decide(world, 'p1', { choice: 'respond', answer: 'Use the release script.' })).toBe('vote_respond');
    expect(await world.decided('p1')).toMatchObject({ outcome: 'answered' });
    await world.send({ kind: 'input-request', proposalId: 'p2', question: 'Where?', choices: ['eu', 'us'] });
    expect(await decide(world, 'p2', { choice: 'respond', answer: 'mars' })).toBe('unknown_answer');
    expect(await decide(world, 'p2', { choice: 'respond', answer: 'eu' })).toBe('vote_respond');
    expect(await world.decided('p2')).toMatchObject({ outcome: 'answered', answer: 'eu' });
  });

  test('decides single calls of a batch by their ids', async () => {
    const world = new World();
    const calls = ['c1', 'c2', 'c3'].map((id) => ({ id, toolName: 'Bash', input: { command: `git push ${id}` } }));
    await world.send({ kind: 'tool-call', proposalId: 'p1', calls });
    expect(await decide(world, 'p1', { choice: 'approve', calls: ['c9'] })).toBe('unknown_call');
    expect(await decide(world, 'p1', { choice: 'approve', calls: ['c1', 'c3'] })).toBe('vote_approve');
    expect(await decide(world, 'p1', { choice: 'reject', calls: ['c2'] })).toBe('vote_reject');
    const { calls: decided } = await world.decided('p1');
    expect(decided.map(({ id, outcome }) => [id, outcome])).toEqual([
      ['c1', 'approved'],
      ['c2', 'denied'],
      ['c3', 'approved'],
    ]);
  });

  test('names another action by its flow, and none where several are of that flow', async () => {
    const world = new World(choicePolicy());
    const release = (escrow: string) => flow('release_escrow', { instance_bindings: { Escrow: [escrow] } });
    const actions = [flow('update_status'), release('one'), release('all'), flow('cancel_order')];
    await world.send(choice('c1', 'person', { actionSpace: { ...space(), actions } }));
    expect(await decide(world, 'c1', { choice: 'substitute', flow: 'release_escrow' })).toBe('several_actions');
    expect((await world.row('c1')).approval.votes).toEqual([]);
    expect(await decide(world, 'c1', { choice: 'substitute', flow: 'cancel_order' })).toBe('vote_substitute');
    expect(await world.decided('c1')).toMatchObject({ answer: { flow_id: 'cancel_order' } });
  });

  test('is held to the rules of a click: not the owner, no other action, nothing that nobody could judge', async () => {
    const world = new World();
    await world.send(bash('p1'));
    expect(await decide(world, 'p1', { choice: 'approve' }, 'owner')).toBe('owner_cannot_approve');
    expect(await decide(world, 'p1', { choice: 'substitute', flow: 'any' })).toBe('unknown_action');
    await world.send(bash('p2', `git push https://api.example/ghp_${'a1B2'.repeat(9)}/x`));
    expect(await decide(world, 'p2', { choice: 'approve' })).toBe('not_offered');
    expect(await decide(world, 'p2', { choice: 'reject' })).toBe('vote_reject');
  });
});

describe('in whose name', () => {
  const document = policyOf({ agents: '  coder: { owner: olga, requesters: [alice] }' });

  test('a listed person is, may not approve it, and is shown', async () => {
    const world = new World(document);
    await world.send({ ...bash('p1'), requester: 'alice' });
    expect((await world.row('p1')).approval.requester).toEqual(PEOPLE.alice);
    expect(await world.click('p1', 'alice')).toMatchObject({ refusal: 'requester_cannot_approve' });
    expect(await world.click('p1', 'olga')).toMatchObject({ refusal: 'owner_cannot_approve' });
    expect(JSON.stringify([...world.slack.cards.values()])).toContain('in the name of Alice');
    expect(await world.click('p1', 'bob')).toMatchObject({ kind: 'counted' });
  });

  test('the owner is where nobody is named; somebody who is not listed is nobody', async () => {
    const world = new World(document);
    await world.send(bash('p1'));
    expect((await world.row('p1')).approval.requester).toEqual(PEOPLE.olga);
    await world.send({ ...bash('p2'), requester: 'bob' });
    expect(await world.decided('p2')).toMatchObject({ outcome: 'error', reasonCode: 'unlisted_requester' });
  });

  test('who is asked does not count them: an ask that only they could answer is said at once', async () => {
    const approvers = '  platform: { members: [alice, olga], channel: approvals }';
    const world = new World(policyOf({ agents: '  coder: { owner: olga, requesters: [alice] }', approvers }));
    await world.send({ ...bash('p1'), requester: 'alice' });
    expect(await world.decided('p1')).toMatchObject({ outcome: 'error', reasonCode: 'no_approvers' });
  });

  test('they confirm it themselves where the tool says so (D34), and nobody else does', async () => {
    const more = 'tools: { Delete: { permissions: [Sensitive], stages: [{ by: requester }] } }';
    const world = new World(
      policyOf({ agents: '  coder: { owner: olga, requesters: [alice] }', ask: ['Delete'], more }),
    );
    await world.send({ kind: 'tool-call', proposalId: 'p1', toolName: 'Delete', input: { id: 1 }, requester: 'alice' });
    expect(await world.click('p1', 'olga')).toMatchObject({ refusal: 'not_the_requester' });
    expect(await world.click('p1', 'alice')).toMatchObject({ kind: 'counted' });
  });

  test('identical calls in two people’s names do not share an approval', async () => {
    const world = new World(document);
    await world.send(bash('p1'));
    await world.send({ ...bash('p2'), requester: 'alice' });
    await world.send(bash('p3'));
    expect((await world.row('p2')).approval.follows).toBeUndefined();
    expect((await world.row('p3')).approval.follows).toBe(world.pid('p1'));
  });
});

describe('an edit of high severity (D16, D23, D31)', () => {
  const tools = 'tools: { Deploy: { permissions: [Execute], severity: high } }';
  const deploy = { kind: 'tool-call', proposalId: 'p1', toolName: 'Deploy', input: { to: 'prod' } };
  const offers = async (members: string) => {
    const approvers = `  platform: { members: [${members}], channel: approvals }`;
    const world = new World(policyOf({ approvers, ask: ['Deploy'], more: tools }));
    await world.send(deploy);
    return { world, offers: (await world.row('p1')).approval.question.offers };
  };

  test('is not offered where nobody would be left to approve it', async () => {
    const { world, offers: offered } = await offers('alice, bob');
    expect(offered).not.toContain('edit');
    expect(await decide(world, 'p1', { choice: 'edit', input: { to: 'test' } })).toBe('not_offered');
    await world.click('p1', 'alice');
    await world.click('p1', 'bob');
    expect(await world.decided('p1')).toMatchObject({ outcome: 'approved' });
  });
});
