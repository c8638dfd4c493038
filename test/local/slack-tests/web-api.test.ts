/** Checks the Web API of the local Slack, through the client that apps use. */
import type { WebClient } from '@slack/web-api';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { LocalSlack } from '../slack/server.ts';
import { ANN, BEN, BOT, errorOf, GENERAL, startWorkspace, TOKEN, webClient } from './workspace.ts';

let slack: LocalSlack;
let client: WebClient;
let now = 1_800_000_000_000;

beforeEach(async () => {
  now = 1_800_000_000_000;
  slack = await startWorkspace({ clock: () => now });
  client = webClient(slack);
});
afterEach(() => slack.stop());

const post = (text = 'fresh bread') => client.chat.postMessage({ channel: GENERAL, text });

describe('tokens and scopes', () => {
  it('tells the app who it is', async () => {
    expect(await client.auth.test()).toMatchObject({ ok: true, team_id: 'T0LOCAL', user_id: BOT, bot_id: 'B0BOT' });
    expect(await client.apiCall('api.test', { foo: 'bar' })).toMatchObject({ ok: true, args: { foo: 'bar' } });
  });

  it('refuses no token, an unknown one, a revoked one, and a missing scope', async () => {
    const bare = await fetch(`${slack.apiUrl}auth.test`, { method: 'POST' });
    expect(await bare.json()).toMatchObject({ ok: false, error: 'not_authed' });
    expect(await errorOf(webClient(slack, 'xoxb-other').auth.test())).toBe('invalid_auth');
    slack.setScopes(['users:read']);
    await expect(post()).rejects.toMatchObject({
      data: { error: 'missing_scope', needed: 'chat:write', provided: 'users:read' },
    });
    slack.revokeToken();
    expect(await errorOf(client.auth.test())).toBe('token_revoked');
  });

  it('does not know methods that it does not play', async () => {
    expect(await errorOf(client.apiCall('chat.unheardOf'))).toBe('unknown_method');
  });

  it('takes JSON bodies with a bearer token as well as forms', async () => {
    const response = await fetch(`${slack.apiUrl}chat.postMessage`, {
      method: 'POST',
      headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json; charset=utf-8' },
      body: JSON.stringify({ channel: GENERAL, blocks: [{ type: 'divider' }] }),
    });
    expect(await response.json()).toMatchObject({ ok: true, message: { blocks: [{ type: 'divider' }] } });
  });
});

describe('chat', () => {
  it('posts with unique rising time stamps even when the clock stands still', async () => {
    const [first, second] = [await post(), await post()];
    expect(Number(second.ts)).toBeGreaterThan(Number(first.ts));
    expect(first.ts).toMatch(/^\d{10}\.\d{6}$/);
    expect(first.message).toMatchObject({ user: BOT, bot_id: 'B0BOT', app_id: 'A0LOCAL', team: 'T0LOCAL' });
  });

  it('keeps metadata and fills in the ids of blocks', async () => {
    const metadata = { event_type: 'loaf', event_payload: { id: 7 } };
    const button = { type: 'button' as const, text: { type: 'plain_text' as const, text: 'Fish & chips <3' } };
    await client.chat.postMessage({
      channel: GENERAL,
      text: 'a & b',
      metadata,
      blocks: [{ type: 'actions', elements: [button] }],
    });
    expect(slack.messages(GENERAL)).toMatchObject([
      {
        text: 'a &amp; b',
        metadata,
        blocks: [
          {
            block_id: expect.stringMatching(/^\w{5}$/),
            elements: [{ action_id: expect.any(String), text: { text: 'Fish &amp; chips &lt;3' } }],
          },
        ],
      },
    ]);
  });

  it('answers where a message cannot go', async () => {
    const to = (channel: string) => errorOf(client.chat.postMessage({ channel, text: 'x' }));
    expect(await to('C0NOWHERE')).toBe('channel_not_found');
    expect(await to('C0AWAY')).toBe('not_in_channel');
    expect(await to('C0SECRET')).toBe('channel_not_found');
    slack.changeChannel(GENERAL, { isArchived: true });
    expect(await to(GENERAL)).toBe('is_archived');
    slack.deleteChannel(GENERAL);
    expect(await to(GENERAL)).toBe('channel_not_found');
  });

  it('refuses nothing to say, too much to say, and threads that are not there', async () => {
    expect(await errorOf(post(''))).toBe('no_text');
    expect(await errorOf(post('x'.repeat(40_001)))).toBe('msg_too_long');
    const reply = client.chat.postMessage({ channel: GENERAL, text: 'x', thread_ts: '1.000001' });
    expect(await errorOf(reply)).toBe('thread_not_found');
    const bad = client.apiCall('chat.postMessage', { channel: GENERAL, blocks: '[{' });
    expect(await errorOf(bad)).toBe('invalid_blocks_format');
    const metadata = client.apiCall('chat.postMessage', { channel: GENERAL, text: 'x', metadata: { a: 1 } });
    expect(await errorOf(metadata)).toBe('invalid_metadata_schema');
  });

  it('updates its own messages only and keeps what it was not told to change', async () => {
    const { ts = '' } = await client.chat.postMessage({
      channel: GENERAL,
      text: 'old',
      blocks: [{ type: 'divider' }],
      metadata: { event_type: 'e', event_payload: {} },
    });
    await client.chat.update({ channel: GENERAL, ts, text: 'new' });
    expect(slack.messages(GENERAL)[0]).toMatchObject({
      text: 'new',
      blocks: [{ type: 'divider' }],
      metadata: { event_type: 'e' },
      edited: { user: BOT },
    });
    await client.chat.update({ channel: GENERAL, ts, text: 'bare', blocks: [] });
    expect(slack.messages(GENERAL)[0]?.blocks).toEqual([]);
    expect(await errorOf(client.chat.update({ channel: GENERAL, ts: '1.000001', text: 'x' }))).toBe(
      'message_not_found',
    );
    expect(await errorOf(client.chat.update({ channel: GENERAL, ts, text: 'x'.repeat(4_001) }))).toBe('msg_too_long');
    const foreign = await slack.say({ user: ANN, channel: GENERAL, text: 'mine' });
    const change = client.chat.update({ channel: GENERAL, ts: foreign, text: 'x' });
    expect(await errorOf(change)).toBe('cant_update_message');
    expect(await errorOf(client.chat.delete({ channel: GENERAL, ts: foreign }))).toBe('cant_delete_message');
  });

  it('deletes, links and reacts', async () => {
    const { ts = '' } = await post();
    const link = await client.chat.getPermalink({ channel: GENERAL, message_ts: ts });
    expect(link.permalink).toBe(`${slack.url}/archives/${GENERAL}/p${ts.replace('.', '')}`);
    await client.reactions.add({ channel: GENERAL, timestamp: ts, name: 'bread' });
    const again = client.reactions.add({ channel: GENERAL, timestamp: ts, name: 'bread' });
    expect(await errorOf(again)).toBe('already_reacted');
    await client.chat.delete({ channel: GENERAL, ts });
    expect(slack.messages(GENERAL)).toEqual([]);
  });

  it('shows an ephemeral to one member and puts it in no history', async () => {
    await client.chat.postEphemeral({ channel: GENERAL, user: ANN, text: 'psst' });
    expect(slack.ephemerals(ANN)).toMatchObject([{ text: 'psst', ephemeralTo: ANN }]);
    expect(slack.ephemerals(BEN)).toEqual([]);
    expect((await client.conversations.history({ channel: GENERAL })).messages).toEqual([]);
    const stranger = client.chat.postEphemeral({ channel: GENERAL, user: 'U0EVE', text: 'psst' });
    expect(await errorOf(stranger)).toBe('user_not_in_channel');
    const nobody = client.chat.postEphemeral({ channel: GENERAL, user: 'U0NOBODY', text: 'psst' });
    expect(await errorOf(nobody)).toBe('user_not_found');
  });
});

describe('looking up', () => {
  it('knows users, also those from outside and those who left', async () => {
    expect(await client.users.info({ user: ANN })).toMatchObject({
      user: { id: ANN, name: 'ann', real_name: 'Ann Miller', deleted: false, is_bot: false, team_id: 'T0LOCAL' },
    });
    expect(await client.users.info({ user: 'U0EVE' })).toMatchObject({
      user: { team_id: 'T0OTHER', is_stranger: true },
    });
    expect(await client.users.info({ user: 'U0GONE' })).toMatchObject({ user: { deleted: true } });
    expect(await client.users.info({ user: BOT })).toMatchObject({ user: { is_bot: true } });
    expect(await errorOf(client.users.info({ user: 'U0NOBODY' }))).toBe('user_not_found');
    const first = await client.users.list({ limit: 3 });
    const rest = await client.users.list({ limit: 3, cursor: first.response_metadata?.next_cursor ?? '' });
    expect([...(first.members ?? []), ...(rest.members ?? [])].map((user) => user.id)).toHaveLength(5);
    expect(await client.bots.info({ bot: 'B0BOT' })).toMatchObject({ bot: { app_id: 'A0LOCAL', user_id: BOT } });
  });

  it('knows user groups', async () => {
    expect((await client.usergroups.list({})).usergroups).toMatchObject([{ id: 'S0BAKERS', handle: 'bakers' }]);
    const list = (usergroup: string) => client.usergroups.users.list({ usergroup });
    expect((await list('S0BAKERS')).users).toEqual([ANN, BEN]);
    slack.setUserGroup('S0BAKERS', [BEN]);
    expect((await list('S0BAKERS')).users).toEqual([BEN]);
    expect(await errorOf(list('S0NONE'))).toBe('no_such_subteam');
    expect(await errorOf(list('S0OLD'))).toBe('subteam_disabled');
  });

  it('knows conversations, and hides private ones that the app is not in', async () => {
    const names = (await client.conversations.list()).channels?.map((channel) => channel.name);
    expect(names).toEqual(['general', 'away']);
    const mine = (await client.users.conversations({})).channels?.map((channel) => channel.name);
    expect(mine).toEqual(['general']);
    expect(await client.conversations.info({ channel: GENERAL })).toMatchObject({ channel: { is_member: true } });
    expect(await errorOf(client.conversations.info({ channel: 'C0SECRET' }))).toBe('channel_not_found');
    expect((await client.conversations.members({ channel: GENERAL })).members).toEqual([ANN, BEN, BOT]);
    expect(await errorOf(client.conversations.history({ channel: 'C0AWAY' }))).toBe('not_in_channel');
  });

  it('opens direct messages and posts there by user id', async () => {
    const { channel } = await client.conversations.open({ users: ANN });
    const posted = await client.chat.postMessage({ channel: ANN, text: 'hello Ann' });
    expect(posted.channel).toBe(channel?.id);
    expect(slack.messages(channel?.id ?? '')).toMatchObject([{ text: 'hello Ann' }]);
  });

  it('tells threads from the channel', async () => {
    const { ts: root = '' } = await post('root');
    await client.chat.postMessage({ channel: GENERAL, text: 'reply', thread_ts: root });
    await post('later');
    const texts = (messages: { text?: string }[] = []) => messages.map((message) => message.text);
    expect(texts((await client.conversations.history({ channel: GENERAL })).messages)).toEqual(['later', 'root']);
    const thread = await client.conversations.replies({ channel: GENERAL, ts: root });
    expect(texts(thread.messages)).toEqual(['root', 'reply']);
    expect(thread.messages?.[0]).toMatchObject({ reply_count: 1, thread_ts: root });
  });
});

describe('trouble on request', () => {
  it('is out until it is back', async () => {
    slack.setOutage(true);
    await expect(post()).rejects.toMatchObject({ code: 'slack_webapi_http_error', statusCode: 503 });
    slack.setOutage(false);
    expect((await post()).ok).toBe(true);
  });

  it('fails the next call only', async () => {
    slack.failNext('chat.postMessage', 'fatal_error');
    slack.failNext('chat.postMessage', 500);
    expect(await errorOf(post())).toBe('fatal_error');
    await expect(post()).rejects.toMatchObject({ statusCode: 500 });
    expect((await post()).ok).toBe(true);
  });

  it('fails the next call that is about something, whatever is sent before it', async () => {
    slack.failNext('chat.postMessage', 'fatal_error', { about: 'the other' });
    expect((await post()).ok).toBe(true);
    const other = () => client.chat.postMessage({ channel: GENERAL, text: 'the other' });
    expect(await errorOf(other())).toBe('fatal_error');
    expect((await other()).ok).toBe(true);
  });

  it('limits a method for so many seconds of its clock', async () => {
    slack.rateLimit('chat.postMessage', 30);
    await expect(post()).rejects.toMatchObject({ retryAfter: 30 });
    now += 30_000;
    expect((await post()).ok).toBe(true);
  });

  it('takes one message a second per channel when limits are on', async () => {
    const strict = await startWorkspace({ rateLimits: true, clock: () => now });
    const send = () => webClient(strict).chat.postMessage({ channel: GENERAL, text: 'x' });
    await send();
    await expect(send()).rejects.toMatchObject({ retryAfter: 1 });
    now += 1_000;
    await send();
    await strict.stop();
  });

  it('keeps a log of every call, without the token', async () => {
    await post();
    await errorOf(post(''));
    expect(slack.apiLog).toMatchObject([
      { method: 'chat.postMessage', status: 200, args: { text: 'fresh bread' }, response: { ok: true } },
      { method: 'chat.postMessage', response: { error: 'no_text' } },
    ]);
    expect(JSON.stringify(slack.apiLog)).not.toContain(TOKEN);
  });
});
