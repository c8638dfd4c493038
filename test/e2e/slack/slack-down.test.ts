/**
 * Checks that nothing fails while Slack is away or busy, and cards are posted after (A22, G21).
 *
 * The queue hides a message for as long as it does for users: one that comes again while it is worked may be posted twice.
 */
import { afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { ACTIONS } from '../../../shared/adapters/slack/elements/actions.ts';
import { e2eGate } from '../gate.ts';
import { type Agent, agentNamed, newId, operatorNamed } from '../harness/agents.ts';
import { messagesIn, quiet } from '../harness/queues.ts';
import { deadLetterUrl } from '../harness/resources.ts';
import { approvalOf, waiting } from '../harness/rows.ts';
import { ALICE, APPROVALS, approve, cardOf, cardSays, cardsOf } from '../harness/slack.ts';
import { until } from '../harness/until.ts';

let builder: Agent;
beforeAll(async () => {
  builder = await agentNamed('builder');
});
beforeEach(() => quiet('Cards'));
afterEach(async () => {
  const { slack } = await e2eGate();
  slack.setOutage(false);
});

const posts = async () => {
  const { slack } = await e2eGate();
  return slack.apiLog.filter(({ method }) => method === 'chat.postMessage').length;
};

it('a card that could not be posted while Slack was away is posted after, once', async () => {
  const { slack } = await e2eGate();
  const id = newId();
  const pid = builder.pid(id);
  slack.setOutage(true);
  const before = await posts();
  await builder.run('git push origin outage', { proposalId: id });
  await waiting(pid);
  await until('a try', async () => (await posts()) > before);
  expect(await cardsOf(pid)).toEqual([]);
  slack.setOutage(false);
  await approve(ALICE, await cardOf(pid));
  expect(await builder.wait(id)).toMatchObject({ outcome: 'approved' });
  expect(await cardsOf(pid)).toHaveLength(1);
});

it('a busy Slack is asked again when it said, and the cards keep their order', async () => {
  const { slack } = await e2eGate();
  const before = slack.apiLog.length;
  // The first post is refused, however late it comes: a limit by the clock would be over before that on a slow endpoint.
  const ids = [newId(), newId()];
  slack.failNext('chat.postMessage', 429, { headers: { 'retry-after': '2' }, about: `busy-${ids[0]}` });
  for (const id of ids) {
    await builder.run(`git push origin busy-${id}`, { proposalId: id });
    await waiting(builder.pid(id));
  }
  const cards = [];
  for (const id of ids) cards.push(await cardOf(builder.pid(id)));
  const posted = slack.apiLog.slice(before).filter(({ method }) => method === 'chat.postMessage');
  const [refused, again] = posted.filter(({ args }) => isOf(builder.pid(ids[0] ?? ''), args));
  expect([refused?.status, again?.status]).toEqual([429, 200]);
  expect((again?.at ?? 0) - (refused?.at ?? 0)).toBeGreaterThan(1_900);
  expect(cards.map(({ ts }) => Number(ts))).toEqual(cards.map(({ ts }) => Number(ts)).toSorted((a, b) => a - b));
  for (const [index, id] of ids.entries()) {
    await approve(ALICE, cards[index] ?? { channel: APPROVALS, ts: '' });
    expect(await builder.wait(id)).toMatchObject({ outcome: 'approved' });
  }
});

const isOf = (pid: string, args: unknown): boolean => JSON.stringify(args).includes(`Approval ${pid.slice(0, 12)}`);

it('with Slack away an operator decides, and no card asks anybody when it is back', async () => {
  const { slack } = await e2eGate();
  const oncall = await operatorNamed('oncall');
  const id = newId();
  const pid = builder.pid(id);
  slack.setOutage(true);
  const before = await posts();
  await builder.run('git push origin operator', { proposalId: id });
  await until('a try', async () => (await posts()) > before);
  await oncall.say({ kind: 'decide', agent: 'builder', proposalId: id, choice: 'approve' });
  expect(await builder.wait(id)).toMatchObject({ outcome: 'approved', decidedBy: { id: 'T0E2E/U0BOB' } });
  slack.setOutage(false);
  // The announcement comes behind the card in the same channel: when it is there, the card had its turn.
  await until('the announcement', () => slack.messages(APPROVALS, ({ text }) => text.includes(id))[0]);
  await quiet('Cards');
  // The try that was under way when Slack came back may still have posted it: then it says what was decided.
  const asking = (await cardsOf(pid)).filter(({ blocks }) => JSON.stringify(blocks).includes(ACTIONS.approve));
  expect(asking).toEqual([]);
});

it('a decision does not wait for its card: the card says it when Slack is back', async () => {
  // The gate counts a vote only of an account that Slack told it of some minutes ago at most.
  await approve(ALICE, await cardOf(builder.pid(await builder.run('git push origin before'))));
  const id = await builder.run('git push origin mute');
  const pid = builder.pid(id);
  const card = await cardOf(pid);
  const { slack } = await e2eGate();
  await quiet('Cards');
  slack.setOutage(true);
  await approve(ALICE, card);
  expect(await builder.wait(id)).toMatchObject({ outcome: 'approved' });
  expect((await approvalOf(pid))?.decision).toBeDefined();
  slack.setOutage(false);
  await cardSays(pid, 'Approved');
});

it('a question that expired while Slack was away is told of in its channel, and asks nobody (G45)', async () => {
  const { slack } = await e2eGate();
  const id = newId();
  const pid = builder.pid(id);
  slack.setOutage(true);
  // Only one that was asked for a minute is told of; a cold start takes its seconds before.
  const expiresAt = new Date(Date.now() + 80_000).toISOString();
  await builder.run(`git push origin unseen-${id}`, { proposalId: id, expiresAt });
  await waiting(pid);
  expect(await builder.wait(id)).toMatchObject({ outcome: 'expired' });
  slack.setOutage(false);
  const told = () => slack.messages(APPROVALS, ({ text }) => text.includes(`unseen-${id}`));
  await until('the news', () => told().length > 0);
  expect(told().map(({ text }) => text)).toEqual([expect.stringContaining('No card could be posted here in time')]);
  expect(await cardsOf(pid)).toEqual([]);
});

it('none of it ended among the dead letters', async () => {
  expect(await messagesIn(await deadLetterUrl('Cards'))).toEqual([]);
});
