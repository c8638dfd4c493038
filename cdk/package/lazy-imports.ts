/** Has a bundle import the parts that few events need when they are called. */
import { readFile } from 'node:fs/promises';
import type { Plugin } from 'esbuild';

/** Lists of asynchronous functions, each re-exported from its own module. */
export const LAZY_LISTS = /[\\/]shared[\\/]use-cases(?:[\\/][\w-]+)+[\\/]lazy-imports\.ts$/;
const EXPORT = /^export \{ ([\w, ]+) \} from '([^']+)';$/;

/**
 * The functions of such a list, each a call that imports its module first. Only bundles do so: whoever uses the library with a clock of their
 * own waits for no file.
 *
 * @throws Error if the list holds anything else
 */
export function importedWhenCalled(file: string, text: string): string {
  const lines = text.split('\n').filter((line) => line !== '' && !/^(?:\/\*\*| \*)/.test(line));
  return lines
    .flatMap((line) => {
      const [, names, from] = EXPORT.exec(line) ?? [];
      if (names === undefined) throw new Error(`${file} holds more than lists of names: ${line}`);
      return names
        .split(', ')
        .map((name) => `export const ${name} = async (...args) => (await import('${from}')).${name}(...args);\n`);
    })
    .join('');
}

export const lazyImports: Plugin = {
  name: 'lazy-imports',
  setup({ onLoad }) {
    onLoad({ filter: LAZY_LISTS }, async ({ path }) => ({
      contents: importedWhenCalled(path, await readFile(path, 'utf8')),
      loader: 'js',
    }));
  },
};
