/** The click of `--yes`: a real browser on the local Slack's page, as Alice would do it. */
import { launchBrowser } from '../browser.ts';

/** Opens the channel as `user`, waits for the card, clicks Approve, and waits until the card says who approved. */
export async function approveInBrowser(
  pageUrl: string,
  user: string,
  channel: string,
  screenshot: string,
): Promise<void> {
  const browser = await launchBrowser({ width: 1200, height: 800 });
  try {
    const page = await browser.context.newPage();
    await page.goto(`${pageUrl}?user=${user}&channel=${channel}`);
    // By what people read, not by what a screen reader is told.
    const approve = page.locator('.button.primary', { hasText: /^Approve$/ });
    await approve.click({ timeout: 60_000 });
    await approve.first().waitFor({ state: 'detached', timeout: 60_000 });
    await page.screenshot({ path: screenshot });
  } finally {
    await browser.close();
  }
}
