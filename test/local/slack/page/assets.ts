/** Reads the files of the page. A bundle replaces this file by one that holds them. */
import { readFile } from 'node:fs/promises';

const ASSETS = new URL('./assets/', import.meta.url);

/** Undefined if there is no such file. `name` is a file's name, without a folder. */
export const assetOf = (name: string): Promise<string | undefined> =>
  readFile(new URL(name, ASSETS), 'utf8').catch(() => undefined);
