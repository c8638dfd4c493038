/** Reads and writes a copy of the archive in a folder: each object a file under its own name. */
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import { textOfBytes } from '../../domain/archive/text.ts';
import { compareText } from '../../domain/text/compare-text.ts';
import type { Archive } from '../../ports/stores/archive.ts';

export function fileArchive(folder: string): Archive {
  /** The writer of the archive chooses names. @throws Error for one that leads out of the folder. */
  const fileOf = (key: string): string => {
    const file = join(folder, key);
    if (relative(folder, file).split(sep).join('/') !== key || key.startsWith('../'))
      throw new Error(`${JSON.stringify(key)} is no name of an object: it leads elsewhere as the name of a file`);
    return file;
  };
  return {
    async *names(prefix, after = '') {
      const found = await readdir(folder, { recursive: true, withFileTypes: true });
      const names = found
        .filter((one) => one.isFile())
        .map(({ parentPath, name }) => join(parentPath, name).slice(join(folder, '/').length).split(sep).join('/'));
      for (const name of names.toSorted(compareText)) if (name.startsWith(prefix) && name > after) yield name;
    },
    async read(key) {
      try {
        return textOfBytes(await readFile(fileOf(key)));
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
        throw error;
      }
    },
    async put(key, text) {
      const file = fileOf(key);
      await mkdir(dirname(file), { recursive: true });
      try {
        await writeFile(file, text, { flag: 'wx' });
        return true;
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
        throw error;
      }
    },
  };
}
