/** Tests batches whose calls people answer apart: by whom, and what becomes of the rest. */
import { describe, expect, test } from 'vitest';
import { rejectModal } from '../../../../shared/adapters/slack/cards/modals.ts';
import { sourceOf } from '../../../../shared/adapters/slack/posting/source.ts';
import type { CallVote } from '../../../../shared/contract/index.ts';
import { openTo, tallyOf } from '../../../../shared/domain/approval/approval.ts';
import { PEOPLE, policyOf, World } from '../world.ts';

const MINUTE = 60_000;
const batch = (...ids: string[]) => ({
  kind: 'tool-call',
  proposalId: 'p1',
  calls: ids.map((id) => ({ id, toolName: 'Bash', input: { command: `git push ${id}` } })),
});
const asked = async (document = policyOf(), ...ids: string[]) => {
  const world = new World(document);
  await world.send(batch(...(ids.length ? ids : ['one', 'two'])));
  return world;
};
const yes = (...ids: string[]): { calls: CallVote[] } => ({ calls: ids.map((id) => ({ id, choice: 'approve' })) });
const no = (id: string, reason?: string): { calls: CallVote[] } => ({
  calls: [{ id, choice: 'reject', ...(reason ? { reason } : {}) }],
});
const callsOf = async (world: World) => (await world.decided('p1')).calls;
const cardOf = (world: World) => [...world.slack.cards.values()].at(0);
const textOf = (world: World) => JSON.stringify(cardOf(world)?.blocks);
const two = policyOf({ approvals: '{ stages: [{ group: platform, quorum: 2 }], timeout: 1h }' });
const ALICE = 'T0DEMO/U0ALICE';
const BOB = 'T0DEMO/U0BOB';

describe('a call of a batch', () => {
  test('names those who answered about it, and nobody who answered about another', async () => {
    const world = await asked();
    await world.click('p1', 'alice', 'approve', yes('one'));
    await world.click('p1', 'bob', 'approve', no('two', 'Not now.'));
    const [one, other] = await callsOf(world);
    expect(one).toMatchObject({ outcome: 'approved', decidedBy: { id: ALICE } });
    expect(one?.permit?.allowedBy?.people?.map(({ user }) => user)).toEqual(['U0ALICE']);
    expect(other).toMatchObject({ outcome: 'denied', decidedBy: { id: BOB } });
    expect(other?.message).toMatch(/^U0BOB refused this call: Not now\./);
  });

  test('runs no longer once the one who approved it may not, whoever answered about another call', async () => {
    const world = await asked();
    await world.click('p1', 'alice', 'approve', yes('one'));
    await world.click('p1', 'bob', 'approve', no('two'));
    const [one] = await callsOf(world);
    const approvers = '  platform: { members: [bob, olga], channel: approvals }';
    world.gate.usePolicy(policyOf({ approvers: `${approvers}\n  security: { members: [bob], channel: security }` }));
    const { redeemer } = world.gate.agentSide('coder');
    const permitId = one?.permit?.permitId ?? '';
    const call = { callId: 'one', toolName: 'Bash', input: { command: 'git push one' } };
    const answer = await redeemer.redeem({ agent: 'coder', proposalId: 'p1', permitId, ...call });
    expect(answer).toMatchObject({ granted: false, error: { code: 'revoked' } });
  });

  test('tells why it was rejected where every call was, one by one', async () => {
    const world = await asked();
    await world.click('p1', 'alice', 'approve', no('one', 'Never one.'));
    await world.click('p1', 'bob', 'approve', no('two', 'Never two.'));
    expect((await callsOf(world)).map(({ message }) => message.slice(0, 40))).toEqual([
      'U0ALICE refused this call: Never one. Do',
      'U0BOB refused this call: Never two. Do n',
    ]);
  });
});

test('an identical batch that waits takes the answers of each stage to each call', async () => {
  const stages = '[{ group: platform }, { group: security }]';
  const world = await asked(policyOf({ approvals: `{ stages: ${stages}, timeout: 1h }` }));
  await world.send({ ...batch('one', 'two'), proposalId: 'p2' });
  await world.click('p1', 'alice');
  await world.click('p1', 'bob', 'approve', { calls: [...yes('one').calls, ...no('two', 'Not now.').calls] });
  for (const id of ['p1', 'p2'])
    expect((await world.decided(id)).calls).toMatchObject([
      { outcome: 'approved', decidedBy: { id: `${ALICE},${BOB}` } },
      { outcome: 'denied', decidedBy: { id: BOB } },
    ]);
  const { stage: _, ...older } = (await world.row('p2')).approval;
  expect(tallyOf(older, 'two')).toBe('rejected');
});

describe('a call that was rejected before the time of its batch was over', () => {
  const expired = async () => {
    const world = await asked();
    await world.click('p1', 'bob', 'approve', no('two', 'Not now.'));
    await world.clock.advance(62 * MINUTE);
    return world;
  };

  test('is a refusal, and the rest expires', async () => {
    const world = await expired();
    expect(await callsOf(world)).toMatchObject([
      { outcome: 'expired', decidedBy: { type: 'system' } },
      { outcome: 'denied', reasonCode: 'rejected', decidedBy: { id: BOB } },
    ]);
    expect((await world.decided('p1')).message).toMatch(/^U0BOB refused this call: Not now\./);
    expect(textOf(world)).toContain('rejected 2: “Not now.” · not run 1');
  });

  test('is remembered as one', async () => {
    const world = await expired();
    await world.send({ ...batch('two'), proposalId: 'p2' });
    expect(await world.decided('p2')).toMatchObject({ outcome: 'denied' });
    expect((await world.decided('p2')).message).toContain('Not now.');
  });

  test('is none by a vote that nobody cast', async () => {
    const world = await asked();
    await world.click('p1', 'bob', 'approve', no('two', 'Not now.'));
    const { approval } = await world.row('p1');
    const votes = approval.votes.map((vote) => ({ ...vote, by: { team: 'T0DEMO', user: 'U0ALICE' } }));
    const forged = { ...approval, votes, version: approval.version + 1 };
    await world.gate.parts.approvals.write(forged, undefined, world.clock.now() + MINUTE);
    await world.clock.advance(62 * MINUTE);
    expect(await world.decided('p1')).toMatchObject({ outcome: 'error', reasonCode: 'record_disagrees' });
  });
});

/** The first line of the form behind Reject, as Alice gets it. */
async function formOf(world: World): Promise<string> {
  const view = await world.row('p1');
  const { pid: approval, question } = view.approval;
  const context = { approval, digest: question.digest, channel: 'C0', ts: '1.1', shown: true };
  const form = rejectModal(context, sourceOf(view), openTo(view.approval, { person: PEOPLE.alice }));
  const [text = ''] = /You reject: [^"]*/.exec(JSON.stringify(form.blocks)) ?? [];
  return text;
}

test('a call alone is rejected by its name, and not by a number', async () => {
  expect(await formOf(await asked(policyOf(), 'one'))).toBe('You reject: git push one');
  expect(await formOf(await asked())).toBe('You reject: 1 · git push one\\n2 · git push two');
});

describe('an answer to all of a batch that is answered in part', () => {
  test('rejects the remaining calls, and none that is approved', async () => {
    const world = await asked();
    await world.click('p1', 'bob', 'approve', yes('two'));
    expect(await formOf(world)).toBe('You reject: 1 · git push one');
    expect(textOf(world)).toContain('Reject the remaining 1…');
    await world.click('p1', 'alice', 'reject', { reason: 'Not one.' });
    expect(await callsOf(world)).toMatchObject([
      { outcome: 'denied', decidedBy: { id: ALICE } },
      { outcome: 'approved', decidedBy: { id: BOB } },
    ]);
    expect((await callsOf(world))[0]?.message).toContain('Not one.');
  });

  test('approves the remaining calls, also of those who answered about others', async () => {
    const world = await asked(policyOf(), 'one', 'two', 'three');
    await world.click('p1', 'bob', 'approve', yes('two'));
    const confirm = textOf(world);
    expect(confirm).toContain('1 · git push one\\n3 · git push three\\nNobody else has to agree.');
    expect(await world.click('p1', 'bob')).toMatchObject({ kind: 'counted' });
    expect((await world.decided('p1')).outcome).toBe('approved');
  });

  test('is not offered for the session, which nobody said of the other calls', async () => {
    const world = await asked(policyOf({ ask: [] }));
    expect(textOf(world)).toContain('Approve for this session');
    await world.click('p1', 'bob', 'approve', yes('two'));
    expect(textOf(world)).not.toContain('Approve for this session');
  });

  test('is on the record as what it came to', async () => {
    const world = await asked();
    await world.click('p1', 'bob', 'approve', yes('two'));
    await world.click('p1', 'alice', 'reject');
    const votes = (await world.audit('p1')).filter(({ type }) => type === 'vote');
    expect(votes.map(({ person, reasonCode }) => [person?.user, reasonCode])).toEqual([
      ['U0BOB', 'approve'],
      ['U0ALICE', 'approve'],
    ]);
    expect((await world.row('p1')).approval.votes.at(-1)).toMatchObject({ calls: [{ id: 'one', choice: 'reject' }] });
  });

  test.each([
    ['at once', [yes('one', 'two')]],
    ['one after the other', [yes('one'), yes('two')]],
  ])('counts where somebody approved each call by itself, %s, and two are needed', async (_, answers) => {
    const world = await asked(two);
    for (const answer of answers) await world.click('p1', 'alice', 'approve', answer);
    expect(textOf(world)).toContain('Nobody else has to agree.');
    expect(textOf(world)).toContain('1 so far (Alice)');
    await world.click('p1', 'bob');
    const [one] = await callsOf(world);
    expect(one?.decidedBy.id).toBe(`${ALICE},${BOB}`);
  });
});

describe('silence about a batch of which a rule denies a call by then', () => {
  const silent = (deny: string[] = []) =>
    policyOf({ approvals: '{ approvers: platform, timeout: 1h, timeoutBehavior: Approve }', deny });

  test('lets the others run: the card says so, and the agent is not told of people', async () => {
    const world = await asked(silent());
    await world.clock.advance(10 * MINUTE);
    world.gate.usePolicy(silent(["'Bash(git push two)'"]));
    await world.clock.advance(52 * MINUTE);
    expect((await callsOf(world)).map(({ outcome }) => outcome)).toEqual(['approved', 'denied']);
    expect((await world.decided('p1')).message).toMatch(
      /^The time to answer was over, after which this call may run, but/,
    );
    expect(cardOf(world)?.text).toMatch(/^1 of 2 approved: coder/);
    expect(textOf(world)).toContain('approved 1 · not run 2');
  });
});
