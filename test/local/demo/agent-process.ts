/** Runs the sample agent as a process of its own, with its lines as events. */
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { AgentLine } from './print.ts';

interface AgentProcess {
  /** Resolves with the exit code. */
  readonly ended: Promise<number>;
  stop(): void;
}

/** `program`: the file and its arguments. */
export function startAgent(
  program: readonly string[],
  env: Record<string, string>,
  onLine: (line: AgentLine) => void,
): AgentProcess {
  const child = spawn(process.execPath, program, { env, stdio: ['ignore', 'pipe', 'inherit'] });
  createInterface({ input: child.stdout }).on('line', (text) => onLine(JSON.parse(text) as AgentLine));
  const ended = new Promise<number>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve(code ?? 1));
  });
  return { ended, stop: () => child.kill() };
}
