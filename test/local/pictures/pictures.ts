/**
 * Takes pictures of each surface, from the gate in memory and the local Slack: `npm run pictures`.
 *
 * Writes to docs/pictures/ at 1100 and 375 px, light and dark. Names given on the command line make those alone.
 */
import { mkdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { CountersignClient } from '../../../shared/client/index.ts';
import { loadPolicy } from '../../../shared/config/load.ts';
import { startMemoryWorkspace } from '../../../shared/dev/memory-workspace.ts';
import { commandLine } from '../../support/command-line.ts';
import { launchBrowser } from '../browser.ts';
import { castOf } from '../demo/cast.ts';
import { toPalette } from './palette.ts';
import { SURFACES } from './surfaces.ts';

const FOLDER = 'docs/pictures';
const POLICY = 'test/local/demo/demo.yaml';
const WIDTHS = { 1100: 800, 375: 812 } as const;
const SCHEMES = ['light', 'dark'] as const;

async function take(page: Page, name: string): Promise<void> {
  const file = join(FOLDER, `${name}.png`);
  // The local Slack's own marks are for whoever builds an app, and no part of the surface.
  await page.evaluate("document.styleSheets[0].insertRule('.notice { display: none }')");
  await page.screenshot({ path: file });
  toPalette(file);
  console.log(`${file}  ${Math.ceil(statSync(file).size / 1024)} KB`);
}

const SURFACE_NAMES: readonly string[] = SURFACES.map(({ name }) => name);
const USAGE = `npm run pictures [-- NAME …]\n\nNames: ${SURFACE_NAMES.join(', ')}.`;
const { positionals: wanted } = commandLine(USAGE, { allowPositionals: true });
const unknown = wanted.filter((name) => !SURFACE_NAMES.includes(name));
if (unknown.length > 0) {
  console.error(`There is no surface ${unknown.join(', ')}.\n${USAGE}`);
  process.exit(2);
}
const demo = readFileSync(POLICY, 'utf8');
mkdirSync(FOLDER, { recursive: true });
const browser = await launchBrowser();
try {
  for (const surface of SURFACES.filter(({ name }) => wanted.length === 0 || wanted.includes(name))) {
    const document =
      surface.policy === undefined ? loadPolicy(demo, POLICY) : loadPolicy(surface.policy, 'policy.yaml');
    const cast = castOf(document);
    let behindMs = surface.agoMs ?? 0;
    // Each in a workspace of its own, so that nothing else is on the picture.
    const { gate, slack, stop } = await startMemoryWorkspace(document, {
      rateLimits: false,
      clock: () => Date.now() - behindMs,
    });
    try {
      const client = new CountersignClient({ ...gate.agentSide(cast.agent), queueUrl: 'memory', auditTable: 'memory' });
      const where = await surface.prepare({
        gate,
        slack,
        client,
        cast,
        advance(ms) {
          behindMs -= ms;
        },
      });
      for (const [width, height] of Object.entries(WIDTHS))
        for (const colorScheme of SCHEMES) {
          const page = await browser.context.newPage();
          await page.setViewportSize({ width: Number(width), height });
          await page.emulateMedia({ colorScheme });
          await page.goto(`${slack.url}/?user=${cast.approvers[0]}&${where}`);
          await page.locator('.message, .home .block').first().waitFor();
          await surface.show?.(page);
          await page.waitForTimeout(150);
          await take(page, `${surface.name}-${width}-${colorScheme}`);
          await page.close();
        }
    } finally {
      await stop();
    }
  }
} finally {
  await browser.close();
}
