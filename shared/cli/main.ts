#!/usr/bin/env node
/** Runs the `countersign` command: the bin of the package. */
import { setFlagsFromString } from 'node:v8';
// Nothing else before the version is known: an older Node refuses a module whose imports it lacks, and ends with 1.
import { nodeProblem } from './support/node-version.ts';

const argv = process.argv.slice(2);

// A program whose hook ends with any other code than 2 runs the call: also where this one breaks, or nobody reads its answer.
const isHook = argv[0] === 'hook';
const fail = (problem: string): never => {
  process.stderr.write(
    `${isHook ? 'Countersign has not decided this call, so it does not run' : 'countersign'}: ${problem}\n`,
  );
  process.exit(isHook ? 2 : 1);
};
const isBatch = (word: string): boolean => word === '--batch' || word.startsWith('--batch=');
if (isHook) {
  process.exitCode = 2;
  process.on('uncaughtException', ({ message }) => fail(message));
}
const problem = nodeProblem(process.versions.node);
if (problem !== undefined) fail(problem);

// One command is enough for V8 to compile the lexer of shell commands anew, and a process ends no sooner than that: a second for one command, and worth
// it from thousands on. The budget is 13 million by default, and counts bytes of the code that ran. A hook parses no command.
if (!isHook) setFlagsFromString('--wasm-tiering-budget=1000000000');

// The input of some has no end, as a log that is followed.
const mayNotEnd = ['dev', 'frames', 'mcp-gateway', 'serve'].includes(argv[0] ?? '') || argv.some(isBatch);

// A reader that has seen enough (`| head`) is no error, and turns no denial into an allow; a disk that is full is an error.
let isUnread = false;
process.stdout.on('error', ({ code, message }: NodeJS.ErrnoException) => {
  isUnread ||= code === 'EPIPE';
  if (isUnread && !isHook && !mayNotEnd) return;
  if (!isUnread) process.stderr.write(`countersign: the output cannot be written: ${message}\n`);
  process.exit(isHook ? 2 : isUnread ? 0 : 1);
});
const [{ processIo }, { run }] = await Promise.all([import('./support/io.ts'), import('./program.ts')]);
const code = await run(argv, processIo());
process.exitCode = isHook && code !== 0 ? 2 : code;
