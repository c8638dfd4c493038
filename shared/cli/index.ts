/** `countersign/cli`: the command inside another program, with input and output of its own. */

export type { TerminalInput } from '../approvals/askers/terminal.ts';
export { run } from './program.ts';
export { CliError, EXIT, type Io, processIo } from './support/io.ts';
