/**
 * Checks cards, blocks and modals on the page of the local Slack.
 *
 * Uses a real browser with a real Bolt app behind it.
 */
import { describe, expect, it } from 'vitest';
import { escaped, HOSTILE } from './bakery-app.ts';
import { button, picture, useSlackPage } from './page-world.ts';
import { ANN, BEN, GENERAL, webClient } from './workspace.ts';

const world = useSlackPage();
const { open, card } = world;

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
    expect(world.complaints).toEqual([]);
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
    expect(world.slack.requestLog).toHaveLength(0);
    await button(page, 'Reject').click();
    await dialog.getByRole('button', { name: 'Yes, reject' }).click();
    await page.getByText('Only bakers may reject.').waitFor();
    expect(world.slack.requestLog).toHaveLength(1);
  });

  it('shows an ephemeral to one person only, who may dismiss it', async () => {
    const [ann, ben] = [await open(ANN), await open(BEN)];
    await webClient(world.slack).chat.postEphemeral({ channel: GENERAL, user: ANN, text: 'just for Ann' });
    await webClient(world.slack).chat.postMessage({ channel: GENERAL, text: 'for all' });
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
    await webClient(world.slack).chat.postMessage({ channel: GENERAL, text: 'x', blocks: [{ type: 'section', text }] });
    await webClient(world.slack).chat.postMessage({
      channel: GENERAL,
      text: 'Link <javascript:alert(1)|press me> here',
    });
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
    expect(world.complaints).toEqual([]);
  });

  it('makes real markup visible for what it is', async () => {
    await webClient(world.slack).chat.postMessage({
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
  const sent = () => JSON.parse(new URLSearchParams(world.slack.requestLog.at(-1)?.body).get('payload') ?? '{}');

  it('send each choice as it is made, with what else is filled in', async () => {
    const post = (blocks: object[]) =>
      webClient(world.slack).chat.postMessage({ channel: GENERAL, text: 'x', blocks: blocks as never });
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
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'white' }).click();
    await expect.poll(sent).toMatchObject({ actions: [{ action_id: 'more', selected_option: { value: 'white' } }] });
    await page.getByRole('img', { name: 'A loaf of bread' }).waitFor();
    await page.getByRole('cell', { name: 'b' }).waitFor();
    await picture(page, 'blocks');
  });

  it('take clicks in App Home', async () => {
    const blocks = [
      { type: 'actions' as const, elements: [{ type: 'button' as const, action_id: 'go', text: plain('Go') }] },
    ];
    await webClient(world.slack).views.publish({ user_id: ANN, view: { type: 'home', blocks } });
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
    expect(world.slack.requestLog).toHaveLength(1);
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
    const values = world.slack.requestLog.at(-1)?.body ?? '';
    expect(JSON.parse(new URLSearchParams(values).get('payload') ?? '').view.state.values).toMatchObject({
      size: { size: { selected_option: { value: 'large' } } },
      extras: { extras: { selected_options: [{ value: 'seeds' }] } },
      speed: { speed: { selected_option: { value: 'fast' } } },
      baker: { baker: { selected_user: BEN } },
    });
    expect(world.complaints).toEqual([]);
  });

  it('keeps what was typed when the app updates it, and closes on Escape', async () => {
    await card();
    const page = await open(ANN);
    await button(page, 'Say why').click();
    const modal = page.getByRole('dialog', { name: 'Say why' });
    await modal.getByLabel('Reason').fill('half a sen');
    const [view] = world.slack.views(ANN);
    const blocks = (view?.content.blocks ?? []) as never[];
    const title = { type: 'plain_text' as const, text: 'Changed' };
    const submit = { type: 'plain_text' as const, text: 'Send' };
    await webClient(world.slack).views.update({
      view_id: view?.id ?? '',
      view: { type: 'modal', title, submit, blocks },
    });
    const changed = page.getByRole('dialog', { name: 'Changed' });
    expect(await changed.getByLabel('Reason').inputValue()).toBe('half a sen');
    await page.keyboard.press('Escape');
    await changed.waitFor({ state: 'detached' });
    expect(world.slack.views(ANN)).toEqual([]);
  });

  it('does not open with a trigger that is too old', async () => {
    await card();
    const page = await open(ANN);
    world.behaviour.beforeOpen = () => {
      world.skew += 3_001;
    };
    await button(page, 'Say why').click();
    await expect.poll(() => world.bakery.errors).toEqual(['expired_trigger_id']);
    expect(await page.getByRole('dialog').count()).toBe(0);
  });
});
