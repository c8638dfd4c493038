// Runs a program to its end and hands on its output line by line.
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

export interface RunOptions {
  cwd?: string;
  env?: Record<string, string | undefined>;
  onLine?: (line: string) => void;
  signal?: AbortSignal;
}

export interface RunResult {
  code: number | null;
  /** The last lines of stdout and stderr together. */
  output: string;
}

const KEPT_LINES = 400;

/** Resolves whatever the exit code is (null if it ended by a signal); rejects if the program cannot be started, or after it was called off. */
export async function run(command: string, args: readonly string[], options: RunOptions = {}): Promise<RunResult> {
  const child = spawn(command, args, {
    cwd: options.cwd,
    env: options.env ?? process.env,
    signal: options.signal,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const lines: string[] = [];
  const take = (line: string) => {
    lines.push(line);
    if (lines.length > KEPT_LINES) lines.shift();
    options.onLine?.(line);
  };
  for (const stream of [child.stdout, child.stderr]) createInterface({ input: stream }).on('line', take);
  const code = await new Promise<number | null>((resolve, reject) => {
    // Called off: only once it has ended is nothing left of it.
    child.once('error', (error) => (child.pid === undefined ? reject(error) : child.once('exit', () => reject(error))));
    child.once('close', resolve);
  });
  return { code, output: lines.join('\n') };
}
