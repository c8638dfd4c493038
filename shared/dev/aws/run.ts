// Runs a program to its end and hands on its output line by line.
import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

export interface RunOptions {
  cwd?: string;
  env?: Record<string, string | undefined>;
  onLine?: (line: string) => void;
  /** Ends the program, and every program that it started. */
  signal?: AbortSignal;
}

interface RunResult {
  code: number | null;
  /** The last lines of stdout and stderr together. */
  output: string;
}

const MAX_LINES = 400;
/** For programs that do not end when they are told. */
const GRACE_MS = 3_000;

/**
 * Resolves whatever the exit code is (null if it ended by a signal).
 * @throws Error if the program cannot be started; the signal's reason once nothing is left of a program that was called off
 */
export async function run(command: string, args: readonly string[], options: RunOptions = {}): Promise<RunResult> {
  const { signal } = options;
  signal?.throwIfAborted();
  const child = spawn(command, args, {
    cwd: options.cwd,
    env: options.env ?? process.env,
    // A group of its own: the CDK hands no signal on to the app that it runs.
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const lines: string[] = [];
  const take = (line: string) => {
    lines.push(line);
    if (lines.length > MAX_LINES) lines.shift();
    options.onLine?.(line);
  };
  for (const stream of [child.stdout, child.stderr]) createInterface({ input: stream }).on('line', take);
  let stubborn: NodeJS.Timeout | undefined;
  const stop = () => {
    signalGroup(child, 'SIGTERM');
    stubborn = setTimeout(() => signalGroup(child, 'SIGKILL'), GRACE_MS);
  };
  signal?.addEventListener('abort', stop, { once: true });
  try {
    const code = await new Promise<number | null>((resolve, reject) => {
      child.once('error', reject);
      // Comes when all that wrote into the pipes have ended.
      child.once('close', resolve);
    });
    signal?.throwIfAborted();
    return { code, output: lines.join('\n') };
  } finally {
    clearTimeout(stubborn);
    signal?.removeEventListener('abort', stop);
  }
}

function signalGroup({ pid }: ChildProcess, name: NodeJS.Signals): void {
  try {
    if (pid !== undefined) process.kill(-pid, name);
  } catch {
    // ESRCH: the group has ended by itself.
  }
}
