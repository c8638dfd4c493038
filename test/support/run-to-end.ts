/** Runs a program to its end, and ends it with this process. */
import { type SpawnOptions, spawn } from 'node:child_process';

/** Resolves to the exit code; null if a signal or a time-out ended it. A signal may reach this process alone: it is handed on, and ends this process once the program is gone. */
export async function runToEnd(
  program: string,
  args: readonly string[],
  options: SpawnOptions,
): Promise<number | null> {
  const child = spawn(program, args, options);
  const handOn = (signal: NodeJS.Signals): void => {
    child.once('close', () => process.exit(1));
    child.kill(signal);
  };
  for (const signal of SIGNALS) process.once(signal, handOn);
  try {
    return await new Promise((resolve, reject) => child.once('error', reject).once('close', resolve));
  } finally {
    for (const signal of SIGNALS) process.off(signal, handOn);
  }
}

const SIGNALS = ['SIGINT', 'SIGTERM'] as const;
