/** Checks that the campaign's points come after each await, and that no deployed function has one. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import type * as ShellParsers from '../../shared/permissions/shell/parser.ts';
import { POINT, pointedPlugins, withPoints } from '../campaign/kill/points.ts';
import { bundleForTest } from '../e2e/crash/bundle.ts';

const BUNDLES = resolve(import.meta.dirname, '../../dist/functions');

const SOURCE = `export async function work(read: () => Promise<readonly number[]>): Promise<number> {
  const [first = 0] = (await read()) as number[];
  let sum = first;
  for await (const one of (await read()).values()) sum += await Promise.resolve(one);
  return sum;
}`;

test('each await has a point, which is met once what was awaited is there', async () => {
  const { code, points } = withPoints(SOURCE, 'work.ts');
  expect(points).toEqual(['work.ts:2:24', 'work.ts:4:3', 'work.ts:4:28', 'work.ts:4:59']);
  const { transform } = await import('esbuild');
  const { code: runnable } = await transform(code, { loader: 'ts', format: 'esm' });
  const met: unknown[] = [];
  Reflect.set(globalThis, POINT, (point: string, value: unknown) => {
    met.push([point, value]);
    return value;
  });
  try {
    const { work } = (await import(`data:text/javascript,${encodeURIComponent(runnable)}`)) as {
      work(read: () => Promise<number[]>): Promise<number>;
    };
    expect(await work(async () => [3])).toBe(6);
    expect(met).toEqual([
      ['work.ts:2:24', [3]],
      ['work.ts:4:28', [3]],
      ['work.ts:4:3', undefined],
      ['work.ts:4:59', 3],
    ]);
  } finally {
    Reflect.deleteProperty(globalThis, POINT);
  }
});

/** A bundle of one function takes seconds on an idle machine. */
const BUNDLED_MS = 300_000;

test(
  'a bundle with points reads commands of a shell with the parser that it holds',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'countersign-points-'));
    Reflect.set(globalThis, POINT, (_: string, value: unknown) => value);
    try {
      const { outputs } = await bundleForTest({ verbs: ['evaluate'], folder, plugins: pointedPlugins(new Map()) });
      const parser = Object.keys(outputs).find((file) => outputs[file]?.entryPoint?.endsWith('/shell/parser.ts'));
      const { loadShellParser } = (await import(join(folder, parser ?? ''))) as typeof ShellParsers;
      expect((await loadShellParser()).parse('for file in *.ts; do rm "$file"; done')).toMatchObject({ broken: false });
    } finally {
      Reflect.deleteProperty(globalThis, POINT);
      rmSync(folder, { recursive: true, force: true });
    }
  },
  BUNDLED_MS,
);

test.each(readdirSync(BUNDLES))('the bundle of %s has no point, and no switch that ends its process', (name) => {
  for (const file of readdirSync(join(BUNDLES, name))) {
    const code = readFileSync(join(BUNDLES, name, file), 'utf8');
    expect(code).not.toContain(POINT);
    expect(code).not.toMatch(/CRASH_SWITCHES|CRASH_FUNCTION/);
  }
});
