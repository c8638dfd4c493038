/** Checks interactions of the local Slack with a real Bolt app: signed and obeyed as by Slack. */
import { verifySlackRequest } from '@slack/bolt';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { LocalSlack } from '../slack/server.ts';
import type { Dict, RequestLogEntry } from '../slack/types.ts';
import { askBlocks, type BakeryApp, type Behaviour, reasonView, startBakery } from './bakery-app.ts';
import { ANN, BEN, BOT, errorOf, GENERAL, SECRET, startWorkspace, webClient } from './workspace.ts';

let slack: LocalSlack;
let bakery: BakeryApp;
let behaviour: Behaviour;
let skew = 0;

beforeEach(async () => {
  skew = 0;
  behaviour = {};
  slack = await startWorkspace({
    clock: () => Date.now() + skew,
    ackTimeoutMs: 400,
    eventRetryDelaysMs: [0, 0, 0],
  });
  bakery = await startBakery(slack, behaviour);
});
afterEach(async () => {
  await bakery.stop();
  await slack.stop();
});

async function card(): Promise<string> {
  const { ts = '' } = await webClient(slack).chat.postMessage({
    channel: GENERAL,
    text: 'May the oven start?',
    blocks: askBlocks('rye'),
    metadata: { event_type: 'ask', event_payload: { id: 1 } },
  });
  return ts;
}

const payloadOf = (entry: RequestLogEntry | undefined): Dict =>
  JSON.parse(new URLSearchParams(entry?.body).get('payload') ?? '{}');

async function eventually<Value>(read: () => Value | undefined | false): Promise<Value> {
  for (let tries = 0; tries < 200; tries += 1) {
    const value = read();
    if (value !== undefined && value !== false) return value;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  throw new Error('it never happened');
}

describe('a click', () => {
  it('reaches the app signed, and the card changes', async () => {
    const ts = await card();
    expect(await slack.click({ user: ANN, channel: GENERAL, ts, actionId: 'approve' })).toMatchObject({ ok: true });
    await eventually(() => slack.messages(GENERAL)[0]?.text === 'approved');
    const { body, headers } = slack.requestLog[0] as RequestLogEntry;
    const verify = (changed: string) =>
      verifySlackRequest({
        signingSecret: SECRET,
        body: changed,
        headers: {
          'x-slack-signature': headers['x-slack-signature'] ?? '',
          'x-slack-request-timestamp': Number(headers['x-slack-request-timestamp']),
        },
      });
    expect(() => verify(body)).not.toThrow();
    expect(() => verify(body.replace('approve', 'improve'))).toThrow('signature mismatch');
    expect(headers['content-type']).toBe('application/x-www-form-urlencoded');
    expect(body).toMatch(/^payload=%7B%22type%22%3A%22block_actions%22/);
  });

  it('carries who, where, what and the whole message', async () => {
    const ts = await card();
    const { entry } = await slack.click({ user: ANN, channel: GENERAL, ts, actionId: 'approve' });
    expect(payloadOf(entry)).toMatchObject({
      type: 'block_actions',
      user: { id: ANN, username: 'ann', name: 'ann', team_id: 'T0LOCAL' },
      team: { id: 'T0LOCAL', domain: 'bakery' },
      api_app_id: 'A0LOCAL',
      container: { type: 'message', message_ts: ts, channel_id: GENERAL, is_ephemeral: false },
      channel: { id: GENERAL, name: 'general' },
      message: {
        ts,
        app_id: 'A0LOCAL',
        bot_id: 'B0BOT',
        user: BOT,
        metadata: { event_type: 'ask', event_payload: { id: 1 } },
      },
      state: { values: {} },
      response_url: expect.stringContaining(slack.url),
      trigger_id: expect.any(String),
      actions: [
        {
          type: 'button',
          action_id: 'approve',
          block_id: 'decide',
          value: '1',
          style: 'primary',
          text: { type: 'plain_text', text: 'Approve' },
          action_ts: expect.stringMatching(/^\d+\.\d{6}$/),
        },
      ],
    });
  });

  it('tells the person when the app is slow, wrong or away, and never asks twice', async () => {
    const ts = await card();
    const click = () => slack.click({ user: ANN, channel: GENERAL, ts, actionId: 'approve' });
    behaviour.delayMs = 600;
    expect(await click()).toMatchObject({ ok: false, warning: expect.stringContaining('did not respond in time') });
    behaviour.delayMs = 0;
    await bakery.stop();
    expect(await click()).toMatchObject({ ok: false, entry: { failure: 'unreachable' } });
    expect(slack.requestLog).toHaveLength(2);
    bakery = await startBakery(slack);
  });

  it('can be forged, replayed and bent by a test, and the app sees through it', async () => {
    const ts = await card();
    const { entry } = await slack.click({ user: ANN, channel: GENERAL, ts, actionId: 'approve' });
    if (entry === undefined) throw new Error('nothing was sent');
    expect((await slack.replay(entry)).status).toBe(200);
    const forged = slack.sign(entry.body, { secret: 'guessed' });
    expect((await slack.sendRaw({ body: entry.body, headers: forged })).status).toBe(401);
    expect((await slack.sendRaw({ body: entry.body, headers: {} })).status).toBe(401);
    const old = slack.sign(entry.body, { timestamp: Math.floor(Date.now() / 1000) - 3_600 });
    expect((await slack.sendRaw({ body: entry.body, headers: old })).status).toBe(401);
    const overrides = { team: { id: 'T0EVIL' }, message: undefined };
    const bent = await slack.click({ user: BEN, channel: GENERAL, ts: await card(), actionId: 'approve', overrides });
    expect(payloadOf(bent.entry)).toMatchObject({ team: { id: 'T0EVIL', domain: 'bakery' } });
    expect(payloadOf(bent.entry)).not.toHaveProperty('message');
  });

  it('may come late, from a card that has changed meanwhile', async () => {
    const ts = await card();
    await webClient(slack).chat.update({ channel: GENERAL, ts, text: 'over', blocks: [] });
    const { entry } = await slack.click({ user: BEN, channel: GENERAL, ts, actionId: 'approve' });
    expect(payloadOf(entry)).toMatchObject({
      message: { text: 'over' },
      actions: [{ action_id: 'approve', value: '1' }],
    });
  });

  it('goes to loopback addresses only', () => {
    expect(() => slack.setRequestUrl('https://example.com/slack')).toThrow('loopback');
  });
});

describe('a modal', () => {
  async function openModal(): Promise<string> {
    const ts = await card();
    await slack.click({ user: ANN, channel: GENERAL, ts, actionId: 'details' });
    return (await eventually(() => slack.views(ANN)[0])).id;
  }

  it('shows errors at the field, then closes', async () => {
    const viewId = await openModal();
    const submit = (text: string) => slack.submitView({ user: ANN, viewId, values: { why: text, size: 'small' } });
    expect(await submit('')).toEqual({ ok: false, errors: { why: 'Please fill in this field.' } });
    expect(await submit('no')).toMatchObject({ ok: false, errors: { why: 'Too short for a reason.' } });
    expect(slack.views(ANN)).toHaveLength(1);
    const clicked = slack.requestLog.findLast(({ kind }) => kind === 'block_actions');
    expect(slack.views(ANN)[0]?.openedBy).toBe(payloadOf(clicked).trigger_id);
    expect(await submit('the crust is burnt')).toMatchObject({ ok: true });
    expect(slack.views(ANN)).toEqual([]);
    await eventually(() => slack.messages(GENERAL)[1]?.text === `<@${ANN}> says: the crust is burnt`);
    expect(slack.messages(GENERAL)[1]?.thread_ts).toBe(slack.messages(GENERAL)[0]?.ts);
  });

  it('sends what was filled in, by block and action', async () => {
    const viewId = await openModal();
    const values = { why: 'good reason', size: 'large', extras: ['salt'], speed: 'fast', baker: { baker: BEN } };
    const { entry } = await slack.submitView({ user: ANN, viewId, values });
    expect(payloadOf(entry)).toMatchObject({
      type: 'view_submission',
      view: {
        id: viewId,
        callback_id: 'reason',
        root_view_id: viewId,
        previous_view_id: null,
        hash: expect.any(String),
        private_metadata: expect.stringContaining(GENERAL),
        state: {
          values: {
            why: { text: { type: 'plain_text_input', value: 'good reason' } },
            size: { size: { type: 'static_select', selected_option: { value: 'large' } } },
            extras: { extras: { type: 'checkboxes', selected_options: [{ value: 'salt' }] } },
            speed: { speed: { type: 'radio_buttons', selected_option: { value: 'fast' } } },
            baker: { baker: { type: 'users_select', selected_user: BEN } },
          },
        },
      },
    });
  });

  it('tells the app when it is closed, if the app asked', async () => {
    const viewId = await openModal();
    await slack.closeView({ user: ANN, viewId });
    const entry = await eventually(() => slack.requestLog.find((one) => one.kind === 'view_closed'));
    expect(payloadOf(entry)).toMatchObject({ type: 'view_closed', is_cleared: false, view: { id: viewId } });
    expect(slack.views(ANN)).toEqual([]);
  });

  it('opens with a trigger once, and within three seconds', async () => {
    const ts = await card();
    const client = webClient(slack);
    const trigger = async () => {
      const { entry } = await slack.click({ user: ANN, channel: GENERAL, ts, actionId: 'reject' });
      return String(payloadOf(entry).trigger_id);
    };
    const open = (trigger_id: string) => client.views.open({ trigger_id, view: reasonView(GENERAL, ts) });
    const first = await trigger();
    expect((await open(first)).view?.id).toMatch(/^V/);
    expect(await errorOf(open(first))).toBe('exchanged_trigger_id');
    const late = await trigger();
    skew += 3_001;
    expect(await errorOf(open(late))).toBe('expired_trigger_id');
    expect(await errorOf(open('1.2.3'))).toBe('invalid_trigger_id');
  });

  it('stacks, updates under a hash, and clears', async () => {
    const viewId = await openModal();
    const client = webClient(slack);
    const view = reasonView(GENERAL, '1.2');
    const hash = slack.views(ANN)[0]?.hash ?? '';
    const updated = await client.views.update({ view_id: viewId, hash, view });
    expect(updated.view?.hash).not.toBe(hash);
    expect(await errorOf(client.views.update({ view_id: viewId, hash, view }))).toBe('hash_conflict');
    expect(await errorOf(client.views.update({ view_id: 'V0', view }))).toBe('not_found');
    bakery.app.view('pusher', async ({ ack }) => ack({ response_action: 'push', view }));
    bakery.app.view('clearer', async ({ ack }) => ack({ response_action: 'clear' }));
    bakery.app.view('updater', async ({ ack }) =>
      ack({ response_action: 'update', view: { ...view, callback_id: 'clearer' } }),
    );
    await client.views.update({ view_id: viewId, view: { ...view, callback_id: 'pusher' } });
    const values = { why: 'long enough', size: 'small' };
    expect(await slack.submitView({ user: ANN, viewId, values })).toMatchObject({ ok: true });
    const [below, top] = slack.views(ANN);
    expect(top).toMatchObject({ rootId: below?.id, previousId: below?.id });
    await client.views.update({ view_id: top?.id ?? '', view: { ...view, callback_id: 'updater' } });
    await slack.submitView({ user: ANN, viewId: top?.id ?? '', values });
    expect(slack.views(ANN)[1]?.content.callback_id).toBe('clearer');
    await slack.submitView({ user: ANN, viewId: top?.id ?? '', values });
    expect(slack.views(ANN)).toEqual([]);
  });
});

describe('response_url', () => {
  async function clicked() {
    const { entry } = await slack.click({ user: ANN, channel: GENERAL, ts: await card(), actionId: 'approve' });
    const { response_url: url, trigger_id: trigger } = payloadOf(entry);
    return { url: String(url), trigger };
  }
  const send = async (url: string, body: Dict) =>
    (await fetch(url, { method: 'POST', body: JSON.stringify(body) })).text();

  it('answers privately, in the channel, by replacing and by deleting', async () => {
    const { url, trigger } = await clicked();
    await eventually(() => slack.messages(GENERAL)[0]?.text === 'approved');
    expect(await send(url, { text: 'psst' })).toBe('ok');
    expect(slack.ephemerals(ANN)).toMatchObject([{ text: 'psst', answersTo: trigger }]);
    await send(url, { text: 'all', response_type: 'in_channel' });
    expect(slack.messages(GENERAL)).toHaveLength(2);
    await send(url, { text: 'replaced', replace_original: true });
    expect(slack.messages(GENERAL)[0]?.text).toBe('replaced');
    await send(url, { delete_original: true });
    expect(slack.messages(GENERAL)).toMatchObject([{ text: 'all' }]);
  });

  it('ends after five uses or thirty minutes', async () => {
    const { url } = await clicked();
    for (let use = 0; use < 5; use += 1) expect(await send(url, { text: 'x' })).toBe('ok');
    expect(await send(url, { text: 'x' })).toBe('used_url');
    const { url: other } = await clicked();
    skew += 30 * 60_000 + 1;
    expect(await send(other, { text: 'x' })).toBe('expired_url');
    expect(await send(`${slack.url}/hooks/none`, { text: 'x' })).toBe('no_service');
  });
});

describe('commands and events', () => {
  it('runs a command and shows its answer to the one who asked', async () => {
    const result = await slack.command({ user: ANN, channel: GENERAL, command: '/bake', text: 'rye <now>' });
    expect(result).toMatchObject({ ok: true });
    expect(slack.ephemerals(ANN)).toMatchObject([{ text: 'baking rye &lt;now&gt;' }]);
    const form = Object.fromEntries(new URLSearchParams(result.entry?.body));
    expect(form).toMatchObject({
      command: '/bake',
      text: 'rye <now>',
      user_id: ANN,
      channel_id: GENERAL,
      team_id: 'T0LOCAL',
    });
  });

  it('says so when a command fails', async () => {
    await bakery.stop();
    const result = await slack.command({ user: ANN, channel: GENERAL, command: '/bake' });
    expect(result).toMatchObject({ ok: false, warning: expect.stringContaining('dispatch_failed') });
    bakery = await startBakery(slack);
  });

  it('verifies the events URL, then tells of mentions and App Home', async () => {
    expect(await slack.setEventsUrl(bakery.url)).toBe(true);
    await slack.say({ user: ANN, channel: GENERAL, text: `<@${BOT}> hi <b>` });
    await eventually(() => slack.messages(GENERAL)[1]?.text === `Hello <@${ANN}>`);
    expect(slack.messages(GENERAL)[0]?.text).toBe(`<@${BOT}> hi &lt;b&gt;`);
    await slack.openHome(ANN);
    const home = await eventually(() => slack.home(ANN));
    expect(home.content.blocks).toMatchObject([{ text: { text: `Welcome home, <@${ANN}>` } }]);
    expect(slack.home(BEN)).toBeUndefined();
  });

  it('tells an app that lacks the scope of no mention', async () => {
    await slack.setEventsUrl(bakery.url);
    slack.setScopes(['chat:write']);
    const before = slack.requestLog.length;
    await slack.say({ user: ANN, channel: GENERAL, text: `<@${BOT}> hi` });
    expect(slack.requestLog).toHaveLength(before);
  });

  it('retries an event three times', async () => {
    await slack.setEventsUrl(bakery.url);
    const before = slack.requestLog.length;
    await bakery.stop();
    await slack.openHome(ANN);
    const tries = slack.requestLog.slice(before);
    expect(tries.map((one) => one.headers['x-slack-retry-num'])).toEqual([undefined, '1', '2', '3']);
    expect(tries[1]?.headers['x-slack-retry-reason']).toBe('connection_failed');
    bakery = await startBakery(slack);
  });
});
