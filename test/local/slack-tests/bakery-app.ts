/** Runs a small Bolt app for tests, a bakery, which knows the local Slack only by its address. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { App, type BlockButtonAction, HTTPReceiver } from '@slack/bolt';
import type { KnownBlock, ModalView } from '@slack/types';
import { LogLevel } from '@slack/web-api';
import type { LocalSlack } from '../slack/server.ts';
import { BOT, SECRET, TOKEN } from './workspace.ts';

/** Settings that a test may change while the app runs. */
export type Behaviour = { delayMs?: number; beforeOpen?: () => void };

/** `errors` are the codes of what went wrong in listeners. */
export type BakeryApp = { url: string; app: App; errors: string[]; stop: () => Promise<void> };

/** A text that would do harm if anything took it for markup. */
export const HOSTILE =
  '<!channel> <https://evil.example|ok> *bold* <script>alert(1)</script> & &lt; _x_ `y` :smile: <@U0ANN>';

export const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** Slack's way to show a text as it is: preformatted rich text takes no markup at all. */
export function askBlocks(what: string): KnownBlock[] {
  return [
    { type: 'header', text: { type: 'plain_text', text: 'May the oven start?', emoji: true } },
    { type: 'section', text: { type: 'mrkdwn', text: '*Oven 2* would like to bake for <@U0ANN> :bread:' } },
    {
      type: 'section',
      fields: [
        { type: 'mrkdwn', text: '*Asked by*\noven-2' },
        { type: 'mrkdwn', text: '*Until*\n`12:30`' },
      ],
    },
    { type: 'rich_text', elements: [{ type: 'rich_text_preformatted', elements: [{ type: 'text', text: what }] }] },
    { type: 'divider' },
    { type: 'context', elements: [{ type: 'mrkdwn', text: 'Rule `ask Bake(*)` in _bakery.yaml_' }] },
    {
      type: 'actions',
      block_id: 'decide',
      elements: [
        {
          type: 'button',
          style: 'primary',
          action_id: 'approve',
          value: '1',
          text: { type: 'plain_text', text: 'Approve' },
        },
        { type: 'button', action_id: 'details', value: '1', text: { type: 'plain_text', text: 'Say why' } },
        {
          type: 'button',
          style: 'danger',
          action_id: 'reject',
          value: '1',
          text: { type: 'plain_text', text: 'Reject' },
          confirm: {
            title: { type: 'plain_text', text: 'Reject the bread?' },
            text: { type: 'mrkdwn', text: 'The dough is *thrown away*.' },
            confirm: { type: 'plain_text', text: 'Yes, reject' },
            deny: { type: 'plain_text', text: 'Keep it' },
          },
        },
      ],
    },
  ];
}

export function reasonView(channel: string, ts: string): ModalView {
  return {
    type: 'modal',
    callback_id: 'reason',
    private_metadata: JSON.stringify({ channel, ts }),
    notify_on_close: true,
    title: { type: 'plain_text', text: 'Say why' },
    submit: { type: 'plain_text', text: 'Send' },
    close: { type: 'plain_text', text: 'Cancel' },
    blocks: [
      {
        type: 'input',
        block_id: 'why',
        label: { type: 'plain_text', text: 'Reason' },
        hint: { type: 'plain_text', text: 'One sentence is enough.' },
        element: { type: 'plain_text_input', action_id: 'text', multiline: true, max_length: 200 },
      },
      {
        type: 'input',
        block_id: 'size',
        label: { type: 'plain_text', text: 'Size' },
        element: {
          type: 'static_select',
          action_id: 'size',
          options: ['small', 'large'].map((size) => ({ text: { type: 'plain_text', text: size }, value: size })),
        },
      },
      {
        type: 'input',
        block_id: 'extras',
        optional: true,
        label: { type: 'plain_text', text: 'Extras' },
        element: {
          type: 'checkboxes',
          action_id: 'extras',
          options: ['seeds', 'salt'].map((extra) => ({ text: { type: 'mrkdwn', text: `*${extra}*` }, value: extra })),
        },
      },
      {
        type: 'input',
        block_id: 'speed',
        optional: true,
        label: { type: 'plain_text', text: 'Speed' },
        element: {
          type: 'radio_buttons',
          action_id: 'speed',
          options: ['slow', 'fast'].map((speed) => ({ text: { type: 'plain_text', text: speed }, value: speed })),
        },
      },
      {
        type: 'input',
        block_id: 'baker',
        optional: true,
        label: { type: 'plain_text', text: 'Baker' },
        element: { type: 'users_select', action_id: 'baker' },
      },
    ],
  };
}

/** Starts the app on a free loopback port; `behaviour` is changed by tests while it runs. */
export async function startBakery(slack: LocalSlack, behaviour: Behaviour = {}): Promise<BakeryApp> {
  const receiver = new HTTPReceiver({ signingSecret: SECRET, endpoints: '/slack', logLevel: LogLevel.ERROR });
  const app = new App({
    receiver,
    token: TOKEN,
    botUserId: BOT,
    botId: 'B0BOT',
    tokenVerificationEnabled: false,
    logLevel: LogLevel.ERROR,
    clientOptions: { slackApiUrl: slack.apiUrl, retryConfig: { retries: 0 } },
  });
  const working = new Set<Promise<void>>();
  app.use(async ({ next }) => {
    const work = next();
    working.add(work);
    await work.finally(() => working.delete(work));
  });
  addListeners(app, behaviour);
  const errors: string[] = [];
  app.error(async (error) => {
    const original = (error as { original?: { data?: { error?: string } } }).original ?? error;
    errors.push((original as { data?: { error?: string } }).data?.error ?? error.message);
  });
  const server = createServer((request, response) => receiver.requestListener(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/slack`;
  slack.setRequestUrl(url);
  const stop = async () => {
    await Promise.allSettled(working);
    server.closeAllConnections();
    await new Promise<void>((resolve) => server.close(() => resolve()));
  };
  return { url, app, errors, stop };
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

function addListeners(app: App, behaviour: Behaviour): void {
  app.action<BlockButtonAction>('approve', async ({ ack, body, client }) => {
    await pause(behaviour.delayMs ?? 0);
    await ack();
    await client.chat.update({
      channel: body.channel?.id ?? '',
      ts: body.message?.ts ?? '',
      text: 'approved',
      blocks: [
        { type: 'section', text: { type: 'mrkdwn', text: `:white_check_mark: Approved by <@${body.user.id}>` } },
      ],
    });
  });
  app.action<BlockButtonAction>('reject', async ({ ack, respond }) => {
    await ack();
    await respond({ response_type: 'ephemeral', replace_original: false, text: 'Only bakers may reject.' });
  });
  app.action<BlockButtonAction>('details', async ({ ack, body, client }) => {
    await pause(behaviour.delayMs ?? 0);
    await ack();
    behaviour.beforeOpen?.();
    await client.views.open({
      trigger_id: body.trigger_id,
      view: reasonView(body.channel?.id ?? '', body.message?.ts ?? ''),
    });
  });
  app.view('reason', async ({ ack, view, client, body }) => {
    const why = view.state.values.why?.text?.value ?? '';
    if (why.length < 5) {
      await ack({ response_action: 'errors', errors: { why: 'Too short for a reason.' } });
      return;
    }
    await ack();
    const { channel, ts } = JSON.parse(view.private_metadata);
    await client.chat.postMessage({ channel, thread_ts: ts, text: `<@${body.user.id}> says: ${escaped(why)}` });
  });
  app.action(/^(flour|who|boxes|more|day|go)$/, async ({ ack }) => ack());
  app.view({ callback_id: 'reason', type: 'view_closed' }, async ({ ack }) => ack());
  app.command('/bake', async ({ ack, command }) => ack(`baking ${escaped(command.text)}`));
  app.event('app_mention', async ({ event, say }) => {
    await say({ text: `Hello <@${event.user}>`, thread_ts: event.ts });
  });
  app.event('app_home_opened', async ({ event, client }) => {
    await client.views.publish({
      user_id: event.user,
      view: {
        type: 'home',
        blocks: [{ type: 'section', text: { type: 'mrkdwn', text: `Welcome home, <@${event.user}>` } }],
      },
    });
  });
}
