/** Clicks for `--yes`: a real browser on the local Slack's page, as Alice would do it. */
import { setTimeout as sleep } from 'node:timers/promises';
import { launchBrowser } from '../browser.ts';

/** The decision may be known before the browser tells that its click is done. */
const GRACE_MS = 1_000;

/**
 * Opens the channel as `user`, waits for the card, clicks Approve, and waits until the card says who approved.
 *
 * False where `decided` came before there was a card to click: rules or somebody else decided everything.
 */
export async function approveInBrowser(
  pageUrl: string,
  user: string,
  channel: string,
  screenshot: string,
  decided: AbortSignal,
): Promise<boolean> {
  const browser = await launchBrowser({ width: 1200, height: 800 });
  try {
    const page = await browser.context.newPage();
    await page.goto(`${pageUrl}?user=${user}&channel=${channel}`);
    const clicked = page.locator('button').getByText('Approve', { exact: true }).click({ timeout: 60_000 });
    const isClicked = await Promise.race([
      clicked.then(() => true),
      aborted(decided).then(() => sleep(GRACE_MS, false)),
    ]);
    if (!isClicked) return false;
    await page
      .getByText(/Approved, waits to run|Approved, ran/)
      .first()
      .waitFor({ timeout: 60_000 });
    await page.screenshot({ path: screenshot });
    return true;
  } finally {
    await browser.close();
  }
}

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
