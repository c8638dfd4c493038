/** Collects the lines that a piece of work writes to the log, metrics included. */
import { vi } from 'vitest';
import { publishMetrics } from '../../../functions/runtime/telemetry/observe.ts';

/** One object a line; nothing is written meanwhile. */
export async function logged(work: () => unknown): Promise<Record<string, unknown>[]> {
  const lines: string[] = [];
  const take = (text: unknown) => {
    lines.push(...String(text).split('\n').filter(Boolean));
    return true;
  };
  const outputs = [
    ...(['log', 'info', 'warn', 'error'] as const).map((level) => vi.spyOn(console, level).mockImplementation(take)),
    vi.spyOn(process.stdout, 'write').mockImplementation(take),
    vi.spyOn(process.stderr, 'write').mockImplementation(take),
  ];
  try {
    await work();
    publishMetrics();
  } finally {
    for (const output of outputs) output.mockRestore();
  }
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
}
