/** Checks the packed tarball with publint, and that the types of every entry resolve as its code. */
import { readFileSync } from 'node:fs';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { expect, inject, test } from 'vitest';

const tarball = readFileSync(inject('installed').tarball);

test('publint finds nothing to mend in the tarball', async () => {
  const data = tarball.buffer.slice(tarball.byteOffset, tarball.byteOffset + tarball.byteLength) as ArrayBuffer;
  const { messages, pkg } = await publint({ pack: { tarball: data }, level: 'suggestion', strict: true });
  expect(messages.map((message) => formatMessage(message, pkg))).toEqual([]);
});

test('the types of every entry resolve as its code does', async () => {
  const analysis = await checkPackage(createPackageFromTarballData(tarball), { excludeEntrypoints: [/\.json$/] });
  if (!analysis.types) throw new Error('the package has no types');
  // The package is ES modules alone: TypeScript's oldest resolution knows no `exports`, and CommonJS requires ES modules since Node 22.12.
  const met = new Set(['node10', 'node16-cjs']);
  const problems = analysis.problems.filter(
    (problem) => !('resolutionKind' in problem) || !met.has(problem.resolutionKind),
  );
  expect(problems).toEqual([]);
});
