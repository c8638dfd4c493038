/** Reads the parser's WebAssembly from its packages; a build embeds the files instead. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

interface ParserFiles {
  /** The parser: `web-tree-sitter.wasm`. */
  readonly runtime: Uint8Array;
  /** The grammar: `tree-sitter-bash.wasm`. */
  readonly grammar: Uint8Array;
}

export function parserFiles(): ParserFiles {
  const { resolve } = createRequire(import.meta.url);
  return {
    runtime: readFileSync(resolve('web-tree-sitter/web-tree-sitter.wasm')),
    grammar: readFileSync(resolve('tree-sitter-bash/tree-sitter-bash.wasm')),
  };
}
