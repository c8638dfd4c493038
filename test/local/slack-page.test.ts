/** The page of the local Slack in a real browser, with a real Bolt app behind it. */
import { mkdir } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type LocalBrowser, launchBrowser } from './browser.ts';
import type { LocalSlack } from './slack/server.ts';
import {
  askBlocks,
  type BakeryApp,
  type Behaviour,
  escaped,
  HOSTILE,
  startBakery,
} from './slack/testing/bakery-app.ts';
import { ANN, BEN, BOT, GENERAL, startWorkspace, webClient } from './slack/testing/workspace.ts';

const PICTURES = new URL('../../.cache/screenshots/', import.meta.url).pathname;

let browser: LocalBrowser;
let slack: LocalSlack;
let bakery: BakeryApp;
let behaviour: Behaviour;
let skew: number;
let complaints: string[];

beforeAll(async () => {
  await mkdir(PICTURES, { recursive: true });
  browser = await launchBrowser();
});
afterAll(() => browser?.close());

beforeEach(async () => {
  skew = 0;
  behaviour = {};
  complaints = [];
  const commands = [{ command: '/bake', description: 'Bake something' }];
  slack = await startWorkspace({ clock: () => Date.now() + skew, commands });
  bakery = await startBakery(slack, behaviour);
});
afterEach(async () => {
  for (const page of browser.context.pages()) await page.close();
  await bakery.stop();
  await slack.stop();
});

async function open(user: string, query = `channel=${GENERAL}`): Promise<Page> {
  const page = await browser.context.newPage();
  page.setDefaultTimeout(10_000);
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
  await page.goto(`${slack.url}/?user=${user}&${query}`);
  await page.getByRole('heading', { level: 1 }).first().waitFor();
  return page;
}

async function card(what = 'rye'): Promise<string> {
  const blocks = askBlocks(what);
  const { ts = '' } = await webClient(slack).chat.postMessage({ channel: GENERAL, text: 'May I?', blocks });
  return ts;
}

const picture = (page: Page, name: string) => page.screenshot({ path: `${PICTURES}slack-${name}.png` });
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

describe('a card', () => {
  it('is approved by a click and changes for everyone', async () => {
    await card();
    const [ann, ben] = [await open(ANN), await open(BEN)];
    await button(ben, 'Approve').waitFor();
    await picture(ann, 'card');
    await button(ann, 'Approve').click();
    for (const page of [ann, ben]) {
      await page.getByText('Approved by @Ann Miller').waitFor();
      expect(await button(page, 'Approve').count()).toBe(0);
    }
    await picture(ben, 'card-approved');
    expect(complaints).toEqual([]);
  });

  it('can be used with the keyboard alone', async () => {
    await card();
    const page = await open(ANN);
    await button(page, 'Approve').focus();
    await page.keyboard.press('Tab');
    expect(await page.locator('button:focus').textContent()).toBe('Say why');
    await page.keyboard.press('Shift+Tab');
    await page.keyboard.press('Enter');
    await page.getByText('Approved by @Ann Miller').waitFor();
  });

  it('asks before a button with a confirm dialog does anything', async () => {
    await card();
    const page = await open(ANN);
    await button(page, 'Reject').click();
    const dialog = page.getByRole('alertdialog', { name: 'Reject the bread?' });
    await picture(page, 'confirm');
    await dialog.getByRole('button', { name: 'Keep it' }).click();
    await button(page, 'Reject').click();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    expect(slack.requestLog).toHaveLength(0);
    await button(page, 'Reject').click();
    await dialog.getByRole('button', { name: 'Yes, reject' }).click();
    await page.getByText('Only bakers may reject.').waitFor();
    expect(slack.requestLog).toHaveLength(1);
  });

  it('shows an ephemeral to one person only, who may dismiss it', async () => {
    const [ann, ben] = [await open(ANN), await open(BEN)];
    await webClient(slack).chat.postEphemeral({ channel: GENERAL, user: ANN, text: 'just for Ann' });
    await webClient(slack).chat.postMessage({ channel: GENERAL, text: 'for all' });
    await ann.getByText('Only visible to you').waitFor();
    await ben.getByText('for all').waitFor();
    expect(await ben.getByText('just for Ann').count()).toBe(0);
    await picture(ann, 'ephemeral');
    await button(ann, 'Dismiss message').click();
    await ann.getByText('just for Ann').waitFor({ state: 'detached' });
  });

  it('shows hostile text as it is', async () => {
    await card(HOSTILE);
    const text = {
      type: 'mrkdwn' as const,
      text: `Escaped: ${escaped('<!channel> <https://evil.example|ok> <script> <@U0ANN>')}`,
    };
    await webClient(slack).chat.postMessage({ channel: GENERAL, text: 'x', blocks: [{ type: 'section', text }] });
    await webClient(slack).chat.postMessage({ channel: GENERAL, text: 'Link <javascript:alert(1)|press me> here' });
    const page = await open(ANN);
    expect(await page.locator('pre').first().textContent()).toBe(HOSTILE);
    await page.getByText('Escaped: <!channel> <https://evil.example|ok> <script> <@U0ANN>').waitFor();
    await page.getByText('Link press me here').waitFor();
    expect(
      await page
        .getByRole('link')
        .filter({ hasText: /ok|press/ })
        .count(),
    ).toBe(0);
    expect(await page.locator('.mention.group').count()).toBe(0);
    expect(await page.locator('script').count()).toBe(1);
    await picture(page, 'hostile');
    expect(complaints).toEqual([]);
  });

  it('makes real markup visible for what it is', async () => {
    await webClient(slack).chat.postMessage({
      channel: GENERAL,
      text: '<!channel> see <https://example.com|the *rules*> :bread:',
    });
    const page = await open(ANN);
    await page.locator('.mention.group', { hasText: '@channel' }).waitFor();
    expect(await page.getByRole('link', { name: 'the rules' }).getAttribute('href')).toBe('https://example.com');
    await page.getByRole('img', { name: 'bread' }).waitFor();
  });
});

describe('other blocks', () => {
  const plain = (text: string) => ({ type: 'plain_text' as const, text });
  const options = ['white', 'rye'].map((value) => ({ text: plain(value), value }));
  const sent = () => JSON.parse(new URLSearchParams(slack.requestLog.at(-1)?.body).get('payload') ?? '{}');

  it('send each choice as it is made, with what else is filled in', async () => {
    const post = (blocks: object[]) =>
      webClient(slack).chat.postMessage({ channel: GENERAL, text: 'x', blocks: blocks as never });
    await post([
      {
        type: 'section',
        text: plain('Which flour?'),
        accessory: { type: 'static_select', action_id: 'flour', options },
      },
      { type: 'section', text: plain('Who?'), accessory: { type: 'users_select', action_id: 'who' } },
      {
        type: 'input',
        block_id: 'note',
        label: plain('Note'),
        element: { type: 'plain_text_input', action_id: 'note' },
      },
      {
        type: 'actions',
        elements: [
          { type: 'checkboxes', action_id: 'boxes', options },
          { type: 'overflow', action_id: 'more', options },
          { type: 'datepicker', action_id: 'day' },
        ],
      },
      { type: 'image', image_url: 'https://a.example/bread.png', alt_text: 'A loaf of bread', title: plain('Today') },
      { type: 'table', rows: [['a', 'b'].map((text) => ({ type: 'raw_text', text }))] },
      { type: 'markdown', text: 'Literal **markdown**' },
    ]);
    const page = await open(ANN);
    await page.getByLabel('Note').fill('more salt');
    await page.getByLabel('Which flour?').selectOption('rye');
    await expect.poll(sent).toMatchObject({
      actions: [{ action_id: 'flour', type: 'static_select', selected_option: { value: 'rye' } }],
      state: { values: { note: { note: { type: 'plain_text_input', value: 'more salt' } } } },
    });
    await page.getByLabel('Who?').selectOption(BEN);
    await expect.poll(sent).toMatchObject({ actions: [{ action_id: 'who', selected_user: BEN }] });
    await page.getByRole('checkbox', { name: 'white' }).check();
    await expect
      .poll(sent)
      .toMatchObject({ actions: [{ action_id: 'boxes', selected_options: [{ value: 'white' }] }] });
    await page.getByLabel('…').selectOption('white');
    await expect.poll(sent).toMatchObject({ actions: [{ action_id: 'more', selected_option: { value: 'white' } }] });
    await page.getByRole('img', { name: 'A loaf of bread' }).waitFor();
    await page.getByRole('cell', { name: 'b' }).waitFor();
    await picture(page, 'blocks');
  });

  it('take clicks in App Home', async () => {
    const blocks = [
      { type: 'actions' as const, elements: [{ type: 'button' as const, action_id: 'go', text: plain('Go') }] },
    ];
    await webClient(slack).views.publish({ user_id: ANN, view: { type: 'home', blocks } });
    const page = await open(ANN, 'home=1');
    await button(page, 'Go').click();
    await expect.poll(sent).toMatchObject({
      container: { type: 'view' },
      view: { type: 'home', app_id: 'A0LOCAL' },
      actions: [{ action_id: 'go' }],
    });
  });
});

describe('a modal', () => {
  it('shows the error at its field, then takes the answer', async () => {
    await card();
    const page = await open(ANN);
    await button(page, 'Say why').click();
    const modal = page.getByRole('dialog', { name: 'Say why' });
    await modal.getByRole('button', { name: 'Send' }).click();
    await modal.getByText('Please fill in this field.').first().waitFor();
    expect(slack.requestLog).toHaveLength(1);
    await modal.getByLabel('Reason').fill('no');
    await modal.getByLabel('Size').selectOption('large');
    await modal.getByRole('checkbox', { name: 'seeds' }).check();
    await modal.getByRole('radio', { name: 'fast' }).check();
    await modal.getByLabel('Baker').selectOption({ label: 'Ben Okafor' });
    await modal.getByRole('button', { name: 'Send' }).click();
    await modal.getByText('Too short for a reason.').waitFor();
    await picture(page, 'modal-error');
    expect(await modal.getByLabel('Reason').getAttribute('aria-invalid')).toBe('true');
    await modal.getByLabel('Reason').fill('the <b>crust</b> & the crumb');
    await modal.getByRole('button', { name: 'Send' }).click();
    await modal.waitFor({ state: 'detached' });
    await button(page, '1 reply').click();
    await page.getByText('@Ann Miller says: the <b>crust</b> & the crumb').waitFor();
    await picture(page, 'thread');
    const values = slack.requestLog.at(-1)?.body ?? '';
    expect(JSON.parse(new URLSearchParams(values).get('payload') ?? '').view.state.values).toMatchObject({
      size: { size: { selected_option: { value: 'large' } } },
      extras: { extras: { selected_options: [{ value: 'seeds' }] } },
      speed: { speed: { selected_option: { value: 'fast' } } },
      baker: { baker: { selected_user: BEN } },
    });
    expect(complaints).toEqual([]);
  });

  it('keeps what was typed when the app updates it, and closes on Escape', async () => {
    await card();
    const page = await open(ANN);
    await button(page, 'Say why').click();
    const modal = page.getByRole('dialog', { name: 'Say why' });
    await modal.getByLabel('Reason').fill('half a sen');
    const [view] = slack.views(ANN);
    const blocks = (view?.content.blocks ?? []) as never[];
    const title = { type: 'plain_text' as const, text: 'Changed' };
    const submit = { type: 'plain_text' as const, text: 'Send' };
    await webClient(slack).views.update({ view_id: view?.id ?? '', view: { type: 'modal', title, submit, blocks } });
    const changed = page.getByRole('dialog', { name: 'Changed' });
    expect(await changed.getByLabel('Reason').inputValue()).toBe('half a sen');
    await page.keyboard.press('Escape');
    await changed.waitFor({ state: 'detached' });
    expect(slack.views(ANN)).toEqual([]);
  });

  it('does not open with a trigger that is too old', async () => {
    await card();
    const page = await open(ANN);
    behaviour.beforeOpen = () => {
      skew += 3_001;
    };
    await button(page, 'Say why').click();
    await expect.poll(() => bakery.errors).toEqual(['expired_trigger_id']);
    expect(await page.getByRole('dialog').count()).toBe(0);
  });
});

describe('trouble', () => {
  it('warns when the app is too slow', async () => {
    const hasty = await startWorkspace({ ackTimeoutMs: 200 });
    await webClient(hasty).chat.postMessage({ channel: GENERAL, text: 'May I?', blocks: askBlocks('rye') });
    hasty.setRequestUrl(bakery.url);
    const page = await browser.context.newPage();
    await page.goto(`${hasty.url}/?user=${ANN}`);
    behaviour.delayMs = 600;
    await button(page, 'Approve').click();
    await page.getByRole('alert').getByText('Bakery Bot did not respond in time').waitFor();
    await picture(page, 'slow-app');
    await hasty.stop();
  });

  it('warns when the app refuses a forged signature', async () => {
    const forger = await startWorkspace({ signingSecret: 'not the secret of the app' });
    await webClient(forger).chat.postMessage({ channel: GENERAL, text: 'May I?', blocks: askBlocks('rye') });
    forger.setRequestUrl(bakery.url);
    const page = await browser.context.newPage();
    await page.goto(`${forger.url}/?user=${ANN}`);
    await button(page, 'Approve').click();
    await page.getByRole('alert').getByText('refused this (401)').waitFor();
    await forger.stop();
  });

  it('leaves the card as it was when Slack is out', async () => {
    await card();
    const page = await open(ANN);
    slack.setOutage(true);
    await button(page, 'Approve').click();
    await expect.poll(() => bakery.errors.length).toBe(1);
    expect(await button(page, 'Approve').count()).toBe(1);
    slack.setOutage(false);
    await button(page, 'Approve').click();
    await page.getByText('Approved by @Ann Miller').waitFor();
  });

  it('serves no other site and no other host', async () => {
    const from = (headers: Record<string, string>) => fetch(`${slack.url}/page/snapshot?user=${ANN}`, { headers });
    expect((await from({ origin: 'https://evil.example' })).status).toBe(403);
    const form = await fetch(`${slack.url}/page/act`, { method: 'POST', body: 'act=click' });
    expect(form.status).toBe(415);
    const page = await fetch(slack.url);
    expect(page.headers.get('content-security-policy')).toContain("script-src 'self'");
    expect(page.headers.get('content-security-policy')).not.toContain('unsafe');
  });
});

describe('several people side by side', () => {
  it('each have their own threads, modals, App Home, commands and what only they see, in one window', async () => {
    await slack.setEventsUrl(bakery.url);
    await card();
    await webClient(slack).chat.postEphemeral({ channel: GENERAL, user: BEN, text: 'psst, Ben' });
    const page = await browser.context.newPage();
    page.setDefaultTimeout(10_000);
    await page.setViewportSize({ width: 1500, height: 800 });
    await page.goto(`${slack.url}/side-by-side`);
    const of = (name: string) => page.frameLocator(`iframe[title="Slack of ${name}"]`);
    const [ann, ben] = [of('Ann Miller'), of('Ben Okafor')];
    await ben.getByText('psst, Ben').waitFor();
    expect(await ann.getByText('psst, Ben').count()).toBe(0);
    expect(await page.getByRole('checkbox', { name: 'Gone Person' }).count()).toBe(0);

    await page.getByRole('checkbox', { name: 'Eve Outside' }).uncheck();
    await expect.poll(() => page.locator('iframe').count()).toBe(2);
    expect(page.url()).toContain(`users=${encodeURIComponent(`${ANN},${BEN}`)}`);

    await ann.getByRole('button', { name: 'Say why' }).click();
    await ann.getByRole('dialog', { name: 'Say why' }).waitFor();
    await ben.getByRole('button', { name: 'Reject' }).click();
    await ben.getByRole('button', { name: 'Yes, reject' }).click();
    await ben.getByText('Only bakers may reject.').waitFor();
    await picture(page, 'side-by-side');
    await ann.getByRole('button', { name: 'Cancel' }).click();
    await ann.getByRole('dialog').waitFor({ state: 'detached' });
    await ann.getByLabel('Message #general').fill('/bake rye');
    await ann.getByLabel('Message #general').press('Enter');
    await ann.getByText('baking rye').waitFor();
    expect(await ben.getByText('baking rye').count()).toBe(0);

    await ben.getByRole('button', { name: 'Approve', exact: true }).click();
    await ann.getByText('Approved by @Ben Okafor').waitFor();
    await ann.getByRole('button', { name: 'Bakery Bot · Home' }).click();
    await ann.getByText('Welcome home, @Ann Miller').waitFor();
    await ben.getByRole('button', { name: 'Reply in thread' }).first().click();
    await ben.getByLabel('Reply in thread').fill('done, Ann');
    await ben.getByLabel('Reply in thread').press('Enter');
    await ben.getByRole('log', { name: 'Messages in thread' }).getByText('done, Ann').waitFor();
    await picture(page, 'side-by-side-home');
  });
});

describe('finding the way', () => {
  it('switches between people and keeps two windows apart', async () => {
    await webClient(slack).chat.postEphemeral({ channel: GENERAL, user: BEN, text: 'psst, Ben' });
    const [one, two] = [await open(ANN), await open(ANN)];
    await one.getByLabel('View as').selectOption({ label: 'Ben Okafor' });
    await one.getByText('psst, Ben').waitFor();
    expect(one.url()).toContain(`user=${BEN}`);
    expect(await two.getByText('psst, Ben').count()).toBe(0);
    await one.goBack();
    await one.getByText('psst, Ben').waitFor({ state: 'detached' });
  });

  it('writes messages, replies and commands', async () => {
    const page = await open(ANN);
    await slack.setEventsUrl(bakery.url);
    await page.getByLabel('Message #general').fill(`<@${BOT}> hello & <hi>`);
    await page.getByLabel('Message #general').press('Enter');
    await page.getByText('@Bakery Bot hello & <hi>').waitFor();
    await button(page, '1 reply').click();
    await page.getByText('Hello @Ann Miller').waitFor();
    await page.getByLabel('Reply in thread').fill('thanks');
    await page.getByLabel('Reply in thread').press('Enter');
    await page.getByRole('log', { name: 'Messages in thread' }).getByText('thanks').waitFor();
    await page.getByLabel('Message #general').fill('/bake rye');
    await page.getByLabel('Message #general').press('Enter');
    await page.getByText('baking rye').waitFor();
    await page.getByLabel('Message #general').fill('/unheard of');
    await page.getByLabel('Message #general').press('Enter');
    await page.getByRole('alert').getByText('/unheard is not a command').waitFor();
  });

  it('opens App Home, also in a narrow window', async () => {
    await slack.setEventsUrl(bakery.url);
    const page = await open(ANN);
    await page.setViewportSize({ width: 400, height: 760 });
    await card();
    await picture(page, 'narrow');
    await button(page, 'Bakery Bot · Home').click();
    await page.getByText('Welcome home, @Ann Miller').waitFor();
    await picture(page, 'narrow-home');
    const wide = await page.evaluate('document.documentElement.scrollWidth > innerWidth');
    expect(wide).toBe(false);
  });
});
