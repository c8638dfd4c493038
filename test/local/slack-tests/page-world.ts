/** Starts a browser for a file of tests, and a local Slack with the bakery's app for each test. */
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';
import { type LocalBrowser, launchBrowser } from '../browser.ts';
import { picture as pictured } from '../picture.ts';
import type { LocalSlack } from '../slack/server.ts';
import { askBlocks, type BakeryApp, type Behaviour, startBakery } from './bakery-app.ts';
import { GENERAL, startWorkspace, webClient } from './workspace.ts';

/** One test's world. A field may be read only while a test runs. */
class SlackPageWorld {
  browser!: LocalBrowser;
  slack!: LocalSlack;
  bakery!: BakeryApp;
  behaviour: Behaviour = {};
  /** Milliseconds by which the clock of the local Slack is ahead. */
  skew = 0;
  /** Errors that the pages wrote to their consoles. */
  complaints: string[] = [];

  readonly start = async (): Promise<void> => {
    this.skew = 0;
    this.behaviour = {};
    this.complaints = [];
    const commands = [{ command: '/bake', description: 'Bake something' }];
    this.slack = await startWorkspace({ clock: () => Date.now() + this.skew, commands });
    this.bakery = await startBakery(this.slack, this.behaviour);
  };

  readonly stop = async (): Promise<void> => {
    for (const page of this.browser.context.pages()) await page.close();
    await this.bakery.stop();
    await this.slack.stop();
  };

  /** Opens the page as this person sees it. */
  readonly open = async (user: string, query = `channel=${GENERAL}`): Promise<Page> => {
    const page = await this.browser.context.newPage();
    page.setDefaultTimeout(10_000);
    page.on('pageerror', (error) => this.complaints.push(error.message));
    page.on('console', (message) => message.type() === 'error' && this.complaints.push(message.text()));
    await page.goto(`${this.slack.url}/?user=${user}&${query}`);
    await page.getByRole('heading', { level: 1 }).first().waitFor();
    return page;
  };

  /** Posts the bakery's card to the general channel and returns its time stamp. */
  readonly card = async (what = 'rye'): Promise<string> => {
    const blocks = askBlocks(what);
    const { ts = '' } = await webClient(this.slack).chat.postMessage({ channel: GENERAL, text: 'May I?', blocks });
    return ts;
  };
}

/** Registers the hooks that start and stop the world around the tests of the calling file. */
export function useSlackPage(): SlackPageWorld {
  const world = new SlackPageWorld();
  beforeAll(async () => {
    world.browser = await launchBrowser();
  });
  afterAll(() => world.browser?.close());
  beforeEach(world.start);
  afterEach(world.stop);
  return world;
}

export const picture = (page: Page, name: string) => pictured(page, `slack-${name}`);
export const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
