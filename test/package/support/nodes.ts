/**
 * Finds the Node versions that the package supports.
 *
 * Versions are that of this Node, and Node 22 where the registry can be reached.
 */
import { join } from 'node:path';
import { fetched } from './on-demand.ts';
import { ROOT, run } from './project.ts';

interface NodeVersion {
  readonly version: string;
  readonly path: string;
}

/** The oldest supported line; the lock file holds the newest alone, since each takes 120 MB. */
const OLDEST = '22';

/** Says which are there, so that a run without the older one does not look like one with it. */
export async function nodeVersions(): Promise<readonly NodeVersion[]> {
  const newest = { version: process.versions.node, path: process.execPath };
  const oldest = await oldestNode();
  const found = oldest ? [oldest, newest] : [newest];
  const missing = oldest ? '' : `; Node ${OLDEST} could not be had, nothing was run on it`;
  console.log(`bundles run on Node ${found.map(({ version }) => version).join(' and ')}${missing}`);
  return found;
}

async function oldestNode(): Promise<NodeVersion | undefined> {
  const name = `node-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`;
  const path = join(await fetched(name, OLDEST), name, 'bin', 'node');
  const { code, out } = await run(ROOT, path, ['--version']);
  return code === 0 ? { version: out.trim().slice(1), path } : undefined;
}
