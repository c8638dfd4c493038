/**
 * Tests that this release answers everything that the previous one left on a deployed gate.
 *
 * Approvals are answered by clicks on its own cards, and its decisions and messages of its client are read (A17, G27).
 * The rows are data (`test/contract/releases`), since the code that wrote them is gone; their workflows are gone too,
 * as after an upgrade that lasted longer than these.
 */
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { type AttributeValue, PutItemCommand, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { GetSecretValueCommand } from '@aws-sdk/client-secrets-manager';
import { SendMessageCommand } from '@aws-sdk/client-sqs';
import { beforeAll, describe, expect, it } from 'vitest';
import type { RenderedCard } from '../../../shared/adapters/slack/cards/card.ts';
import { ACTIONS } from '../../../shared/adapters/slack/elements/actions.ts';
import { slackPoster } from '../../../shared/adapters/slack/posting/poster.ts';
import { auditDigest, pidOf } from '../../../shared/domain/digest.ts';
import { readProposal } from '../../../shared/domain/proposal/read-proposal.ts';
import { e2eGate } from '../gate.ts';
import { type Agent, agentNamed, newId } from '../harness/agents.ts';
import { digestKeyOfGate } from '../harness/functions.ts';
import { quiet } from '../harness/queues.ts';
import { queueUrl } from '../harness/resources.ts';
import { allRows, approvalOf, sortsOf } from '../harness/rows.ts';
import { ALICE, approve, BOB, cardOf, cardSays, cardsOf, ERIN, LEADS, LENA, reject } from '../harness/slack.ts';
import { endedEarlier, reconcileNow } from '../harness/time.ts';
import { until } from '../harness/until.ts';

type Item = Record<string, AttributeValue>;
interface Left {
  readonly deployment: string;
  readonly writtenAt: number;
  readonly state: readonly Item[];
  readonly audit: readonly Item[];
  readonly cards: readonly (RenderedCard & { readonly channel: string; readonly ts: string })[];
  readonly messages: readonly { readonly agent: string; readonly body: string }[];
}

const FILE = new URL('../../contract/releases/0.1.0-deployed.json', import.meta.url);
/** The local Slack takes the next post in a channel after a moment. */
const POST_EACH_MS = 50;
const SECONDS = 1_000_000_000;

let left: Left;
let builder: Agent;
let crafter: Agent;
let before: ReadonlyMap<string, number>;

beforeAll(async () => {
  const { slack, root, outputs } = await e2eGate();
  [builder, crafter] = [await agentNamed('builder'), await agentNamed('crafter')];
  before = await placesTaken();
  const { SecretString = '{}' } = await root.secrets.send(
    new GetSecretValueCommand({ SecretId: outputs.SlackSecretArn }),
  );
  const poster = slackPoster((JSON.parse(SecretString) as { botToken: string }).botToken, slack.apiUrl);
  const text = readFileSync(FILE, 'utf8');
  const { cards } = JSON.parse(text) as Left;
  let moved = text;
  for (const { channel, ts, ...card } of cards) {
    moved = moved.replaceAll(ts, (await poster.post(channel, card as RenderedCard)).ts);
    await delay(POST_EACH_MS);
  }
  left = readLeft(moved);
  expect(left.deployment).toBe(outputs.Deployment);
  const digests = await contentDigests();
  for (const row of left.audit) {
    const contentDigest = row['sk']?.S === 'evaluated' ? digests.get(row['pk']?.S ?? '') : undefined;
    const Item = contentDigest === undefined ? row : { ...row, contentDigest };
    await root.dynamodb.send(new PutItemCommand({ TableName: outputs.AuditTable, Item }));
  }
  for (const Item of left.state) {
    const { pk, sk, waiting } = Item;
    const isCount = pk?.S?.startsWith('waiting#') && waiting?.N !== undefined;
    // Other tests' approvals are counted there, too.
    if (isCount) {
      const count = { UpdateExpression: 'ADD waiting :n', ExpressionAttributeValues: { ':n': waiting } };
      await root.dynamodb.send(
        new UpdateItemCommand({ TableName: outputs.StateTable, Key: { pk, sk } as Item, ...count }),
      );
    } else if (!pk?.S?.startsWith('rate#'))
      await root.dynamodb.send(new PutItemCommand({ TableName: outputs.StateTable, Item }));
  }
});

/** Digests in the claims of each message, keyed as on this deployment: every one has a key of its own. */
async function contentDigests(): Promise<ReadonlyMap<string, AttributeValue>> {
  const key = await digestKeyOfGate();
  const digests = left.messages.flatMap(({ agent, body }) => {
    const read = readProposal(body, Date.now());
    if (!read.ok) return [];
    const bytes = Buffer.from(auditDigest(read.contentDigest, key), 'hex');
    return [[`${agent}#${pidOf(left.deployment, agent, read.proposal.proposalId)}`, { B: bytes }] as const];
  });
  return new Map(digests);
}

/** As if it had been written just now: every time of its own is moved on. */
function readLeft(text: string): Left {
  const { writtenAt } = JSON.parse(text) as Left;
  const by = Date.now() - writtenAt;
  const moved = text
    .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{3})?Z/g, (at) => new Date(Date.parse(at) + by).toISOString())
    .replaceAll(/"N": "(\d{10}|\d{13})"/g, (_, at: string) => {
      const value = Number(at);
      return `"N": "${value < SECONDS * 10 ? value + Math.round(by / 1_000) : value + by}"`;
    });
  // JSON has no bytes: they stand there as the object that `JSON.stringify` makes of them.
  const revived = (key: string, value: unknown) =>
    key === 'B' ? Uint8Array.from(Object.values(value as Record<string, number>)) : value;
  return JSON.parse(moved, revived) as Left;
}

async function placesTaken(): Promise<ReadonlyMap<string, number>> {
  const { outputs } = await e2eGate();
  const rows = await allRows(outputs.StateTable);
  const counts = rows.filter(({ pk }) => String(pk).startsWith('waiting#'));
  const taken = counts.map(({ pk, waiting }) => [String(pk), Number(waiting ?? 0)] as const);
  return new Map(taken.filter(([, count]) => count !== 0));
}

/** The approval's execution is gone: the reconciler finishes it with the answer of people. */
async function concluded(pid: string): Promise<void> {
  const ended = await until('the end of the vote', async () => (await approvalOf(pid))?.approval.endedAt);
  await endedEarlier(pid, ended, 3 * 60_000);
  await reconcileNow(pid);
}

describe('an approval of the previous release', () => {
  it('is answered by a click on the card that the previous release drew, and so is the call that waits for it', async () => {
    const pid = builder.pid('waiting');
    await approve(ALICE, await cardOf(pid));
    await concluded(pid);
    expect(await builder.wait('waiting')).toMatchObject({ outcome: 'approved' });
    expect(await builder.wait('follower')).toMatchObject({ outcome: 'approved' });
    await cardSays(pid, 'Approved');
    expect(await cardsOf(pid)).toHaveLength(1);
  });

  it('is refused there', async () => {
    const pid = builder.pid('refused');
    await reject(BOB, await cardOf(pid), 'Not this branch.');
    await concluded(pid);
    expect(await builder.wait('refused')).toMatchObject({ outcome: 'denied', reasonCode: 'rejected' });
  });

  it('of a batch is answered for all calls', async () => {
    const pid = builder.pid('batch');
    await approve(ALICE, await cardOf(pid));
    await concluded(pid);
    const { calls } = await builder.wait('batch');
    expect(calls.map(({ outcome }) => outcome)).toEqual(['approved', 'approved']);
  });

  it('of a question is answered by its button', async () => {
    const { slack } = await e2eGate();
    const pid = builder.pid('question');
    const { channel, ts } = await cardOf(pid);
    await slack.click({ user: ALICE, channel, ts, actionId: `${ACTIONS.answer}_1` });
    await concluded(pid);
    expect(await builder.wait('question')).toMatchObject({ outcome: 'answered' });
  });

  it('moves to its next stage, whose card this release posts', async () => {
    const pid = crafter.pid('two-stages');
    await approve(ERIN, await cardOf(pid));
    const second = await until('the card of the second stage', async () =>
      (await cardsOf(pid)).find(({ channel }) => channel === LEADS),
    );
    await approve(LENA, second);
    await concluded(pid);
    expect(await crafter.wait('two-stages')).toMatchObject({ outcome: 'approved' });
  });

  it('has freed its waiting slot', async () => {
    // Fewer than before are no leak: the reconciler counts again, and takes back what other tests have left.
    const more = async () => [...(await placesTaken())].filter(([pk, taken]) => taken > (before.get(pk) ?? 0));
    await expect.poll(more).toEqual([]);
  });
});

describe('messages of the previous release', () => {
  it('that were decided are answered as they were, without another record', async () => {
    const decided = await builder.wait('allowed');
    for (const { agent, body } of left.messages) await (agent === 'builder' ? builder : crafter).send(body);
    await quiet('Proposals');
    expect(await builder.wait('allowed')).toEqual(decided);
    expect(await sortsOf('builder', builder.pid('allowed'))).toEqual(['evaluated']);
    expect(await builder.wait('waiting')).toMatchObject({ outcome: 'approved' });
  });

  it('that are new are decided, and asked about', async () => {
    const bodies = left.messages.map(({ body }) => body);
    const [allowed, asked] = [newId(), newId()];
    const as = (id: string, other: string) =>
      bodies.find((body) => body.includes(`"${other}"`))?.replace(`"${other}"`, `"${id}"`) ?? '';
    await builder.send(as(allowed, 'allowed'));
    await builder.send(as(asked, 'waiting'));
    expect(await builder.wait(allowed)).toMatchObject({ outcome: 'approved' });
    await approve(ALICE, await cardOf(builder.pid(asked)));
    expect(await builder.wait(asked)).toMatchObject({ outcome: 'approved' });
  });

  it('that ask for a card, for post and update in one, draw it', async () => {
    const { root, slack } = await e2eGate();
    slack.setOutage(true);
    const id = await builder.run(`git push origin ${newId()}`);
    const pid = builder.pid(id);
    await until('the approval', async () => approvalOf(pid));
    const message = { MessageBody: JSON.stringify({ kind: 'card', pid }), MessageGroupId: 'C0APPROVALS' };
    const QueueUrl = await queueUrl('Cards');
    slack.setOutage(false);
    await root.sqs.send(new SendMessageCommand({ QueueUrl, ...message, MessageDeduplicationId: `${pid}#1` }));
    await approve(ALICE, await cardOf(pid));
    expect(await builder.wait(id)).toMatchObject({ outcome: 'approved' });
  });
});
