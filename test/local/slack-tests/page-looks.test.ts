/**
 * Checks how the page of the local Slack shows what decides an outcome.
 *
 * Covers pings, folded texts and the focus.
 */
import { describe, expect, it } from 'vitest';
import { button, picture, useSlackPage } from './page-world.ts';
import { ANN, BEN, GENERAL, webClient } from './workspace.ts';

const world = useSlackPage();
const { open, card } = world;
const plain = (text: string) => ({ type: 'plain_text' as const, text });
const options = ['white', 'rye', 'spelt'].map((value) => ({ text: plain(value), value }));
const chat = () => webClient(world.slack).chat;
const post = async (blocks: object[], text = 'x') =>
  (await chat().postMessage({ channel: GENERAL, text, blocks: blocks as never })).ts ?? '';

describe('a message', () => {
  it('says whom it would ping, shows what their phones do, and counts beside the channel until it was seen', async () => {
    const ben = await open(BEN, 'home=1');
    await chat().postMessage({ channel: GENERAL, text: `<@${BEN}> a loaf?` });
    await chat().postMessage({ channel: GENERAL, text: 'nobody in particular' });
    await ben.getByLabel('1 unread').waitFor();
    await button(ben, '# general 1 unread').click();
    await ben.getByText('would ping nobody').waitFor();
    await ben.getByText('would ping @Ben Okafor').click();
    await ben.locator('.push', { hasText: 'Bakery Bot: @Ben Okafor a loaf?' }).waitFor();
    expect(await ben.locator('.mention.me').count()).toBe(1);
    expect(await ben.getByLabel('1 unread').count()).toBe(0);
    await picture(ben, 'pinged');
  });

  it('folds a long section behind "See more" unless it says expand', async () => {
    const text = plain(`${'long words '.repeat(100)}the end`);
    await post([
      { type: 'section', text },
      { type: 'section', text: plain('short') },
    ]);
    await post([{ type: 'section', text, expand: true }]);
    const page = await open(ANN);
    expect(await button(page, 'See more').count()).toBe(1);
    const folded = page.locator('.text.folded');
    const height = (await folded.boundingBox())?.height ?? 0;
    await button(page, 'See more').click();
    expect(await folded.count()).toBe(0);
    expect((await page.getByText('the end').first().boundingBox())?.height).toBeGreaterThan(height);
    await chat().postMessage({ channel: GENERAL, text: 'news' });
    await page.getByText('news', { exact: true }).waitFor();
    await button(page, 'See less').click();
    expect(await folded.count()).toBe(1);
  });

  it('scrolls as a whole: no part of it scrolls inside', async () => {
    const what = Array.from({ length: 80 }, (_, line) => `line ${line}`).join('\n');
    await card(what);
    const page = await open(ANN);
    const pre = page.locator('pre');
    expect(await pre.evaluate((node) => node.scrollHeight <= node.clientHeight)).toBe(true);
    expect(await pre.getAttribute('tabindex')).toBe(null);
  });

  it('tells times on the one clock of the page, in the zone of its reader', async () => {
    const seconds = Math.floor(Date.now() / 1_000);
    await chat().postMessage({
      channel: GENERAL,
      text: `Until <!date^${seconds}^{date_short_pretty} at {time}|never>`,
    });
    const page = await open(ANN);
    const byline = await page.locator('.byline time').first().textContent();
    const text = await page.locator('.text time').first().textContent();
    expect(byline).toMatch(/^\d{1,2}:\d\d [AP]M$/);
    expect(text).toMatch(/^Today at \d{1,2}:\d\d [AP]M$/);
  });

  it('that a thread also shows in the channel quotes what it replies to, and leads there', async () => {
    const ts = await card();
    await chat().postMessage({ channel: GENERAL, text: 'Still waiting', thread_ts: ts, reply_broadcast: true });
    const page = await open(ANN);
    await page.getByText('replied to a thread:').waitFor();
    await button(page, 'May I?').click();
    await page.getByRole('heading', { name: 'Thread' }).waitFor();
    expect(await page.getByText('Last reply Today at').count()).toBe(1);
  });

  it('is led to by its permalink, within the page and as the same person', async () => {
    const ts = await card();
    for (let count = 0; count < 12; count++) await chat().postMessage({ channel: GENERAL, text: `filler ${count}` });
    const { permalink = '' } = await chat().getPermalink({ channel: GENERAL, message_ts: ts });
    const link = { type: 'button' as const, action_id: 'go', text: plain('Open card'), url: permalink };
    await webClient(world.slack).views.publish({
      user_id: BEN,
      view: { type: 'home', blocks: [{ type: 'actions', elements: [link] }] },
    });
    const page = await open(BEN, 'home=1');
    await button(page, 'Open card').click();
    await page.locator('.message.linked').waitFor();
    expect(await page.getByLabel('View as').inputValue()).toBe(BEN);
    expect(await page.locator('.message.linked').getAttribute('data-ts')).toBe(ts);
    expect(world.browser.context.pages()).toHaveLength(1);
  });
});

describe('the focus', () => {
  it('stays on the control that was used when its message is drawn anew', async () => {
    const elements = (text: string) => [
      { type: 'button', action_id: 'flour', text: plain(text) },
      { type: 'button', action_id: 'go', text: plain('Go') },
    ];
    const ts = await post([{ type: 'actions', elements: elements('Flour') }]);
    const page = await open(ANN);
    await button(page, 'Go').focus();
    await chat().update({
      channel: GENERAL,
      ts,
      text: 'x',
      blocks: [{ type: 'actions', elements: elements('More flour') as never }],
    });
    await button(page, 'More flour').waitFor();
    expect(await page.locator(':focus').textContent()).toBe('Go');
  });

  it('stays at the message when its controls are gone, and goes back to the opener when a modal closes', async () => {
    await card();
    const page = await open(ANN);
    await button(page, 'Say why').click();
    await page.getByRole('dialog', { name: 'Say why' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(await page.locator(':focus').textContent()).toBe('Say why');
    await button(page, 'Approve').focus();
    await page.keyboard.press('Enter');
    await page.getByText('Approved by @Ann Miller').waitFor();
    expect(await page.locator(':focus').getAttribute('aria-label')).toBe('Message from Bakery Bot');
  });
});

describe('menus', () => {
  it('are closed until they are opened, and taken back by Escape', async () => {
    await post([
      { type: 'actions', elements: [{ type: 'overflow', action_id: 'more', options }] },
      {
        type: 'section',
        text: plain('Which flours?'),
        accessory: { type: 'multi_static_select', action_id: 'boxes', options },
      },
    ]);
    const page = await open(ANN);
    const sent = () => JSON.parse(new URLSearchParams(world.slack.requestLog.at(-1)?.body).get('payload') ?? '{}');
    expect(await page.getByText('white').filter({ visible: true }).count()).toBe(0);
    await button(page, 'More actions').focus();
    await page.keyboard.press('Enter');
    await page.keyboard.press('ArrowDown');
    expect(await page.locator(':focus').textContent()).toBe('rye');
    await picture(page, 'overflow');
    await page.keyboard.press('Escape');
    expect(await page.getByRole('menuitem').filter({ visible: true }).count()).toBe(0);
    expect(world.slack.requestLog).toHaveLength(0);
    await button(page, 'More actions').click();
    await page.getByRole('menuitem', { name: 'spelt' }).click();
    await expect.poll(sent).toMatchObject({ actions: [{ action_id: 'more', selected_option: { value: 'spelt' } }] });
    await page.getByRole('button', { name: 'Which flours?: Choose…' }).click();
    await page.getByRole('checkbox', { name: 'rye' }).check();
    await expect.poll(sent).toMatchObject({ actions: [{ action_id: 'boxes', selected_options: [{ value: 'rye' }] }] });
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Which flours?: rye' }).waitFor();
  });
});

describe('the page', () => {
  it('is dark where the system is, and as it was chosen', async () => {
    await card();
    const page = await open(ANN);
    const paper = () => page.evaluate<string>('getComputedStyle(document.body).backgroundColor');
    const light = await paper();
    await page.emulateMedia({ colorScheme: 'dark' });
    const dark = await paper();
    expect(dark).not.toBe(light);
    await page.getByLabel('Theme').selectOption('Light');
    expect(await paper()).toBe(light);
    await page.reload();
    expect(await paper()).toBe(light);
    await page.getByLabel('Theme').selectOption('Dark');
    await page.emulateMedia({ colorScheme: 'light' });
    expect(await paper()).toBe(dark);
    await page.getByLabel('Theme').selectOption('System');
    expect(await paper()).toBe(light);
  });

  it.each(['light', 'dark'] as const)('fits the width of a phone in the %s', async (colorScheme) => {
    await card(
      'a command that is much too long for the width of any phone, with_one_word_that_cannot_be_broken_anywhere',
    );
    const page = await open(ANN);
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width: 375, height: 812 });
    expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBe(375);
    expect(await page.locator('.messages').evaluate((node) => node.scrollWidth <= node.clientWidth)).toBe(true);
    await picture(page, `phone-${colorScheme}`);
  });

  it('shows a modal in the window that it was opened in, and in no other of the same person', async () => {
    await card();
    const [first, second] = [await open(ANN), await open(ANN)];
    await button(first, 'Say why').click();
    await first.getByRole('dialog', { name: 'Say why' }).waitFor();
    await chat().postMessage({ channel: GENERAL, text: 'news' });
    await second.getByText('news', { exact: true }).waitFor();
    expect(await second.getByRole('dialog').count()).toBe(0);
    await first.reload();
    await first.getByRole('dialog', { name: 'Say why' }).waitFor();
  });
});
