/**
 * Checks that requests without Slack's signature get a 401 and write nothing (A23, G19).
 *
 * Signed requests that come again change nothing.
 */
import { beforeAll, describe, expect, it } from 'vitest';
import { localFunctionUrl } from '../../local/endpoint/index.ts';
import { e2eGate } from '../gate.ts';
import { type Agent, agentNamed } from '../harness/agents.ts';
import { allRows, approvalOf, entriesOf } from '../harness/rows.ts';
import { ALICE, APPROVALS, approve, BOB, type Card, cardOf, cardSays, reject } from '../harness/slack.ts';

let builder: Agent;
let id: string;
let pid: string;
let card: Card;
let body: string;

/** A click as Slack would send it, recorded without being taken. */
beforeAll(async () => {
  builder = await agentNamed('builder');
  id = await builder.run('git push origin signed');
  pid = builder.pid(id);
  card = await cardOf(pid);
  const { slack, endpoint, outputs } = await e2eGate();
  slack.setRequestUrl('http://127.0.0.1:9/');
  const { entry } = await approve(ALICE, card);
  body = entry?.body ?? '';
  slack.setRequestUrl(localFunctionUrl(endpoint, outputs.SlackRequestUrl));
});

/** Messages about this approval: cards of others that wait their turn may come to the channel at any time. */
async function postedHere(): Promise<unknown[]> {
  const { slack } = await e2eGate();
  const isHere = (message: { readonly thread_ts?: string | undefined }) =>
    message.thread_ts === card.ts || JSON.stringify(message).includes(pid);
  return slack.messages(APPROVALS).filter(isHere);
}

/** Entries that people cause in Slack, and all of this approval: time and the gate may end others at any moment. */
async function written(): Promise<unknown[]> {
  const { outputs } = await e2eGate();
  const rows = await allRows(outputs.AuditTable);
  return rows.filter(({ pk, sk }) => /^(vote|click|pass)\b/.test(String(sk)) || String(pk).endsWith(`#${pid}`));
}

const SECOND = 1;
const now = () => Math.floor(Date.now() / 1_000);

describe('a request that is not signed by Slack now', () => {
  const cases: readonly [string, (sign: Sign) => Record<string, string>][] = [
    ['without a signature', () => ({ 'content-type': 'application/x-www-form-urlencoded' })],
    ['signed with another secret', (sign) => sign(body, { secret: 'not-the-secret' })],
    ['signed for other bytes', (sign) => sign(`${body}&more=1`)],
    ['signed six minutes ago', (sign) => sign(body, { timestamp: now() - 360 * SECOND })],
    ['dated six minutes ahead', (sign) => sign(body, { timestamp: now() + 360 * SECOND })],
    ['dated a day ahead', (sign) => sign(body, { timestamp: now() + 86_400 * SECOND })],
    ['whose time is no number', (sign) => ({ ...sign(body), 'x-slack-request-timestamp': 'now' })],
    ['with an empty signature', (sign) => ({ ...sign(body), 'x-slack-signature': '' })],
  ];
  type Sign = Awaited<ReturnType<typeof e2eGate>>['slack']['sign'];

  it.each(cases)('%s gets 401, and nothing is written or posted', async (_, headersOf) => {
    const { slack } = await e2eGate();
    // Without when it is looked at again, which `slack-out` writes a moment after it has posted the card.
    const before = { record: await written(), approval: (await approvalOf(pid))?.approval };
    expect(before.record).not.toEqual([]);
    const posted = await postedHere();
    expect(posted).not.toEqual([]);
    const entry = await slack.sendRaw({ body, headers: headersOf(slack.sign) });
    expect(entry.status).toBe(401);
    expect(entry.responseBody).toBe('');
    expect(await written()).toEqual(before.record);
    expect((await approvalOf(pid))?.approval).toEqual(before.approval);
    expect(await postedHere()).toEqual(posted);
  });

  it('larger than 256 KB gets 413 before anything is checked', async () => {
    const { slack } = await e2eGate();
    const large = `payload=${'x'.repeat(257 * 1024)}`;
    expect((await slack.sendRaw({ body: large, headers: slack.sign(large) })).status).toBe(413);
  });
});

it('a signed request that is no interaction of ours is answered without a trace', async () => {
  const { slack } = await e2eGate();
  const before = await written();
  for (const strange of ['payload=%7Bnot+json', 'payload=%5B%5D', 'payload=%7B%22type%22%3A%22block_actions%22%7D']) {
    const entry = await slack.sendRaw({ body: strange, headers: slack.sign(strange) });
    expect(entry.status).toBeGreaterThanOrEqual(400);
  }
  expect(await written()).toEqual(before);
});

it('a recorded click that is sent again decides once, and each repetition is audited once', async () => {
  const { slack } = await e2eGate();
  const { entry } = await approve(ALICE, card);
  if (!entry) throw new Error('the click was not sent');
  const decision = await builder.wait(id);
  expect(decision).toMatchObject({ outcome: 'approved', decidedBy: { id: 'T0E2E/U0ALICE' } });
  await cardSays(pid, 'Approved');
  // The card's thread is told a little later than the card itself is drawn.
  const decided = (await approvalOf(pid))?.approval;
  expect(decided?.status).toBe('approved');
  expect((await slack.replay(entry)).status).toBe(200);
  expect((await slack.replay(entry)).status).toBe(200);
  expect((await approvalOf(pid))?.approval).toEqual(decided);
  expect(await entriesOf('builder', pid, 'vote')).toHaveLength(1);
  expect(await entriesOf('builder', pid, 'click')).toMatchObject([{ accepted: false, reasonCode: 'already_decided' }]);
});

it('recorded requests that come in another order decide nothing again: each is refused and on the record', async () => {
  const { slack, endpoint, outputs } = await e2eGate();
  const asked = async (command: string) => {
    const proposal = await builder.run(command);
    const of = builder.pid(proposal);
    return { proposal, pid: of, card: await cardOf(of) };
  };
  const [early, late, swapped] = [
    await asked('git push early'),
    await asked('git push late'),
    await asked('git push swap'),
  ];
  const from = slack.requestLog.length;
  await approve(ALICE, early.card);
  await approve(BOB, early.card);
  expect((await reject(BOB, late.card, 'Not now.')).ok).toBe(true);
  await approve(ALICE, late.card);
  // Two clicks that Slack sent and the network kept: they arrive the other way round.
  const here = localFunctionUrl(endpoint, outputs.SlackRequestUrl);
  slack.setRequestUrl('http://127.0.0.1:9/');
  const [first, second] = [await approve(ALICE, swapped.card), await approve(BOB, swapped.card)];
  slack.setRequestUrl(here);
  for (const { entry } of [second, first]) if (entry) await slack.replay({ ...entry, url: here });
  const three = [early, late, swapped];
  const decisions = await Promise.all(three.map(({ proposal }) => builder.wait(proposal)));
  expect(decisions.map(({ outcome, decidedBy }) => [outcome, decidedBy.id])).toEqual([
    ['approved', 'T0E2E/U0ALICE'],
    ['denied', 'T0E2E/U0BOB'],
    ['approved', 'T0E2E/U0BOB'],
  ]);

  const rows = async () => (await Promise.all(three.map((one) => approvalOf(one.pid)))).map((view) => view?.approval);
  const before = await rows();
  const recorded = slack.requestLog.slice(from).filter(({ kind }) => kind !== 'replay');
  expect(recorded.map(({ kind }) => kind)).toContain('view_submission');
  const odd = recorded.filter((_, index) => index % 2);
  for (const entry of [...recorded.toReversed(), ...odd])
    expect((await slack.replay({ ...entry, url: here })).status).toBe(200);
  expect(await rows()).toEqual(before);
  for (const [index, { pid: of, proposal }] of three.entries()) {
    expect(await builder.wait(proposal)).toEqual(decisions[index]);
    expect(await entriesOf('builder', of, 'vote')).toHaveLength(1);
    const refused = await entriesOf('builder', of, 'click');
    expect(new Set(refused.map(({ accepted, reasonCode }) => `${accepted} ${reasonCode}`))).toEqual(
      new Set(['false already_decided']),
    );
    // One entry for each recorded request, however often it came; the one that counted is among them now.
    expect(refused).toHaveLength([2, 3, 2][index] ?? 0);
  }
});

it('the same bytes under a signature of five minutes ago are refused as old', async () => {
  const { slack } = await e2eGate();
  const recorded = slack.requestLog.findLast(({ kind, status }) => kind === 'block_actions' && status === 200);
  if (!recorded) throw new Error('no click was recorded');
  const headers = slack.sign(recorded.body, { timestamp: now() - 301 * SECOND });
  expect((await slack.sendRaw({ body: recorded.body, headers })).status).toBe(401);
});
