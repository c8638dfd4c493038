/** Checks parts of the use cases that the bundles of functions import when they are called. */
import { glob, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { importedWhenCalled, LAZY_LISTS } from '../../../cdk/package/lazy-imports.ts';

describe('a list of late parts', () => {
  it('becomes calls that import their module first', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'late-'));
    try {
      await writeFile(
        join(folder, 'part.mjs'),
        'globalThis.wasLoaded = true; export const twice = async (n) => n * 2;',
      );
      const calls = importedWhenCalled('lazy-imports.ts', "/** Lists. */\nexport { twice } from './part.mjs';\n");
      await writeFile(join(folder, 'late.mjs'), calls);
      const { twice } = await import(pathToFileURL(join(folder, 'late.mjs')).href);
      expect(globalThis).not.toHaveProperty('wasLoaded');
      expect(await twice(21)).toBe(42);
      expect(globalThis).toHaveProperty('wasLoaded');
    } finally {
      await rm(folder, { recursive: true });
      Reflect.deleteProperty(globalThis, 'wasLoaded');
    }
  });

  it('keeps each of several names', () => {
    const calls = importedWhenCalled('lazy-imports.ts', "export { one, other } from './part.ts';\n");
    expect(calls.match(/export const (\w+)/g)).toEqual(['export const one', 'export const other']);
  });

  it('holds nothing else', () => {
    for (const line of ["import './part.ts';", "export * from './part.ts';", 'export const one = 1;'])
      expect(() => importedWhenCalled('lazy-imports.ts', line)).toThrow(
        'lazy-imports.ts holds more than lists of names',
      );
  });

  it('names asynchronous functions only, because a call waits for their module', async () => {
    const files = await Array.fromAsync(glob('shared/use-cases/**/lazy-imports.ts'));
    expect(files).not.toHaveLength(0);
    for (const file of files) {
      expect(pathToFileURL(file).pathname).toMatch(LAZY_LISTS);
      const parts: Record<string, unknown> = await import(pathToFileURL(file).href);
      for (const [name, part] of Object.entries(parts)) {
        expect(String(part), `${name} of ${file}`).toMatch(/^async function/);
        expect(importedWhenCalled(file, await readFile(file, 'utf8'))).toContain(`export const ${name} =`);
      }
    }
  });
});
