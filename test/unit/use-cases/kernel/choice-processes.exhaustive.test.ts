/**
 * Checks that a choice survives a new process for each question (A16).
 *
 * State that is not in the journal is lost.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { expectSame, inMemory, isEnded, scripted } from './choice-in-memory.ts';
import type { Ended, Waiting } from './choice-steps.ts';

const folder = mkdtempSync(join(tmpdir(), 'countersign-steps-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** One file, since most of a process would be reading many. */
async function bundled(): Promise<string> {
  const outfile = join(folder, 'choice-steps.mjs');
  await build({
    entryPoints: [join(import.meta.dirname, 'choice-steps.ts')],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    mainFields: ['module', 'main'],
    banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
    logLevel: 'error',
  });
  return outfile;
}

test('a choice whose every step is another process, which knows its journal only, is what it is in memory', async () => {
  const program = await bundled();
  const few = (tree: unknown) => (JSON.stringify(tree).match(/"(?:llm|human-in-the-loop)"/g) ?? []).length <= 3;
  const cases = fc.sample(
    scripted.filter(({ tree }) => few(tree)).map((one) => ({ ...one, script: one.script.slice(0, 4) })),
    { numRuns: 120, seed: 6 },
  );
  const short = [];
  for (const one of cases) if ((await inMemory(one)).asked <= 4) short.push(one);
  expect(short.length).toBeGreaterThan(80);
  const ended = new Map<number, Ended>();
  let waiting: (Waiting & { readonly index: number })[] = short.map((one, index) => ({
    scripted: one,
    journal: [],
    index,
  }));
  let processes = 0;
  while (waiting.length) {
    const output = execFileSync(process.execPath, [program], { input: JSON.stringify(waiting), encoding: 'utf8' });
    const states: (Waiting | Ended)[] = JSON.parse(output);
    processes += 1;
    waiting = states.flatMap((state, at) => {
      const index = waiting[at]?.index ?? -1;
      if (!isEnded(state)) return [{ ...state, index }];
      ended.set(index, state);
      return [];
    });
  }
  expect(processes).toBe(5);
  for (const [index, one] of short.entries()) await expectSame(one, ended.get(index) as Ended);
});
