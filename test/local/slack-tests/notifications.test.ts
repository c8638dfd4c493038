/**
 * Checks whom a message of the local Slack notifies, and what their phones show.
 *
 * Covers dates and bursts of posts, too.
 */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { dateText } from '../slack/page/assets/dates.js';
import { mrkdwnTree } from '../slack/page/mrkdwn.ts';
import { plainOf } from '../slack/page/tree.ts';
import type { LocalSlack } from '../slack/server.ts';
import { createWorld } from '../slack/world.ts';
import { ANN, BEN, errorOf, GENERAL, startWorkspace, webClient } from './workspace.ts';

const NOW = Date.parse('2026-11-23T21:48:00Z');
let slack: LocalSlack;
let now = NOW;

beforeEach(async () => {
  now = NOW;
  slack = await startWorkspace({ clock: () => now });
});
afterEach(() => slack.stop());

const post = async (message: { text: string; channel?: string; blocks?: object[]; thread_ts?: string }) => {
  const { ts = '' } = await webClient(slack).chat.postMessage({ channel: GENERAL, ...message } as never);
  return ts;
};
const pinged = (ts: string) => slack.pinged(ts).map(({ user, why }) => `${user} ${why}`);

describe('a new message notifies', () => {
  const element = (part: object) => [
    { type: 'rich_text', elements: [{ type: 'rich_text_section', elements: [part] }] },
  ];
  const cases: [string, { text: string; blocks?: object[] }, string[]][] = [
    ['a person whom its text names', { text: `<@${ANN}> please` }, [`${ANN} mention`]],
    [
      'a person whom a section names',
      { text: 'x', blocks: [{ type: 'section', text: { type: 'mrkdwn', text: `<@${BEN}>` } }] },
      [`${BEN} mention`],
    ],
    [
      'a person whom a context block names',
      { text: 'x', blocks: [{ type: 'context', elements: [{ type: 'mrkdwn', text: `<@${BEN}>` }] }] },
      [`${BEN} mention`],
    ],
    [
      'a person whom rich text names',
      { text: 'x', blocks: element({ type: 'user', user_id: ANN }) },
      [`${ANN} mention`],
    ],
    ['a user group', { text: '<!subteam^S0BAKERS> look' }, [`${ANN} group`, `${BEN} group`]],
    ['everybody in the channel', { text: '<!here>' }, [`${ANN} channel`, `${BEN} channel`]],
    ['each person once', { text: `<@${ANN}> <!subteam^S0BAKERS>` }, [`${ANN} mention`, `${BEN} group`]],
    ['nobody by a plain name', { text: '@ann and Ann Miller' }, []],
    ['nobody by an escaped mention', { text: '&lt;@U0ANN&gt;' }, []],
    [
      'nobody by plain text',
      { text: 'x', blocks: [{ type: 'section', text: { type: 'plain_text', text: `<@${ANN}>` } }] },
      [],
    ],
    ['nobody who is not in the channel', { text: '<@U0EVE>' }, []],
    ['nobody of a group that is disabled', { text: '<!subteam^S0OLD>' }, []],
  ];
  it.each(cases)('%s', async (_, message, expected) => expect(pinged(await post(message))).toEqual(expected));

  it('the person of direct messages, opened by their id', async () => {
    const ts = await post({ channel: BEN, text: 'your turn' });
    expect(pinged(ts)).toEqual([`${BEN} direct`]);
    expect(slack.pushes(BEN)).toMatchObject([{ title: 'Bakery Bot', text: 'your turn' }]);
  });

  it('whoever follows the thread, when somebody else replies', async () => {
    const root = await post({ text: `<@${ANN}> may I?` });
    await slack.say({ user: BEN, channel: GENERAL, text: 'wait', threadTs: root });
    const replied = pinged(await post({ text: 'done', thread_ts: root }));
    expect(replied.toSorted()).toEqual([`${ANN} thread`, `${BEN} thread`]);
  });

  it('nobody when it is changed later, and nobody who reads it alone', async () => {
    const ts = await post({ text: 'x' });
    await webClient(slack).chat.update({ channel: GENERAL, ts, text: `<@${ANN}>` });
    await webClient(slack).chat.postEphemeral({ channel: GENERAL, user: ANN, text: `<@${ANN}>` });
    expect(slack.pushes(ANN)).toEqual([]);
  });
});

describe('a phone shows', () => {
  it('the text alone, with names for ids, in one line', async () => {
    const blocks = [{ type: 'section', text: { type: 'mrkdwn', text: 'not seen' } }];
    await post({ text: `<@${ANN}> *wants* to\nrun \`ls\` &amp; more`, blocks });
    expect(slack.pushes(ANN)).toMatchObject([
      { title: '#general', text: 'Bakery Bot: @Ann Miller wants to run ls & more' },
    ]);
  });

  it('the beginning of a long text', async () => {
    await post({ text: `<@${ANN}> ${'long '.repeat(100)}` });
    const [push] = slack.pushes(ANN);
    expect(push?.text.length).toBeLessThan(200);
    expect(push?.text.endsWith('…')).toBe(true);
  });
});

describe('dates', () => {
  const at = (iso: string, format: string) => dateText(Date.parse(iso) / 1_000, format, { now: NOW, zone: 'UTC' });
  it.each([
    ['2026-11-23T16:48:37Z', '{date_short_pretty} at {time}', 'Today at 4:48 PM'],
    ['2026-11-23T16:48:37Z', 'until {date_pretty}, {time_secs}', 'until today, 4:48:37 PM'],
    ['2026-11-22T09:05:00Z', '{date_long_pretty}', 'Yesterday'],
    ['2026-11-24T09:05:00Z', '{date_pretty} {time}', 'Tomorrow 9:05 AM'],
    ['2026-11-12T09:05:00Z', '{date}|{date_short}|{date_num}', 'November 12th|Nov 12|2026-11-12'],
    ['2026-11-01T00:00:00Z', '{date_long}|{date_long_full}', 'Sunday, November 1st, 2026|November 1, 2026'],
    ['2025-03-22T00:00:00Z', '{date}|{date_short}', 'March 22nd, 2025|Mar 22, 2025'],
    ['2026-11-23T21:18:00Z', '{ago}', '30 minutes ago'],
    ['2026-11-23T21:48:00Z', '{unknown}', '{unknown}'],
  ])('%s as %s', (iso, format, words) => expect(at(iso, format)).toBe(words));

  it('are those of the reader’s zone', () => {
    const late = { now: NOW, zone: 'Asia/Tokyo' };
    expect(dateText(NOW / 1_000, '{date_short_pretty} at {time}', late)).toBe('Today at 6:48 AM');
    expect(dateText(NOW / 1_000 - 10 * 3_600, '{date_short_pretty} at {time}', late)).toBe('Yesterday at 8:48 PM');
  });

  it('fall back to the words that the app gave where the time is none', () => {
    expect(dateText(Number.NaN, '{date}', { now: NOW, fallback: 'some day' })).toBe('some day');
  });
});

describe('inline code', () => {
  const world = createWorld({
    signingSecret: 's',
    botToken: 't',
    appId: 'A0',
    teamId: 'T0',
    botUserId: 'U0BOT',
    users: [],
    channels: [],
  });
  const kinds = (text: string) => mrkdwnTree(world, text).map(({ kind }) => kind);

  it.each(['`/bake`: now', 'x\n`/bake`; y', '“`a`”', '"`a`"', '`a`/`b`'])('is code in %s', (text) => {
    expect(kinds(text)).toContain('code');
    expect(plainOf(mrkdwnTree(world, text))).toBe(text.replaceAll('`', ''));
  });

  it.each(['a`b`c', 'no `code', '``'])('is none in %s', (text) => expect(kinds(text)).toEqual(['text']));
});

describe('rate limits', () => {
  const limited = (postBurst?: number) =>
    startWorkspace({ clock: () => now, rateLimits: true, ...(postBurst === undefined ? {} : { postBurst }) });
  const say = (channel: string, text = 'x') => webClient(slack).chat.postMessage({ channel, text });

  it.each([
    [undefined, 1],
    [4, 4],
  ])('with a burst of %s take %i posts in a channel, then one a second', async (burst, taken) => {
    await slack.stop();
    slack = await limited(burst);
    for (let count = 0; count < taken; count++) await say(GENERAL);
    expect(await errorOf(say(GENERAL))).toBe('slack_webapi_rate_limited_error');
    expect(slack.apiLog.at(-1)).toMatchObject({ status: 429 });
    now += 1_000 * taken;
    await say(GENERAL);
  });

  it('count a person’s id and their direct messages as one channel', async () => {
    await slack.stop();
    slack = await limited();
    const { channel } = await webClient(slack).conversations.open({ users: ANN });
    await say(ANN);
    expect(await errorOf(say(channel?.id ?? ''))).toBe('slack_webapi_rate_limited_error');
  });

  it('take fifty updates a minute', async () => {
    await slack.stop();
    slack = await limited();
    const { ts = '' } = await say(GENERAL);
    const update = () => webClient(slack).chat.update({ channel: GENERAL, ts, text: 'y' });
    for (let count = 0; count < 50; count++) await update();
    expect(await errorOf(update())).toBe('slack_webapi_rate_limited_error');
    now += 60_001;
    await update();
  });
});
