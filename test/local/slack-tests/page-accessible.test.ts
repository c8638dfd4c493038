/** Checks the local Slack's page for people who use a keyboard, a screen reader or few colours. */
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { faintTexts, headingLevels, nameless } from './accessible.ts';
import { button, useSlackPage } from './page-world.ts';
import { ANN, GENERAL, webClient } from './workspace.ts';

const world = useSlackPage();
const plain = (text: string) => ({ type: 'plain_text' as const, text });
const options = ['white', 'rye'].map((value) => ({ text: plain(value), value }));

/** A message of everything that a person can press, read or choose. */
const EVERYTHING = [
  { type: 'header', text: plain('A header') },
  { type: 'section', text: { type: 'mrkdwn', text: `<@${ANN}> <https://example.org|a link> \`code\` :bread:` } },
  { type: 'image', image_url: 'https://example.org/loaf.png', alt_text: 'A loaf' },
  { type: 'context', elements: [{ type: 'mrkdwn', text: 'fine print' }] },
  {
    type: 'actions',
    elements: [
      { type: 'button', action_id: 'a', text: plain('Go'), style: 'primary' },
      { type: 'button', action_id: 'b', text: plain('Stop'), style: 'danger' },
      { type: 'overflow', action_id: 'c', options },
      { type: 'static_select', action_id: 'd', placeholder: plain('One bread'), options },
      { type: 'multi_static_select', action_id: 'e', placeholder: plain('Many breads'), options },
      { type: 'checkboxes', action_id: 'f', options },
      { type: 'radio_buttons', action_id: 'g', options },
      { type: 'datepicker', action_id: 'h', placeholder: plain('A day') },
      { type: 'timepicker', action_id: 'i', placeholder: plain('A time') },
      { type: 'users_select', action_id: 'j', placeholder: plain('A baker') },
    ],
  },
];

async function expectAccessible(page: Page, state: string): Promise<void> {
  expect(await nameless(page), `${state}: without a name`).toEqual([]);
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    expect(await faintTexts(page), `${state}, ${colorScheme}: too faint`).toEqual([]);
  }
}

it('every control and image has a name, and every text stands out, in light and dark', async () => {
  const chat = webClient(world.slack).chat;
  const { ts = '' } = await chat.postMessage({ channel: GENERAL, text: 'x', blocks: EVERYTHING as never });
  await chat.postMessage({ channel: GENERAL, text: 'a reply', thread_ts: ts, reply_broadcast: true });
  await chat.postEphemeral({ channel: GENERAL, user: ANN, text: 'just for Ann' });
  const page = await world.open(ANN, `channel=${GENERAL}&thread=${ts}`);
  await page.getByRole('heading', { name: 'Thread' }).waitFor();
  await expectAccessible(page, 'a channel and a thread');
  await page.getByRole('button', { name: 'More actions' }).first().click();
  await page.getByRole('menuitem').first().waitFor();
  await expectAccessible(page, 'an open menu');
  await page.keyboard.press('Escape');
  await page.goto(`${world.slack.url}/?user=${ANN}&home=1`);
  await page.getByRole('heading', { level: 1 }).waitFor();
  await expectAccessible(page, 'a home');
  await page.goto(`${world.slack.url}/side-by-side`);
  await page.getByRole('heading').first().waitFor();
  await expectAccessible(page, 'side by side');
});

it('its landmarks have names, and its headings go down one level at a time from one at the top', async () => {
  await world.card();
  const page = await world.open(ANN);
  for (const role of ['banner', 'main'] as const) expect(await page.getByRole(role).count(), role).toBe(1);
  await page.getByRole('navigation', { name: 'Channels' }).waitFor();
  expect(await page.locator('html').getAttribute('lang')).toBe('en');
  expect(await page.title()).toContain('#general');
  const levels = await headingLevels(page);
  expect(levels.filter((level) => level === 1)).toHaveLength(1);
  const top = levels.slice(levels.indexOf(1));
  for (const [index, level] of top.entries()) expect(level - (top[index - 1] ?? 0)).toBeLessThanOrEqual(1);
});

it('a form has a name, names all of its fields, tells what is wrong with them, and gives the focus back', async () => {
  await world.card();
  const page = await world.open(ANN);
  await button(page, 'Say why').focus();
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Say why' });
  await dialog.waitFor();
  expect(await dialog.locator(':focus').count()).toBe(1);
  await expectAccessible(page, 'a form');
  await dialog.getByRole('textbox', { name: 'Reason' }).fill('no');
  await dialog.getByRole('combobox', { name: 'Size' }).selectOption('small');
  await dialog.getByRole('button', { name: 'Send' }).click();
  await page.getByText('Too short for a reason.').waitFor();
  const reason = dialog.getByRole('textbox', { name: 'Reason' });
  expect(await reason.getAttribute('aria-invalid')).toBe('true');
  await expectAccessible(page, 'a form with a mistake');
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  expect(await page.locator(':focus').textContent()).toBe('Say why');
});
