#!/usr/bin/env node
/** Runs the `countersign` command: the bin of the package. */
import { run } from './program.ts';
import { processIo } from './support/io.ts';

// A reader that has seen enough (`| head`) is no error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0);
  throw error;
});
process.exitCode = await run(process.argv.slice(2), processIo());
