/**
 * Shows several people of the local Slack side by side in one browser window.
 *
 * Each column tells what its person sees and does.
 */
import { readFileSync } from 'node:fs';
import type { FrameLocator, Locator, Page } from 'playwright-core';
import { loadPolicy } from '../../../shared/config/load.ts';
import { type LocalBrowser, launchBrowser } from '../../local/browser.ts';
import { picture } from '../../local/picture.ts';
import { e2eGate, POLICY } from '../gate.ts';
import { cardOf, choose } from './slack.ts';

const MAX_WAIT_MS = 90_000;

export async function openWindow(): Promise<Window> {
  const browser = await launchBrowser({ width: 1500, height: 950 });
  const page = await browser.context.newPage();
  page.setDefaultTimeout(MAX_WAIT_MS);
  const { people } = loadPolicy(readFileSync(POLICY, 'utf8'), POLICY).policy;
  return new Window(page, browser, new Map(Object.values(people).map(({ user, name }) => [user, name])));
}

export class Window {
  readonly #page: Page;
  readonly #browser: LocalBrowser;
  readonly #names: ReadonlyMap<string, string>;

  constructor(page: Page, browser: LocalBrowser, names: ReadonlyMap<string, string>) {
    this.#page = page;
    this.#browser = browser;
    this.#names = names;
  }

  async show(channel: string, ...users: readonly string[]): Promise<void> {
    const { slack } = await e2eGate();
    await this.#page.goto(`${slack.url}/side-by-side?users=${users.join(',')}&channel=${channel}`);
  }

  /** The frame of one of the people shown. */
  of(user: string): FrameLocator {
    return this.#page.frameLocator(`iframe[title="Slack of ${this.#names.get(user) ?? user}"]`);
  }

  card(user: string, pid: string): Locator {
    return this.of(user)
      .getByRole('article')
      .filter({ hasText: `Approval ${pid.slice(0, 12)}` });
  }

  async press(user: string, pid: string, button: string): Promise<void> {
    // A screen reader reads more than a button shows.
    const pressed = this.card(user, pid).locator('button').getByText(button, { exact: true }).first();
    // High severity asks once more. The button tells it beforehand: how soon the dialog opens depends on the machine.
    const asksAgain = await pressed.evaluate(
      (node) => node.closest('button')?.getAttribute('aria-haspopup') === 'dialog',
    );
    await pressed.click();
    if (asksAgain)
      await this.of(user).getByRole('alertdialog').getByRole('button', { name: 'Approve', exact: true }).click();
  }

  /** An option of the menu behind the buttons of a card, by its verb. */
  async choose(user: string, pid: string, verb: string): Promise<Locator> {
    await this.closed(user);
    await choose(user, await cardOf(pid), verb);
    return this.modal(user);
  }

  /** Opens the modal of a button, or takes the one that is open. */
  async modal(user: string, pid?: string, button?: string): Promise<Locator> {
    const dialog = this.of(user).getByRole('dialog');
    if (pid !== undefined && button !== undefined) {
      await this.closed(user);
      await this.press(user, pid, button);
    }
    await dialog.waitFor();
    return dialog;
  }

  /** Waits until no modal stands between the person and the page: one that is closing is still there, and takes the keys. */
  async closed(user: string): Promise<void> {
    await this.of(user).getByRole('dialog').waitFor({ state: 'detached' });
  }

  /** Waits until somebody reads these words; on the card, or anywhere in the column. */
  async reads(user: string, text: string | RegExp, pid?: string): Promise<void> {
    const where = pid === undefined ? this.of(user) : this.card(user, pid);
    await where.getByText(text).last().waitFor();
  }

  async sees(user: string, text: string): Promise<boolean> {
    return (await this.of(user).getByText(text).count()) > 0;
  }

  /**
   * The column of this person shows nothing new until the given work is done. Done in the column itself: a request of another column that is
   * under way while Playwright begins or ends to intercept requests may never be answered, and that column would show nothing new for ever.
   */
  async lookingAway<Result>(user: string, work: () => Promise<Result>): Promise<Result> {
    const column = this.of(user).locator('body');
    await column.evaluate(() => {
      const { fetch: asks } = globalThis;
      const away = async (input: Parameters<typeof asks>[0], init?: RequestInit) => {
        if (String(input).startsWith('/page/snapshot')) throw new Error('looking away');
        return asks(input, init);
      };
      Object.assign(globalThis, { fetch: away, lookAgain: () => Object.assign(globalThis, { fetch: asks }) });
    });
    try {
      return await work();
    } finally {
      await column.evaluate(() => (globalThis as unknown as { lookAgain(): void }).lookAgain());
    }
  }

  /** Closes forms that a failed test left open. */
  async closeModals(...users: readonly string[]): Promise<void> {
    const { slack } = await e2eGate();
    for (const user of users)
      for (const { id } of slack.views(user).toReversed()) await slack.closeView({ user, viewId: id });
  }

  async picture(name: string): Promise<void> {
    await picture(this.#page, `e2e-${name}`);
  }

  close(): Promise<void> {
    return this.#browser.close();
  }
}
