/** Runs the `countersign` command with the rights of one role, beside the deployed policy file. */
import { resolve } from 'node:path';
import { expect } from 'vitest';
import { run } from '../../../shared/dev/aws/run.ts';
import { e2eGate } from '../gate.ts';
import { hopeless } from './until.ts';

const MAIN = resolve(import.meta.dirname, '../../../shared/cli/main.ts');
/** Node keeps the compiled command here: each start takes half of the processor time. */
const COMPILED = resolve(import.meta.dirname, '../../../.cache/compiled');

export type Environment = Readonly<Record<string, string | undefined>>;

export async function countersign(env: Environment, ...argv: readonly string[]) {
  const { policyFile } = await e2eGate();
  const lines: string[] = [];
  const ended = await run(process.execPath, [MAIN, ...argv], {
    env: { COUNTERSIGN_POLICY: policyFile, NODE_COMPILE_CACHE: COMPILED, ...env, NO_COLOR: '1' },
    onLine: (line) => lines.push(line),
    ...(hopeless.signal ? { signal: hopeless.signal } : {}),
  });
  return { code: ended.code, output: ended.output, lines };
}

export async function json(env: Environment, ...argv: readonly string[]): Promise<Record<string, unknown>[]> {
  const { code, output, lines } = await countersign(env, ...argv, '--json');
  expect(code, output).toBe(0);
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
}
