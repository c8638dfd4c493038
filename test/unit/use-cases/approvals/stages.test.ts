/**
 * Checks stages, quorum, escalation, edits, answers and shared cards.
 *
 * Single calls of a batch are answered alone, and identical calls share a card (D23, D31, A9, A24, G26).
 */
import { expect, test } from 'vitest';
import { listedCalls, someModal } from '../../../../shared/adapters/slack/cards/modals.ts';
import { sourceOf } from '../../../../shared/adapters/slack/posting/source.ts';
import { CountersignClient } from '../../../../shared/client/client.ts';
import type { EmittedEvent } from '../../../../shared/ports/gate-events.ts';
import type { PeopleDirectory } from '../../../../shared/ports/people.ts';
import {
  edit,
  mayAnswer,
  type VotingDependencies,
  vote,
} from '../../../../shared/use-cases/approvals/voting/cast-vote.ts';
import { withEvents } from '../../../../shared/use-cases/audit/emit-events.ts';
import { bash, PEOPLE, policyOf, World } from '../world.ts';

const MINUTE = 60_000;
const HIGH = policyOf({ ask: ["{ rule: 'Bash(git push:*)', severity: high }"] });

const editing = async (
  world: World,
  who: keyof typeof PEOPLE,
  command: string,
  id = 'p1',
  gate: VotingDependencies = world.gate.parts,
) => editingWith(world, who, JSON.stringify({ command }), id, gate);

const editingWith = async (
  world: World,
  who: keyof typeof PEOPLE,
  input: string,
  id = 'p1',
  gate: VotingDependencies = world.gate.parts,
) => {
  const { approval } = await world.row(id);
  const voted = await edit(
    {
      pid: approval.pid,
      person: PEOPLE[who],
      isBot: false,
      requestId: world.ids.next(),
      questionDigest: approval.question.digest,
      via: 'slack',
      callId: 'call',
      input,
    },
    gate,
  );
  await world.rest();
  return voted;
};

test('high severity: two different people, and neither twice (G26)', async () => {
  const world = new World(HIGH);
  await world.send(bash('p1'));
  await world.click('p1', 'alice');
  expect(await world.decision('p1')).toBeUndefined();
  expect(await world.click('p1', 'alice')).toMatchObject({ refusal: 'already_voted' });
  await world.click('p1', 'bob');
  expect(await world.decided('p1')).toMatchObject({
    outcome: 'approved',
    decidedBy: { type: 'human', id: 'T0DEMO/U0ALICE,T0DEMO/U0BOB' },
  });
});

test('two stages: the second group is asked, in its channel, when the first has approved', async () => {
  const world = new World(
    policyOf({ approvals: '{ stages: [{ group: platform }, { group: security }], timeout: 1h }' }),
  );
  await world.send(bash('p1'));
  expect([...world.slack.cards.keys()]).toEqual([expect.stringContaining('C0APPROVALS')]);
  await world.click('p1', 'alice');
  expect((await world.row('p1')).approval).toMatchObject({ status: 'pending', stage: 1 });
  expect([...world.slack.cards.keys()].some((key) => key.startsWith('C0SECURITY'))).toBe(true);
  await world.click('p1', 'bob');
  expect((await world.decided('p1')).outcome).toBe('approved');
});

test.each([
  ['and answers last', 0],
  ['and answers first', 10_000],
])('an update that Slack takes after that of a later stage %s is drawn over', async (_, laterMs) => {
  const approvals = '{ stages: [{ group: platform, remind: 4m }, { group: security }], timeout: 1h }';
  const world = new World(policyOf({ approvals }));
  await world.send(bash('p1'));
  const { update } = world.slack;
  const waits = (ms: number) => new Promise<void>((resolve) => world.clock.after(ms, resolve));
  let updates = 0;
  world.slack.update = async (at, card) => {
    updates += 1;
    const isFirst = updates === 1;
    if (isFirst) await waits(5_000);
    const isThere = await update.call(world.slack, at, card);
    if (updates === 2 && !isFirst) await waits(laterMs);
    return isThere;
  };
  await world.clock.advance(4 * MINUTE);
  expect(updates, 'of the reminder').toBe(1);
  await world.click('p1', 'alice');
  expect((await world.row('p1')).approval).toMatchObject({ version: 2, stage: 1 });
  const shown = () => JSON.stringify([...world.slack.cards].find(([at]) => at.startsWith('C0APPROVALS')));
  const wanted = shown();
  await world.clock.advance(6_000);
  await world.clock.advance(20_000);
  expect(updates).toBeGreaterThan(2);
  expect(shown()).toBe(wanted);
  expect(shown()).toContain('platform approved (Alice)');
});

test('reminders, then an escalation after which the next group may answer, each told once (A9)', async () => {
  const approvers =
    '  platform: { members: [alice], channel: approvals }\n  security: { members: [bob], channel: security }';
  const approvals = '{ stages: [{ group: platform, timeout: 10m, remind: 4m, escalateTo: security }], timeout: 1h }';
  const world = new World(policyOf({ approvers, approvals }));
  await world.send(bash('p1'));
  expect(await world.click('p1', 'bob')).toMatchObject({ refusal: 'not_in_group' });
  await world.clock.advance(12 * MINUTE);
  // The channel that did not answer is told loudly. The other one gets its new card, and no other message.
  const escalation =
    '<@U0ALICE> platform did not answer in time: security are asked as well about git push origin main of coder; anybody of either group may answer. Until 09:20 UTC.';
  expect(world.slack.thread.filter((text) => text.includes('asked as well'))).toEqual([escalation]);
  expect(world.slack.notices).toEqual([]);
  expect(JSON.stringify([...world.slack.cards].find(([at]) => at.startsWith('C0SECURITY'))?.[1].blocks)).toContain(
    'platform did not answer in time',
  );
  expect(
    world.slack.thread.filter((text) =>
      text.includes('Reminder for platform: git push origin main of coder still waits'),
    ),
  ).toHaveLength(2);
  expect((await world.row('p1')).approval.escalated).toBe(true);
  await world.click('p1', 'bob');
  expect((await world.decided('p1')).outcome).toBe('approved');
});

test('the card of a group that shares its channel with those it escalates to tells of it as well', async () => {
  const approvers =
    '  platform: { members: [alice], channel: approvals }\n  security: { members: [bob], channel: approvals }';
  const approvals = '{ stages: [{ group: platform, timeout: 10m, escalateTo: security }], timeout: 1h }';
  const world = new World(policyOf({ approvers, approvals }));
  await world.send(bash('p1'));
  await world.clock.advance(12 * MINUTE);
  const [card] = [...world.slack.cards.values()];
  expect(JSON.stringify(card?.blocks)).toContain('platform did not answer in time');
});

test('a stage that nobody answers in time ends as expired, and is no refusal (G21)', async () => {
  const world = new World(policyOf({ approvals: '{ stages: [{ group: platform, timeout: 5m }], timeout: 1h }' }));
  await world.send(bash('p1'));
  await world.clock.advance(8 * MINUTE);
  expect((await world.decided('p1')).outcome).toBe('expired');
});

test('an edit that a rule allows runs as edited, on the first id; one that a rule denies is refused (D23, G23)', async () => {
  const world = new World();
  await world.send(bash('p1'));
  expect(await editing(world, 'alice', 'git status')).toMatchObject({ kind: 'counted' });
  const decision = await world.decided('p1');
  expect(decision).toMatchObject({ outcome: 'approved', decidedBy: { type: 'human', id: 'T0DEMO/U0ALICE' } });
  expect(decision.calls[0]?.effective?.input).toEqual({ command: 'git status' });
  expect(decision.calls[0]?.permit?.actionDigest).toBe(decision.calls[0]?.actionDigest);

  await world.send(bash('p2', 'git push two'));
  await editing(world, 'alice', 'rm -rf x', 'p2');
  expect(await world.decided('p2')).toMatchObject({ outcome: 'denied', reasonCode: 'edit_denied' });
});

test('an edit that asks opens another round: its editor may vote, but not at high severity', async () => {
  // A Slack user group: who is left is found out when somebody votes.
  const approvers = '  platform: { userGroup: S0PLATFORM, channel: approvals }';
  const people: PeopleDirectory = {
    accountStatus: async () => 'member',
    nameOf: async () => undefined,
    membersOf: async () => [PEOPLE.alice, PEOPLE.bob],
  };
  const ask = ["{ rule: 'Bash(git push:*)', severity: high }"];
  for (const [document, mayVote] of [
    [policyOf(), true],
    [policyOf({ approvers, ask }), false],
  ] as const) {
    const world = new World(document, { people });
    await world.send(bash('p1'));
    await editing(world, 'alice', 'git push --dry-run');
    expect((await world.row('p1')).approval).toMatchObject({ status: 'pending', round: 2, votes: [] });
    const voted = await world.click('p1', 'alice');
    expect(voted.kind).toBe(mayVote ? 'counted' : 'refused');
    if (!mayVote) expect(voted).toMatchObject({ refusal: 'editor_cannot_approve' });
    if (mayVote)
      expect((await world.decided('p1')).calls[0]?.effective?.input).toEqual({ command: 'git push --dry-run' });
  }
});

test('a withdrawal between an edit and the round that it leads to is no second end of the wait', async () => {
  const ended: EmittedEvent[] = [];
  const sink = { emit: (event: EmittedEvent) => event.name === 'ApprovalEnded' && ended.push(event) };
  const told = <Port extends object>(port: Port) =>
    withEvents({ claims: port, approvals: port, audit: port } as never, sink as never)['approvals'] as Port;
  const world = new World(policyOf(), { wrap: (name, port) => (name === 'approvals' ? told(port) : port) });
  await world.send(bash('p1'));
  const asleep: VotingDependencies = { ...world.gate.parts, resumer: { resume: async () => undefined } };
  await editing(world, 'alice', 'git push --dry-run', 'p1', asleep);
  await world.send({ kind: 'cancel', proposalId: 'c1', cancels: 'p1' });
  expect((await world.row('p1')).approval.withdrawn).toBe(true);
  expect(await world.decided('p1')).toMatchObject({ outcome: 'cancelled' });
  expect(ended.map(({ detail }) => detail['status'])).toEqual(['edited']);
});

test.each([
  ['somebody else is told that the card changed', 'bob', 'approve', 'stale_digest'],
  ['a form is not opened either, for the same reason', 'bob', 'form', 'stale_digest'],
  ['the editor, who sends the form again, that it counted', 'alice', 'approve', 'already_decided'],
] as const)('between an edit and the round that it leads to nothing is decided: %s', async (_, who, what, refusal) => {
  const world = new World();
  await world.send(bash('p1'));
  const { approval } = await world.row('p1');
  const asleep: VotingDependencies = { ...world.gate.parts, resumer: { resume: async () => undefined } };
  await editing(world, 'alice', 'git push --dry-run', 'p1', asleep);
  expect((await world.row('p1')).approval).toMatchObject({ status: 'edited', round: 1 });
  const about = { questionDigest: approval.question.digest, code: 'reject' };
  const saying = { pid: approval.pid, person: PEOPLE[who], isBot: false, requestId: 'form' };
  const result = what === 'form' ? await mayAnswer(saying, about, world.gate.parts) : await world.click('p1', who);
  expect(result).toMatchObject({ kind: 'refused', refusal });
  // A click wakes what the edit's own run did not; without one the reconciler does.
  await world.clock.advance(2 * MINUTE);
  expect((await world.row('p1')).approval).toMatchObject({ status: 'pending', round: 2, votes: [] });
});

test('an edit that the schema of the tool refuses says where, and changes nothing', async () => {
  const more = `tools:
  Deploy: { permissions: [Execute], argsSchema: { type: object, properties: { env: { enum: [test, prod] } }, required: [env], additionalProperties: false } }`;
  const world = new World(policyOf({ more }));
  await world.send({ kind: 'tool-call', proposalId: 'p1', toolName: 'Deploy', input: { env: 'prod' } });
  const voted = await editing(world, 'alice', 'x');
  expect(voted).toMatchObject({ refusal: 'invalid_edit', fields: { '/env': 'is missing' } });
  expect((await world.row('p1')).approval.version).toBe(0);
});

test.each([
  ['{\n  "command": ls\n}', 'must be JSON: look at line 2, column 14'],
  ['{ "command": "ls", }', 'must be JSON: look at line 1, column 20'],
  ['{ "command": "ls", "command": "w" }', 'must be JSON: command: the key stands there twice'],
  ['[]', 'must be a JSON object'],
  // DynamoDB takes none of these in an item.
  [`{ "a": ${'['.repeat(40)}${']'.repeat(40)} }`, 'must be nested at most 24 levels deep'],
  ['{ "a": { "": 1 } }', 'must give each argument a name'],
  ['{ "a": [1e-200] }', 'must hold no number nearer to 0 than 1e-100'],
])('an edit that cannot be read says where a person has to look: %s', async (text, problem) => {
  const world = new World();
  await world.send(bash('p1', 'git push'));
  const voted = await editingWith(world, 'alice', text);
  expect(voted).toMatchObject({ refusal: 'invalid_edit', fields: { '': problem } });
});

test('a question to a person: the answer is data, and only what was offered is one', async () => {
  const world = new World();
  await world.send({ kind: 'input-request', proposalId: 'q1', question: 'Which branch?', choices: ['main', 'dev'] });
  const { approval } = await world.row('q1');
  const say = (answer: string) =>
    vote(
      {
        pid: approval.pid,
        person: PEOPLE.alice,
        isBot: false,
        requestId: world.ids.next(),
        ballot: { choice: 'respond', answer, questionDigest: approval.question.digest, via: 'slack' },
      },
      world.gate.parts,
    );
  expect(await say('release')).toMatchObject({ refusal: 'unknown_answer' });
  expect(await say('dev')).toMatchObject({ kind: 'counted' });
  await world.rest();
  expect(await world.decided('q1')).toMatchObject({ outcome: 'answered', answer: 'dev' });
});

test('a batch is decided call by call, by explicit ids (A24)', async () => {
  const world = new World();
  const calls = ['a', 'b'].map((id) => ({ id, toolName: 'Bash', input: { command: `git push ${id}` } }));
  await world.send({ kind: 'tool-call', proposalId: 'p1', calls });
  expect(await world.click('p1', 'alice', 'approve', { calls: [{ id: 'x', choice: 'approve' }] })).toMatchObject({
    refusal: 'unknown_call',
  });
  await world.click('p1', 'alice', 'approve', { calls: [{ id: 'a', choice: 'approve' }] });
  expect(await world.decision('p1')).toBeUndefined();
  await world.click('p1', 'alice', 'approve', { calls: [{ id: 'b', choice: 'reject', reason: 'not b' }] });
  expect((await world.decided('p1')).calls.map(({ outcome }) => outcome)).toEqual(['approved', 'denied']);
});

test('Approve some lists what still waits for the person: not what they, or all who are needed, said something about', async () => {
  const world = new World(HIGH);
  const calls = ['a', 'b', 'c'].map((id) => ({ id, toolName: 'Bash', input: { command: `git push ${id}` } }));
  await world.send({ kind: 'tool-call', proposalId: 'p1', calls });
  await world.click('p1', 'alice', 'approve', { calls: [{ id: 'a', choice: 'approve' }] });
  await world.click('p1', 'bob', 'approve', { calls: [{ id: 'c', choice: 'reject', reason: 'not c' }] });
  const listedFor = async (who: keyof typeof PEOPLE) => {
    const view = await world.row('p1');
    const { question, pid } = view.approval;
    const saying = { pid, person: PEOPLE[who], isBot: false, requestId: world.ids.next() };
    const about = { questionDigest: question.digest, code: 'approve_some', some: true };
    const may = await mayAnswer(saying, about, world.gate.parts);
    if (may.kind === 'refused') return may.refusal;
    const context = { approval: pid, digest: question.digest, channel: 'C0', ts: '1.1', shown: true };
    return listedCalls(someModal(context, sourceOf(may.view), may.open));
  };
  expect(await listedFor('alice')).toEqual(['b']);
  expect(await listedFor('bob')).toEqual(['a', 'b']);
  await world.click('p1', 'alice', 'approve', { calls: [{ id: 'b', choice: 'approve' }] });
  expect(await listedFor('alice')).toBe('already_voted');
});

test('identical calls share one card; each gets its decision, and the cancel of one is not the other’s (A24)', async () => {
  const world = new World();
  for (const id of ['p1', 'p2', 'p3']) await world.send(bash(id));
  expect(world.slack.cards.size).toBe(1);
  await world.send({ kind: 'cancel', proposalId: 'c3', cancels: 'p3' });
  expect((await world.decided('p3')).outcome).toBe('cancelled');
  await world.click('p1', 'alice');
  for (const id of ['p1', 'p2']) expect((await world.decided(id)).outcome).toBe('approved');
  const permits = await Promise.all(
    ['p1', 'p2'].map(async (id) => (await world.decided(id)).calls[0]?.permit?.permitId),
  );
  expect(new Set(permits).size).toBe(2);
  await world.clock.advance(5 * MINUTE);
  expect(await world.look.approvals.due(Number.MAX_SAFE_INTEGER, 5)).toEqual([]);
});

test.each([0, 500, 20_000])('G21 who follows is not approved %d ms after the end of its own wait', async (late) => {
  const world = new World(undefined, { reconcileEveryMs: 0 });
  const end = world.clock.now() + 10_000;
  await world.send(bash('p1'));
  await world.send(bash('p2', undefined, { expiresAt: new Date(end).toISOString() }));
  expect((await world.row('p2')).approval.follows).toBe(world.pid('p1'));
  // The approval's own time-out is late, as that of a throttled execution is.
  world.gate.workflow.stop();
  await world.clock.advance(10_000 + late);
  expect((await world.click('p1', 'alice')).kind).toBe('counted');
  for (let round = 0; round < 2; round++) {
    await world.clock.advance(61_000);
    await world.gate.reconcile();
    await world.rest();
  }
  expect(await world.decision('p1')).toMatchObject({ outcome: 'approved' });
  expect(await world.decision('p2')).toMatchObject({ outcome: 'expired' });
});

test('a cancelled lead leaves the other asking by itself', async () => {
  const world = new World();
  for (const id of ['p1', 'p2']) await world.send(bash(id));
  await world.send({ kind: 'cancel', proposalId: 'c1', cancels: 'p1' });
  expect(await world.decision('p2')).toBeUndefined();
  expect((await world.row('p2')).cards).toHaveLength(1);
  await world.click('p2', 'bob');
  expect((await world.decided('p2')).outcome).toBe('approved');
});

test('fifty votes at once on one approval: one decision (G18)', async () => {
  const world = new World();
  await world.send(bash('p1'));
  const votes = await Promise.all(
    Array.from({ length: 50 }, (_, n) => world.click('p1', n % 2 ? 'alice' : 'bob', n % 3 ? 'approve' : 'reject')),
  );
  expect(votes.filter(({ kind }) => kind === 'counted')).toHaveLength(1);
  expect((await world.audit('p1')).filter(({ type }) => type === 'decided')).toHaveLength(1);
});

test('a wrapped tool runs with what the person made of its input, and a decision about another input runs nothing (D23)', async () => {
  const world = new World();
  let asked = false;
  const client = new CountersignClient({
    ...world.gate.agentSide('coder'),
    queueUrl: '',
    auditTable: '',
    newId: () => 'e1',
    sleep: async () => {
      await world.rest();
      if (asked) return;
      asked = true;
      await editing(world, 'alice', 'git status', 'e1');
    },
  });
  const ran: unknown[] = [];
  await client.gate('Bash', (input: { command: string }) => ran.push(input))({ command: 'git push' });
  expect(ran).toEqual([{ command: 'git status' }]);

  const decision = await world.decided('e1');
  const forged = { ...decision, calls: decision.calls.map((call) => ({ ...call, effective: undefined })) };
  expect(() => client.assertRunnable(forged, 'e1', { toolName: 'Bash', input: { command: 'git push' } })).toThrow(
    'another action',
  );
});
