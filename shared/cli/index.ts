/** `countersign/cli`: the command inside another program, with input and output of its own. */
export { CliError, EXIT, type Io, processIo } from './io.ts';
export { run } from './program.ts';
