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
    await page.locator('button').getByText('Approve', { exact: true }).click({ timeout: 60_000 });
    await page
      .getByText(/Approved, waits to run|Approved, ran/)
      .first()
      .waitFor({ timeout: 60_000 });
    await page.screenshot({ path: screenshot });
  } finally {
    await browser.close();
  }
}
