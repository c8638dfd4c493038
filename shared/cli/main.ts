#!/usr/bin/env node
/** Runs the `countersign` command: the bin of the package. */
// Only what every Node has, before the version is known: an older one refuses a module whose imports it lacks, and ends with 1.
import { optimiseLate } from '../permissions/shell/optimise-late.ts';
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

// A hook parses no command.
if (!isHook) optimiseLate();

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
