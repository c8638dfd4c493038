/** Has V8 compile the WebAssembly of the shell lexer anew only when that pays. */
import { setFlagsFromString } from 'node:v8';

/**
 * V8 takes the lexer for hot with the first command: a second of processor time, of which a function has a half or less, and
 * for whose end a process waits. Thousands of commands earn it back. In bytes of code that ran; 13 million by default.
 */
export const optimiseLate = (): void => setFlagsFromString('--wasm-tiering-budget=1000000000');
