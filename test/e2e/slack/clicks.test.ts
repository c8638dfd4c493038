/**
 * Checks which clicks count, and on which question (G19, G20).
 *
 * One decision results, and everybody else hears why not.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Dict } from '../../local/slack/types.ts';
import { type Agent, agentNamed } from '../harness/agents.ts';
import { atMost } from '../harness/functions.ts';
import { approvalOf, entriesOf, sortsOf } from '../harness/rows.ts';
import {
  ALICE,
  approve,
  BOB,
  CAROL,
  type Card,
  cardOf,
  cardSays,
  cardsOf,
  OLGA,
  reject,
  STRANGER,
  told,
  toldSoFar,
} from '../harness/slack.ts';
import { until } from '../harness/until.ts';

/** Four times as many as are at work at once. */
const CLICKS = 16;

let builder: Agent;
beforeAll(async () => {
  builder = await agentNamed('builder');
});

async function asked(command: string): Promise<{ id: string; pid: string; card: Card }> {
  const id = await builder.run(command);
  const pid = builder.pid(id);
  return { id, pid, card: await cardOf(pid) };
}

describe('two people who click at once', () => {
  it('make one decision; the other is told that it was decided before', async () => {
    const { id, pid, card } = await asked('git push origin race');
    const before = { [ALICE]: await toldSoFar(ALICE), [BOB]: await toldSoFar(BOB) };
    await Promise.all([approve(ALICE, card), approve(BOB, card)]);
    const decision = await builder.wait(id);
    expect(decision.outcome).toBe('approved');
    const winner = decision.decidedBy.id.split('/')[1];
    expect([ALICE, BOB]).toContain(winner);
    const loser = winner === ALICE ? BOB : ALICE;
    expect(await told(loser, before[loser] ?? 0)).toContain('decided before your click');
    await cardSays(pid, 'Approved');
    expect(await cardsOf(pid)).toHaveLength(1);
    expect(await entriesOf('builder', pid, 'vote')).toHaveLength(1);
    expect(await entriesOf('builder', pid, 'click')).toMatchObject([
      { accepted: false, reasonCode: 'already_decided', person: { user: loser } },
    ]);
  });

  it('sixteen times make one decision: whoever was not answered clicks again, and every other click is on the record', async () => {
    const { id, pid, card } = await asked('git push origin sixteen');
    const before = (await toldSoFar(ALICE)) + (await toldSoFar(BOB));
    // A person clicks again after a moment: all of them twenty times a second take the processor from the four that are at work.
    const again = async (n: number) => (await approve(n % 2 ? ALICE : BOB, card)).ok || delay(1_000, false);
    // More processes at once than this only wait for each other on a small machine.
    await atMost(4, 'slack', () =>
      Promise.all(Array.from({ length: CLICKS }, (_, n) => until(`the answer to click ${n}`, () => again(n), 100_000))),
    );
    expect(await builder.wait(id)).toMatchObject({ outcome: 'approved', decidedBy: { type: 'human' } });
    expect((await approvalOf(pid))?.approval.votes).toHaveLength(1);
    expect(await entriesOf('builder', pid, 'vote')).toHaveLength(1);
    expect(await entriesOf('builder', pid, 'decided')).toHaveLength(1);
    const others = await entriesOf('builder', pid, 'click');
    expect(others.length).toBeGreaterThanOrEqual(CLICKS - 1);
    // On a busy machine Slack does not always tell in time who somebody is: that click counts as little as a late one.
    const late = others.filter(({ reasonCode }) => reasonCode !== 'membership_unknown');
    expect(new Set(late.map(({ reasonCode }) => reasonCode))).toEqual(new Set(['already_decided']));
    const answered = (await toldSoFar(ALICE)) + (await toldSoFar(BOB)) - before;
    expect(answered).toBeGreaterThanOrEqual(CLICKS - 1);
  });

  it('against each other make one decision, whichever it is', async () => {
    const { id, pid, card } = await asked('git push origin quarrel');
    const [, refusal] = await Promise.all([approve(ALICE, card), reject(BOB, card, 'Not today.')]);
    const { outcome } = await builder.wait(id);
    expect(outcome).toBe(refusal.ok ? 'denied' : 'approved');
    expect(await entriesOf('builder', pid, 'vote')).toHaveLength(1);
    expect((await approvalOf(pid))?.approval.votes).toHaveLength(1);
  });
});

describe('a click that does not count', () => {
  const others: readonly [string, string, string, string][] = [
    ['a stranger', STRANGER, 'not_in_group', 'You are not in the group'],
    ['a member of another group', CAROL, 'not_in_group', 'You are not in the group'],
    ['the owner of the agent, who is in the group', OLGA, 'owner_cannot_approve', 'You own builder'],
  ];

  it.each(others)('of %s is refused with why, audited, and changes nothing', async (_, user, reasonCode, words) => {
    const { id, pid, card } = await asked(`git push origin by-${user}`);
    const before = await toldSoFar(user);
    await approve(user, card);
    expect(await told(user, before)).toContain(words);
    expect((await reject(user, card, 'I say no.')).ok).toBe(false);
    expect(await told(user, before + 1)).toContain(words);
    const view = await approvalOf(pid);
    expect(view?.approval).toMatchObject({ status: 'pending', version: 0, votes: [] });
    expect(await entriesOf('builder', pid, 'click')).toMatchObject([
      { accepted: false, reasonCode, person: { user } },
      { accepted: false, reasonCode, person: { user } },
    ]);
    await approve(ALICE, card);
    expect(await builder.wait(id)).toMatchObject({ outcome: 'approved' });
  });

  const forged: readonly [string, Dict, string][] = [
    ['somebody of another workspace with the same user id', { user: { team_id: 'T0OTHER' } }, 'foreign_workspace'],
    ['another app that knows the secret', { api_app_id: 'A0OTHER' }, 'foreign_card'],
    ['the message of another app', { message: { app_id: 'A0OTHER' } }, 'foreign_card'],
    ['a message in another channel', { channel: { id: 'C0RELEASES' } }, 'foreign_card'],
  ];

  it.each(forged)('from %s is refused and audited', async (_, overrides, reasonCode) => {
    const { id, pid, card } = await asked(`git push origin ${reasonCode}`);
    const before = await toldSoFar(ALICE);
    await approve(ALICE, card, overrides);
    await told(ALICE, before);
    expect((await approvalOf(pid))?.approval).toMatchObject({ status: 'pending', version: 0 });
    expect(await entriesOf('builder', pid, 'click')).toMatchObject([{ accepted: false, reasonCode }]);
    await approve(ALICE, card);
    expect(await builder.wait(id)).toMatchObject({ outcome: 'approved' });
  });

  it('on the card of another approval decides neither', async () => {
    const [one, two] = [await asked('git push origin card-one'), await asked('git push origin card-two')];
    const [cardTwo] = await cardsOf(two.pid);
    const stolen = JSON.stringify(cardTwo?.blocks).match(/"value":("(?:[^"\\]|\\.)*")/)?.[1] ?? '';
    const value = JSON.parse(stolen) as string;
    const before = await toldSoFar(ALICE);
    // The button of card two, clicked on the message of card one.
    const swap = (payload: Dict): Dict => {
      const [action] = payload['actions'] as Dict[];
      return { ...payload, actions: [{ ...action, value }] };
    };
    await approve(ALICE, one.card, swap);
    expect(await told(ALICE, before)).toContain('does not belong to the card');
    expect((await reject(ALICE, one.card, 'No to the other one.', swap)).ok).toBe(false);
    expect(await told(ALICE, before + 1)).toContain('does not belong to the card');
    for (const { pid } of [one, two]) expect((await approvalOf(pid))?.approval.status).toBe('pending');
    expect(await entriesOf('builder', two.pid, 'click')).toMatchObject([
      { reasonCode: 'foreign_card', detail: 'approve via slack' },
      { reasonCode: 'foreign_card', detail: 'reject via slack' },
    ]);
    for (const { id, card } of [one, two]) {
      await approve(BOB, card);
      expect(await builder.wait(id)).toMatchObject({ outcome: 'approved' });
    }
  });

  it('with the digest of another question is refused as stale', async () => {
    const { id, pid, card } = await asked('git push origin stale');
    const before = await toldSoFar(ALICE);
    const change = (payload: Dict): Dict => {
      const value = JSON.stringify({ approval: pid, digest: 'f'.repeat(64) });
      const message = JSON.parse(
        JSON.stringify(payload['message']).replace(
          /"value":"(?:[^"\\]|\\.)*"/g,
          () => `"value":${JSON.stringify(value)}`,
        ),
      ) as Dict;
      const [action] = payload['actions'] as Dict[];
      return { ...payload, message, actions: [{ ...action, value }] };
    };
    await approve(ALICE, card, change);
    expect(await told(ALICE, before)).toContain('does not show what would run now');
    expect(await entriesOf('builder', pid, 'click')).toMatchObject([{ reasonCode: 'stale_digest' }]);
    await approve(ALICE, card);
    expect(await builder.wait(id)).toMatchObject({ outcome: 'approved' });
  });
});

it('a click after the decision is told so and audited, and the decision stands', async () => {
  const { id, pid, card } = await asked('git push origin late');
  await approve(ALICE, card);
  const decision = await builder.wait(id);
  await cardSays(pid, 'Approved');
  const before = await toldSoFar(BOB);
  await approve(BOB, card);
  expect(await told(BOB, before)).toContain('decided before your click');
  // The row also holds why the call was allowed, which no agent reads.
  expect((await approvalOf(pid))?.decision).toMatchObject(decision);
  expect(await sortsOf('builder', pid)).toEqual(['click', 'decided', 'evaluated', 'vote']);
});
