/** Gives a command its view of the process, injected so that tests run commands without one. */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { styleText } from 'node:util';
import type { TerminalInput } from '../../approvals/askers/terminal.ts';

/** The streams, the environment, the folder and the clock of a command. */
export interface Io {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  /** Standard input as text. */
  readonly stdin: () => TerminalInput;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Where relative file names start. */
  readonly cwd: string;
  /** Where Claude Code reads the managed settings of this machine. Default: the place of the platform. */
  readonly managedSettings?: string;
  /** Columns of the terminal; infinite where there is none. */
  readonly columns: number;
  readonly color: boolean;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Default: real time. */
  readonly sleep?: (ms: number) => Promise<unknown>;
  /** Resolves when a command that runs until it is stopped has to end. Default: it never has to. */
  readonly untilStopped?: () => Promise<void>;
}

/** Exit codes of the process; `--help` lists the same. */
export const EXIT = { ok: 0, failed: 1, usage: 2, allow: 0, ask: 3, deny: 4, error: 5, changed: 3 } as const;

/** One line for the person at the terminal; never a stack. */
export class CliError extends Error {
  override readonly name = 'CliError';
  readonly exitCode: number;
  constructor(message: string, exitCode: number = EXIT.failed) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** @throws CliError if there are rows that could not be read: called after the others were shown, which they must not hide */
export function throwUnread(problems: readonly unknown[], one: string, many: string): void {
  for (const text of leftOutText(problems.length, one, many)) throw new CliError(text);
}

/** A sentence about rows that could not be read, or none. */
export function leftOutText(count: number, one: string, many: string): readonly string[] {
  if (!count) return [];
  const which = count === 1 ? `1 ${one} is` : `${count} ${many} are`;
  return [`${which} left out: this release cannot read what another release wrote; use the newer one`];
}

/** The process itself. Colours only on a terminal, and never with `NO_COLOR` (no-color.org). */
export function processIo(): Io {
  return {
    out: (text) => void process.stdout.write(text),
    err: (text) => void process.stderr.write(text),
    stdin: () => process.stdin.setEncoding('utf8'),
    env: process.env,
    cwd: process.cwd(),
    // Into a pipe nothing is wrapped: an id on two lines is found by nobody. A terminal that knows no width says 0.
    columns: process.stdout.columns || Number.POSITIVE_INFINITY,
    color: process.stdout.isTTY === true && !process.env['NO_COLOR'] && process.env['TERM'] !== 'dumb',
    now: () => Date.now(),
    untilStopped: () =>
      new Promise((resolve) => {
        // More than once: npx passes on the Ctrl-C that the terminal has sent to every process, and the end must not be cut short by it.
        for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => resolve());
      }),
  };
}

const COLORS = {
  allow: 'green',
  approved: 'green',
  deny: 'red',
  denied: 'red',
  error: 'red',
  FAIL: 'red',
  ask: 'yellow',
  expired: 'yellow',
} as const;

/** Text that begins with a verdict or an outcome, in its colour; other text as it is. */
export function colored(text: string, io: Pick<Io, 'color'>): string {
  const word = /^\w+/.exec(text)?.[0] ?? '';
  const color = (COLORS as Readonly<Record<string, (typeof COLORS)[keyof typeof COLORS]>>)[word];
  return io.color && color ? styleText(color, text, { validateStream: false }) : text;
}

export const bold = (text: string, io: Pick<Io, 'color'>): string =>
  io.color ? styleText('bold', text, { validateStream: false }) : text;

/** Programs on Windows begin texts with a byte order mark, which is no JSON. */
export const withoutMark = (text: string): string => text.replace(/^\ufeff/, '');

/** @throws CliError if the file is missing or cannot be read. */
export function readText(file: string, what: string, hint: string, io: Io): string {
  try {
    return withoutMark(readFileSync(resolve(io.cwd, file), 'utf8'));
  } catch (error) {
    const missing = (error as NodeJS.ErrnoException).code === 'ENOENT';
    throw new CliError(
      `${file}: ${missing ? `there is no such ${what}` : `the ${what} cannot be read`}; ${hint}`,
      EXIT.usage,
    );
  }
}
