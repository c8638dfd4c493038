/** Removes chunks of a build that nothing imports. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Metafile } from 'esbuild';

/** A chunk is written also where nothing is left of it, or where only code that was left out imported it. */
export function removeUnreached(root: string, { outputs }: Metafile, entries: readonly string[]): void {
  const sources: ReadonlySet<string | undefined> = new Set(entries);
  const reached = new Set(Object.keys(outputs).filter((file) => sources.has(outputs[file]?.entryPoint)));
  for (const file of reached) for (const { path } of outputs[file]?.imports ?? []) reached.add(path);
  for (const file of Object.keys(outputs)) if (!reached.has(file)) rmSync(join(root, file));
}
