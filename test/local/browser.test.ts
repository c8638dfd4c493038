/** Checks that the browser helper starts what is there, or says what to install. */
import { afterEach, describe, expect, it } from 'vitest';
import { type LocalBrowser, launchBrowser } from './browser.ts';

let browser: LocalBrowser | undefined;
const named = process.env.COUNTERSIGN_BROWSER;

afterEach(async () => {
  await browser?.close();
  browser = undefined;
  if (named === undefined) delete process.env.COUNTERSIGN_BROWSER;
  else process.env.COUNTERSIGN_BROWSER = named;
});

describe('launchBrowser', () => {
  it('opens a page of the asked size', async () => {
    browser = await launchBrowser({ width: 640, height: 480 });
    const page = await browser.context.newPage();
    await page.setContent('<h1>bread</h1>');
    expect(await page.getByRole('heading').textContent()).toBe('bread');
    expect(page.viewportSize()).toEqual({ width: 640, height: 480 });
  });

  it('goes on to the packaged browser when the named one does not start', async () => {
    process.env.COUNTERSIGN_BROWSER = '/nowhere/chrome';
    browser = await launchBrowser();
    expect(browser.executable).toContain('.cache');
  });
});
