/** Runs the command in this process, its output caught. */
import { Readable } from 'node:stream';
import { run } from '../../../shared/cli/program.ts';
import type { Io } from '../../../shared/cli/support/io.ts';

interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
  readonly lines: readonly unknown[];
}

export const NOW = Date.parse('2026-11-21T10:00:00Z');
export const FIXTURES = new URL('.', import.meta.url).pathname;

export async function cli(argv: readonly string[], options: Partial<Omit<Io, 'out' | 'err'>> = {}): Promise<Ran> {
  let out = '';
  let err = '';
  const code = await run(argv, {
    out: (text) => {
      out += text;
    },
    err: (text) => {
      err += text;
    },
    stdin: () => textOf(''),
    env: {},
    cwd: FIXTURES,
    // No test reads or writes the machine's own.
    managedSettings: `${FIXTURES}no-managed-settings.json`,
    columns: 100,
    color: false,
    now: () => NOW,
    ...options,
  });
  return {
    code,
    out,
    err,
    get lines() {
      return out
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line) as unknown);
    },
  };
}

export const textOf = (...chunks: readonly string[]): Readable => Readable.from(chunks);

/** Whether a terminal would act on anything in `text` but its line ends. */
export const acts = (text: string): boolean => /[\p{Cc}\p{Cf}]/u.test(text.replaceAll('\n', ''));
