/** Puts the shell parser's WebAssembly into a bundle, so that a program needs no file beside it. */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { promisify } from 'node:util';
import { brotliCompress, constants } from 'node:zlib';
import type { Plugin } from 'esbuild';

const { resolve } = createRequire(import.meta.url);

/** By the property of `ParserFiles` that holds it. */
const FILES = {
  runtime: 'web-tree-sitter/web-tree-sitter.wasm',
  grammar: 'tree-sitter-bash/tree-sitter-bash.wasm',
} as const;

/** A sixth of the file's size, and unpacked within 10 ms. */
const QUALITY = { params: { [constants.BROTLI_PARAM_QUALITY]: 9, [constants.BROTLI_PARAM_LGWIN]: 22 } };

async function packed(file: string): Promise<string> {
  return (await promisify(brotliCompress)(await readFile(resolve(file)), QUALITY)).toString('base64');
}

async function moduleWithFiles(): Promise<string> {
  const fields = Object.entries(FILES).map(async ([name, file]) => `${name}: unpacked('${await packed(file)}')`);
  return `import { brotliDecompressSync } from 'node:zlib';
const unpacked = (text) => brotliDecompressSync(Buffer.from(text, 'base64'));
export const parserFiles = () => ({ ${(await Promise.all(fields)).join(', ')} });
`;
}

/** The parser asks for its own address, which a CommonJS bundle does not have, to find files that it is given anyway. */
const ADDRESSED = [
  ['const { createRequire } = await import("module");', ''],
  ['var require = createRequire(import.meta.url);', 'var require = process.getBuiltinModule;'],
  ['var _scriptName = import.meta.url;', 'var _scriptName = "";'],
  ['return new URL("web-tree-sitter.wasm", import.meta.url).href;', 'return "web-tree-sitter.wasm";'],
] as const;

/** @throws Error if the parser's code is not what this knows, as after an update */
function withoutAddress(code: string): string {
  const changed = ADDRESSED.reduce((text, [from, to]) => {
    if (!text.includes(from)) throw new Error(`web-tree-sitter has no longer: ${from}`);
    return text.replace(from, to);
  }, code);
  if (changed.includes('import.meta')) throw new Error('web-tree-sitter asks for its address elsewhere');
  return changed;
}

let made: Promise<string> | undefined;

export const embeddedParser: Plugin = {
  name: 'embedded-parser',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]shell[\\/]parser-files\.ts$/ }, async () => {
      made ??= moduleWithFiles();
      return { contents: await made, loader: 'js' };
    });
    onLoad({ filter: /[\\/]web-tree-sitter[\\/]web-tree-sitter\.js$/ }, async ({ path }) => ({
      contents: withoutAddress(await readFile(path, 'utf8')),
      loader: 'js',
    }));
  },
};
