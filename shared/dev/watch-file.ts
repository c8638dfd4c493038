/** Watches one file by its status, which works with every editor and every file system. */
import { unwatchFile, watchFile } from 'node:fs';

/** Milliseconds between two looks. */
const LOOK_MS = 300;

/** @returns a function that ends the watch */
export function watchOneFile(file: string, changed: () => void): () => void {
  const listener = (now: { readonly mtimeMs: number }, before: { readonly mtimeMs: number }) => {
    if (now.mtimeMs !== before.mtimeMs) changed();
  };
  watchFile(file, { interval: LOOK_MS }, listener);
  return () => unwatchFile(file, listener);
}
