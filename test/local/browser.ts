/**
 * Starts a headless browser for the local pages.
 *
 * Takes an installed Chrome or Chromium, else the one inside `@sparticuz/chromium`, which is unpacked from the npm
 * package and downloads nothing. System libraries that are missing come from the same package, or the one error says
 * which command installs them.
 */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rename, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type BrowserContext, chromium } from 'playwright-core';

export type LocalBrowser = {
  /** Opens pages; each context of its own has its own cookies and storage. */
  context: BrowserContext;
  executable: string;
  close: () => Promise<void>;
};

/** Nothing here may reach beyond loopback; a test machine is often root in a container, hence no sandbox. */
const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--disable-dev-shm-usage',
  '--font-render-hinting=none',
];

const NAMES = ['google-chrome-stable', 'google-chrome', 'chromium', 'chromium-browser', 'chrome'];
const PLACES = ['/Applications/Google Chrome.app/Contents/MacOS/Google Chrome', '/opt/google/chrome/chrome'];

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const CACHE = join(ROOT, '.cache', 'browser');
const run = promisify(execFile);

const INSTALL = 'apt-get install -y libnss3 libexpat1 fonts-dejavu-core fonts-noto-color-emoji';

class BrowserMissingError extends Error {
  override name = 'BrowserMissingError';
}

/** `COUNTERSIGN_BROWSER`, the path of a browser, wins over everything found. */
export async function launchBrowser(options: { width?: number; height?: number } = {}): Promise<LocalBrowser> {
  const reasons: unknown[] = [];
  for (const find of [installedBrowser, unpackedBrowser]) {
    try {
      const found = await find();
      if (found !== undefined) return await start(found, options);
    } catch (error) {
      reasons.push(error);
    }
  }
  const why = reasons.map((reason) => (reason instanceof Error ? reason.message : String(reason))).join('; ');
  throw new BrowserMissingError(`No browser starts here. Install what it needs: ${INSTALL} (${why})`, {
    cause: new AggregateError(reasons),
  });
}

type Found = { executable: string; env: Record<string, string> };

async function start(found: Found, options: { width?: number; height?: number }): Promise<LocalBrowser> {
  const profile = await mkdtemp(join(tmpdir(), 'local-browser-'));
  const discard = () => rm(profile, { recursive: true, force: true, maxRetries: 3 });
  try {
    const context = await chromium.launchPersistentContext(profile, {
      executablePath: found.executable,
      headless: true,
      args: FLAGS,
      viewport: { width: options.width ?? 1200, height: options.height ?? 800 },
      env: { ...definedEnvironment(), ...found.env },
    });
    const close = () => context.close().finally(discard);
    return { context, executable: found.executable, close };
  } catch (error) {
    await discard();
    throw error;
  }
}

async function installedBrowser(): Promise<Found | undefined> {
  const named = process.env.COUNTERSIGN_BROWSER;
  if (named !== undefined && named !== '') return { executable: named, env: {} };
  const onPath = (process.env.PATH ?? '').split(delimiter).flatMap((folder) => NAMES.map((name) => join(folder, name)));
  const executable = [...onPath, ...PLACES].find((path) => existsSync(path));
  return executable === undefined ? undefined : { executable, env: {} };
}

/** Libraries and fonts of the package are used only where the system lacks its own. */
async function unpackedBrowser(): Promise<Found> {
  const folder = await unpacked();
  const executable = join(folder, 'chromium');
  const env: Record<string, string> = {};
  if (!existsSync('/etc/fonts/fonts.conf')) env.FONTCONFIG_PATH = join(folder, 'fonts');
  if ((await missingLibraries(executable, {})).length === 0) return { executable, env };
  env.LD_LIBRARY_PATH = join(folder, 'al2023', 'lib');
  const still = await missingLibraries(executable, env);
  if (still.length > 0) throw new BrowserMissingError(`the browser lacks ${still.join(', ')}`);
  return { executable, env };
}

/** Unpacked once per version into the cache, by a rename, so that test processes may race for it. */
async function unpacked(): Promise<string> {
  const entry = createRequire(import.meta.url).resolve('@sparticuz/chromium');
  const bin = join(dirname(entry), '..', 'bin');
  const { version } = JSON.parse(await readFile(join(bin, '..', 'package.json'), 'utf8')) as { version: string };
  const folder = join(CACHE, `chromium-${version}`);
  if (existsSync(folder)) return folder;
  await mkdir(CACHE, { recursive: true });
  const fresh = await mkdtemp(join(CACHE, 'unpacking-'));
  const script = `import { inflate } from '@sparticuz/chromium'; for (const path of process.argv.slice(1)) await inflate(path);`;
  const archives = ['chromium.br', 'fonts.tar.br', 'al2023.tar.br'].map((name) => join(bin, name));
  const env = { ...definedEnvironment(), TMPDIR: fresh };
  await run(process.execPath, ['--input-type=module', '--eval', script, ...archives], { env, cwd: ROOT });
  await rename(fresh, folder).catch(() => rm(fresh, { recursive: true, force: true }));
  return folder;
}

async function missingLibraries(executable: string, env: Record<string, string>): Promise<string[]> {
  const { stdout } = await run('ldd', [executable], { env: { ...definedEnvironment(), ...env } });
  return [...stdout.matchAll(/^\s*(\S+) => not found/gm)].map(([, name]) => name ?? '');
}

function definedEnvironment(): Record<string, string> {
  return Object.fromEntries(
    Object.entries(process.env).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}
