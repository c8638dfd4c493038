/** Takes a picture of a page in a test where somebody asks for it: `COUNTERSIGN_PICTURES=1`. */
import { join, resolve } from 'node:path';
import type { Page } from 'playwright-core';

const FOLDER = resolve(import.meta.dirname, '../../.cache/screenshots');

/** Each takes 0.1 s of processor time, and nobody looks at those of a run that passed. */
export async function picture(page: Page, name: string, more: { readonly fullPage?: boolean } = {}): Promise<void> {
  if (process.env['COUNTERSIGN_PICTURES']) await page.screenshot({ ...more, path: join(FOLDER, `${name}.png`) });
}
