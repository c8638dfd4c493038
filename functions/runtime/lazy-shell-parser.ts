/**
 * Loads the shell parser with the first shell command.
 * In a file of its own: only functions that judge calls carry it.
 */
import { setFlagsFromString } from 'node:v8';
import type { ShellParser } from '../../shared/permissions/shell/syntax/shell-parser.ts';
import { lazyAsync } from './lazy.ts';

/**
 * V8 takes the WebAssembly of the lexer for hot with the first command, and compiles it anew: a second of processor time, of
 * which a function has a half or less, and which thousands of commands earn back. In bytes of code that ran; 13 million by default.
 */
const OPTIMISES_LATE = '--wasm-tiering-budget=1000000000';

export const shell = lazyAsync(async (): Promise<ShellParser> => {
  setFlagsFromString(OPTIMISES_LATE);
  const { loadShellParser } = await import('../../shared/permissions/shell/parser.ts');
  return loadShellParser();
});
