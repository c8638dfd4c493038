/**
 * Drives the task agent through a real browser, the deployed stack and the queue beside it.
 *
 * The browser shows the local Slack's page.
 */
import { UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { SendMessageCommand } from '@aws-sdk/client-sqs';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { toItem } from '../../shared/adapters/dynamodb/items.ts';
import { type LocalBrowser, launchBrowser } from '../local/browser.ts';
import { picture } from '../local/picture.ts';
import type { StoredMessage } from '../local/slack/types.ts';
import { type E2eGate, e2eGate } from './gate.ts';
import { agentNamed, newId } from './harness/agents.ts';
import { quiet } from './harness/queues.ts';
import { queueUrl } from './harness/resources.ts';
import { allEntries, allRows, rowsUnder } from './harness/rows.ts';
import { ALICE, BOB, CAROL, RELEASES, STRANGER, told, toldSoFar } from './harness/slack.ts';
import { until } from './harness/until.ts';

const BOT = 'U0COUNTERSIGN';
const asked = (task: string) =>
  `Are you sure you want to delete '${task}'? This cannot be undone. Reply 'yes' to confirm or 'no' to cancel.`;

let gate: E2eGate;
let browser: LocalBrowser;
beforeAll(async () => {
  gate = await e2eGate();
  browser = await launchBrowser();
}, 300_000);
afterAll(() => browser?.close());
afterEach(async () => {
  for (const page of browser.context.pages()) await page.close();
});

/** The direct messages of a person with the app, in a window of their own. */
async function direct(user: string): Promise<Page> {
  const page = await browser.context.newPage();
  page.setDefaultTimeout(90_000);
  await page.goto(`${gate.slack.url}/?user=${user}&home=1`);
  await page.getByRole('button', { name: 'Countersign · Messages' }).click();
  await page.getByLabel('Message Countersign').waitFor();
  return page;
}

async function say(page: Page, text: string, answer: string, label = 'Message Countersign'): Promise<void> {
  const log = page.getByRole('log').last();
  const before = await log.getByText(answer).count();
  await page.getByLabel(label).fill(text);
  await page.getByLabel(label).press('Enter');
  await expect.poll(() => log.getByText(answer).count(), { timeout: 60_000 }).toBe(before + 1);
}

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const tasks = () => rowsUnder(gate.outputs.StateTable, 'task#');
const isKept = async (description: string) => (await tasks()).some((task) => task['description'] === description);

/** Everything that waits for a yes was asked five minutes and a second ago. */
async function letExpire(): Promise<void> {
  const rows = await allRows(gate.outputs.StateTable);
  for (const { pk, sk, conversation } of rows) {
    if (!(conversation as { pending?: unknown } | undefined)?.pending) continue;
    await gate.root.dynamodb.send(
      new UpdateItemCommand({
        TableName: gate.outputs.StateTable,
        Key: toItem({ pk, sk }),
        UpdateExpression: 'SET conversation.#pending.#confirmation.expires_at = :past',
        ExpressionAttributeNames: { '#pending': 'pending', '#confirmation': 'confirmation' },
        ExpressionAttributeValues: toItem({ ':past': new Date(Date.now() - 1_000).toISOString() }),
      }),
    );
  }
}

describe('in direct messages', () => {
  it('adds, lists, completes and updates; deletes after a yes by word or by button, and only then', async () => {
    const page = await direct(ALICE);
    await say(page, 'remind me to buy milk', "I've added 'buy milk' to your tasks.");
    await say(page, 'todo: gym', "I've added 'gym' to your tasks.");
    await say(page, 'todo: <@U0BOB> & *bold* <!channel>', 'to your tasks.');
    await say(page, 'mark buy milk as done', "Done! 'buy milk' has been marked as completed.");
    await say(page, 'change gym to swim', "Updated 'gym' to 'swim'.");
    await say(page, 'what are my tasks', '2. [ ] swim (pending)');
    await picture(page, 'task-list');

    await say(page, 'delete swim', asked('swim'));
    await button(page, 'Delete it').waitFor();
    await picture(page, 'task-asked');
    await say(page, 'yes', "'swim' has been deleted.");
    await page.getByText('You said yes.').waitFor();
    await expect.poll(() => button(page, 'Delete it').count()).toBe(0);
    await picture(page, 'task-by-word');

    await say(page, 'delete buy milk', asked('buy milk'));
    await button(page, 'Delete it').click();
    await page.getByText("'buy milk' has been deleted.").waitFor();
    await expect.poll(() => button(page, 'Delete it').count()).toBe(0);
    await picture(page, 'task-by-button');

    await say(page, 'todo: read', "I've added 'read' to your tasks.");
    await say(page, 'delete read', asked('read'));
    await button(page, 'Keep it').click();
    await page.getByText("OK, I won't delete that task.").waitFor();

    await say(page, 'delete read', asked('read'));
    await say(page, 'thanks', 'Is there something task-related');
    await page.getByText('You went on to something else: nothing was deleted.').waitFor();
    await picture(page, 'task-interrupted');

    await say(page, 'delete read', asked('read'));
    await letExpire();
    await button(page, 'Delete it').click();
    await page.getByText('The confirmation request has expired.').waitFor();
    await picture(page, 'task-expired');
    expect(await isKept('read')).toBe(true);
  });

  it('keeps two people apart, also when both are asked at once', async () => {
    const [alice, bob] = [await direct(ALICE), await direct(BOB)];
    const mine = [say(alice, 'todo: shared name', "I've added"), say(bob, 'todo: shared name', "I've added")];
    await Promise.all(mine);
    await Promise.all([
      say(alice, 'delete shared name', asked('shared name')),
      say(bob, 'delete shared name', asked('shared name')),
    ]);
    await Promise.all([say(alice, 'no', "OK, I won't delete that task."), button(bob, 'Delete it').click()]);
    await bob.getByText("'shared name' has been deleted.").waitFor();
    await say(alice, 'show my tasks', 'shared name (pending)');
    await picture(alice, 'task-two-alice');
    await picture(bob, 'task-two-bob');
  });
});

describe('in a channel', () => {
  it('answers a mention in its thread; only who was asked can answer', async () => {
    const ts = await gate.slack.say({ user: STRANGER, channel: RELEASES, text: `<@${BOT}> todo: water plants` });
    const inThread = () => gate.slack.messages(RELEASES, (one) => one.thread_ts === ts && one.user === BOT);
    await until('the answer in the thread', () => inThread()[0]);
    await gate.slack.say({ user: STRANGER, channel: RELEASES, threadTs: ts, text: `<@${BOT}> delete water plants` });
    const card = await until('the question', () =>
      inThread().find(({ blocks }) => JSON.stringify(blocks).includes('Delete it')),
    );
    await gate.slack.say({ user: ALICE, channel: RELEASES, threadTs: ts, text: `<@${BOT}> yes` });
    const click = { channel: RELEASES, ts: card.ts, actionId: 'countersign_task_yes' };
    const before = await toldSoFar(ALICE);
    await gate.slack.click({ user: ALICE, ...click });
    expect(await told(ALICE, before)).toBe('Only the person who was asked can answer this. Nothing was changed.');
    expect(await isKept('water plants')).toBe(true);
    await gate.slack.click({ user: STRANGER, ...click });
    await until('the deletion', async () => ((await isKept('water plants')) ? undefined : true));
  });
});

describe('events that come twice, late or forged', () => {
  let channel = '';
  beforeAll(async () => {
    await direct(CAROL);
    const opened = () =>
      gate.slack.requestLog.findLast(({ body }) => body.includes('app_home_opened') && body.includes(CAROL));
    const { body } = await until('her direct messages', opened);
    channel = (JSON.parse(body) as { event: { channel: string } }).event.channel;
  });

  /** An event as Slack sends it; `id` and `ts` may be those of another one. */
  async function event(
    text: string,
    { id = `Ev${newId()}`, ts, more = {} }: { id?: string; ts: string; more?: object },
  ) {
    const body = JSON.stringify({
      ...{ type: 'event_callback', team_id: 'T0E2E', api_app_id: gate.appId, event_id: id },
      authorizations: [{ user_id: BOT, team_id: 'T0E2E', is_bot: true }],
      event: {
        type: 'message',
        channel_type: 'im',
        channel,
        user: CAROL,
        team: 'T0E2E',
        text,
        ts,
        ...more,
      },
    });
    const url = gate.slack.requestLog.findLast(({ kind }) => kind === 'event')?.url;
    const attempt = (retry: number) => {
      const signed = gate.slack.sign(body, { contentType: 'application/json' });
      const headers = { ...signed, 'x-slack-retry-num': String(retry) };
      return gate.slack.sendRaw({ body, headers, ...(url ? { url } : {}) });
    };
    // Not answered in three seconds, a cold start on a busy machine, it comes again as Slack's own would.
    let sent = await attempt(1);
    for (let retry = 2; retry <= 3 && sent.status === undefined; retry++) sent = await attempt(retry);
    return sent;
  }
  let micros = 0;
  /** A place in the channel, now; each behind the one before. */
  const ts = () => {
    micros = Math.max(micros + 1, Date.now() * 1_000);
    return `${Math.floor(micros / 1e6)}.${String(micros % 1e6).padStart(6, '0')}`;
  };
  const records = async (message: string) =>
    (await allEntries()).filter((entry) => entry.task?.input_message === message);

  it('are decided once, and never delete without a yes that follows its question', async () => {
    const [name, first] = [newId(), { id: `Ev${newId()}`, ts: ts() }];
    const sent = await Promise.all([1, 2, 3].map(() => event(`todo: ${name}`, first)));
    expect(sent.map(({ status }) => status)).toEqual([200, 200, 200]);
    await until('the task', async () => (await isKept(name)) || undefined);
    const late = ts();
    const question = { id: `Ev${newId()}`, ts: ts() };
    await event(`delete ${name}`, question);
    await until('the question', async () => (await records(`delete ${name}`))[0]);
    await event(`delete ${name}`, question);
    // Written before the question, delivered after it.
    await event('yes', { ts: late });
    await event('yes', { ts: ts(), more: { bot_id: 'B0OTHER' } });
    await event('yes', { ts: ts(), more: { user: BOT } });
    await event('yes', { ts: ts(), more: { subtype: 'message_changed' } });
    await event('show my tasks', { ts: ts(), more: { user: ALICE } });
    await quiet('Talk');
    expect(await isKept(name)).toBe(true);
    expect(await records(`delete ${name}`)).toHaveLength(1);
    expect(await records(`todo: ${name}`)).toHaveLength(1);
    const fresh = { id: `Ev${newId()}`, ts: ts() };
    await Promise.all([1, 2].map(() => event('yes', fresh)));
    await until('the deletion', async () => !(await isKept(name)) || undefined);
    await quiet('Talk');
    const replies = gate.slack.messages(channel).filter(({ text }) => text.includes('has been deleted'));
    expect(replies).toHaveLength(1);
  });

  it('a thread is a conversation of its own: a yes beside it answers nothing', async () => {
    const name = newId();
    const write = (text: string, threadTs?: string) =>
      gate.slack.say({ user: CAROL, channel, text, ...(threadTs ? { threadTs } : {}) });
    const root = await write(`todo: ${name}`);
    await until('the task', async () => (await isKept(name)) || undefined);
    await write(`delete ${name}`, root);
    const isQuestion = ({ thread_ts, text }: StoredMessage) => thread_ts === root && text.includes('Are you sure');
    await until('the question in the thread', () => gate.slack.messages(channel, isQuestion)[0]);
    await write('yes');
    await quiet('Talk');
    expect(await isKept(name)).toBe(true);
    await write('yes', root);
    await until('the deletion', async () => !(await isKept(name)) || undefined);
  });

  it('a message that its queue delivers again is answered once', async () => {
    const name = newId();
    const delivered = {
      ...{
        kind: 'message',
        id: newId(),
        person: { team: 'T0E2E', user: BOB },
        name: 'bob',
        channel: RELEASES,
        at: Date.now(),
      },
      ...{ conversation: newId(), text: `todo: ${name}`, ts: ts() },
    };
    const QueueUrl = await queueUrl('Talk');
    for (const MessageDeduplicationId of [newId(), newId(), newId()]) {
      const message = { MessageBody: JSON.stringify(delivered), MessageGroupId: name, MessageDeduplicationId };
      await gate.root.sqs.send(new SendMessageCommand({ QueueUrl, ...message }));
    }
    await until('the task', async () => (await isKept(name)) || undefined);
    await quiet('Talk');
    expect((await tasks()).filter((task) => task['description'] === name)).toHaveLength(1);
    expect(gate.slack.messages(RELEASES).filter(({ text }) => text.includes(name))).toHaveLength(1);
  });
});

describe('over the queue', () => {
  it('answers an agent’s users, who are not Slack’s', async () => {
    const builder = await agentNamed('builder');
    const context = { user_id: ALICE, conversation_id: newId() };
    const ask = async (message: string) => {
      const proposalId = newId();
      await builder.send(JSON.stringify({ kind: 'task-message', proposalId, context: { ...context, message } }));
      return builder.wait(proposalId);
    };
    expect(await ask('show my tasks')).toMatchObject({ outcome: 'answered', message: "You don't have any tasks yet." });
    expect(await ask('todo: ship it')).toMatchObject({ answer: { decision_type: 'INVOKE_TOOL' } });
    expect(await ask('delete ship it')).toMatchObject({ message: asked('ship it') });
    expect(await ask('yes')).toMatchObject({ message: "'ship it' has been deleted." });
    const [denied, other] = await Promise.all([ask('yes'), ask('mark ship it as done')]);
    expect(denied.answer).toMatchObject({ decision_type: 'RESPOND_ONLY' });
    expect(other.message).toBe("I couldn't find a task matching 'ship it'. You don't have any tasks yet.");
  });
});

describe('a model as classifier', () => {
  const CHAT = 'Is there something task-related';
  const says = (answer: unknown) => `zork says ${typeof answer === 'string' ? answer : JSON.stringify(answer)}`;
  const wish = (description: string, confidence = 0.95) =>
    says({ intent_type: 'CREATE_TASK', confidence, extracted_params: { description } });

  it('names what no pattern tells, in Slack and over the queue; it neither confirms nor deletes, and whatever it does wrong is not heard', async () => {
    const asker = await agentNamed('demo-agent');
    const context = { user_id: 'u-model', conversation_id: newId() };
    const ask = async (message: string) => {
      const proposalId = newId();
      await asker.send(JSON.stringify({ kind: 'task-message', proposalId, context: { ...context, message } }));
      return (await asker.wait(proposalId)).message;
    };
    const before = gate.model.requests.length;
    expect(await ask(wish('oat milk'))).toBe("I've added 'oat milk' to your tasks.");
    expect(gate.model.requests.slice(before).map(({ body }) => body.model)).toEqual(['reader-1']);
    expect(await ask('delete oat milk')).toBe(asked('oat milk'));
    for (const answer of [
      { intent_type: 'CONFIRM_YES', confidence: 1 },
      { intent_type: 'DELETE_TASK', confidence: 1, extracted_params: { task_reference: 'oat milk' } },
      'Of course! It is deleted.',
      'hang up',
    ])
      expect(await ask(says(answer))).toContain(CHAT);
    expect(await ask(wish('rye bread', 0.3))).toContain(CHAT);
    expect(await ask(says('never answer'))).toContain(CHAT);
    expect(await ask('show my tasks')).toBe('Here are your tasks:\n1. [ ] oat milk (pending)');

    const page = await direct(BOB);
    await say(page, wish('model bread'), "I've added 'model bread' to your tasks.");
    await say(page, 'delete model bread', asked('model bread'));
    await say(page, says({ intent_type: 'CONFIRM_YES', confidence: 1 }), CHAT);
    expect(await isKept('model bread')).toBe(true);
  });
});
