/**
 * Draws the gate's dashboard from its JSON and the figures of a game day.
 *
 * `node test/local/pictures/dashboard.ts FILE`. The file is written by `test/e2e/game-day/game-day.test.ts` where COUNTERSIGN_GAME_DAY names it. Widgets, titles, places, series,
 * statistics and annotations are those that CloudWatch gets. Figures of AWS itself are not there on this machine.
 */
import { readFileSync, statSync } from 'node:fs';
import { launchBrowser } from '../browser.ts';
import { type Day, pageOf } from './dashboard-page.ts';
import { toPalette } from './palette.ts';

const [file] = process.argv.slice(2);
if (file === undefined) throw new Error('name the file of a game day: node test/local/pictures/dashboard.ts FILE');
const PICTURE = 'docs/pictures/dashboard.png';

const browser = await launchBrowser();
try {
  const page = await browser.context.newPage();
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.setContent(pageOf(JSON.parse(readFileSync(file, 'utf8')) as Day));
  await page.screenshot({ path: PICTURE, fullPage: true });
  toPalette(PICTURE);
  console.log(`${PICTURE}  ${Math.ceil(statSync(PICTURE).size / 1024)} KB`);
} finally {
  await browser.close();
}
