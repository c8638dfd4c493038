/**
 * Checks trouble, several people and the way around on the page of the local Slack.
 *
 * Uses a real browser.
 */
import { describe, expect, it } from 'vitest';
import { askBlocks } from './bakery-app.ts';
import { button, picture, useSlackPage } from './page-world.ts';
import { ANN, BEN, BOT, GENERAL, startWorkspace, webClient } from './workspace.ts';

const world = useSlackPage();
const { open, card } = world;

describe('trouble', () => {
  it('warns when the app is too slow', async () => {
    const hasty = await startWorkspace({ ackTimeoutMs: 200 });
    await webClient(hasty).chat.postMessage({ channel: GENERAL, text: 'May I?', blocks: askBlocks('rye') });
    hasty.setRequestUrl(world.bakery.url);
    const page = await world.browser.context.newPage();
    await page.goto(`${hasty.url}/?user=${ANN}`);
    world.behaviour.delayMs = 600;
    await button(page, 'Approve').click();
    await page.getByRole('alert').getByText('Bakery Bot did not respond in time').waitFor();
    await picture(page, 'slow-app');
    await hasty.stop();
  });

  it('warns when the app refuses a forged signature', async () => {
    const forger = await startWorkspace({ signingSecret: 'not the secret of the app' });
    await webClient(forger).chat.postMessage({ channel: GENERAL, text: 'May I?', blocks: askBlocks('rye') });
    forger.setRequestUrl(world.bakery.url);
    const page = await world.browser.context.newPage();
    await page.goto(`${forger.url}/?user=${ANN}`);
    await button(page, 'Approve').click();
    await page.getByRole('alert').getByText('refused this (401)').waitFor();
    await forger.stop();
  });

  it('leaves the card as it was when Slack is out', async () => {
    await card();
    const page = await open(ANN);
    world.slack.setOutage(true);
    await button(page, 'Approve').click();
    await expect.poll(() => world.bakery.errors.length).toBe(1);
    expect(await button(page, 'Approve').count()).toBe(1);
    world.slack.setOutage(false);
    await button(page, 'Approve').click();
    await page.getByText('Approved by @Ann Miller').waitFor();
  });

  it('serves no other site and no other host', async () => {
    const from = (headers: Record<string, string>) =>
      fetch(`${world.slack.url}/page/snapshot?user=${ANN}`, { headers });
    expect((await from({ origin: 'https://evil.example' })).status).toBe(403);
    const form = await fetch(`${world.slack.url}/page/act`, { method: 'POST', body: 'act=click' });
    expect(form.status).toBe(415);
    const page = await fetch(world.slack.url);
    expect(page.headers.get('content-security-policy')).toContain("script-src 'self'");
    expect(page.headers.get('content-security-policy')).not.toContain('unsafe');
  });
});

describe('several people side by side', () => {
  it('each have their own threads, modals, App Home, commands and what only they see, in one window', async () => {
    await world.slack.setEventsUrl(world.bakery.url);
    await card();
    await webClient(world.slack).chat.postEphemeral({ channel: GENERAL, user: BEN, text: 'psst, Ben' });
    const page = await world.browser.context.newPage();
    page.setDefaultTimeout(10_000);
    await page.setViewportSize({ width: 1500, height: 800 });
    await page.goto(`${world.slack.url}/side-by-side`);
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
    await webClient(world.slack).chat.postEphemeral({ channel: GENERAL, user: BEN, text: 'psst, Ben' });
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
    await world.slack.setEventsUrl(world.bakery.url);
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
    await world.slack.setEventsUrl(world.bakery.url);
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
