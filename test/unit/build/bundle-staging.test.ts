/** Asserts that a build that fails leaves nothing of its own behind. */
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as later } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { bundleFunctions } from '../../../cdk/bundle.ts';

const root = mkdtempSync(join(tmpdir(), 'countersign-bundle-'));
afterEach(() => rmSync(root, { recursive: true, force: true }));

test('one function that cannot be built: the folder of the others is gone, too', async () => {
  mkdirSync(join(root, 'functions'));
  // The first fails at once, and the second is still at work on its many modules.
  writeFileSync(join(root, 'functions', 'seal.ts'), 'const = ;');
  const modules = Array.from({ length: 400 }, (_, module) => `part-${module}`);
  for (const module of modules)
    writeFileSync(join(root, 'functions', `${module}.ts`), `export const value = '${module}';`);
  writeFileSync(
    join(root, 'functions', 'redrive.ts'),
    modules.map((module, index) => `export { value as v${index} } from './${module}.ts';`).join('\n'),
  );
  await expect(bundleFunctions(root, ['seal', 'redrive'])).rejects.toThrow('seal.ts');
  // Time for a bundle that would still be written.
  await later(500);
  expect(readdirSync(join(root, 'dist')).sort()).toEqual(['frames', 'functions']);
});
