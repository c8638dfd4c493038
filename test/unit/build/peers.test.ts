/**
 * Checks that the frameworks of the adapters are optional peers.
 *
 * The ranges hold the versions that the adapters' tests run.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ROOT } from '../docs/documents.ts';

interface Manifest {
  readonly dependencies: Readonly<Record<string, string>>;
  readonly peerDependencies: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta: Readonly<Record<string, { readonly optional: boolean }>>;
}

const manifest = (...path: string[]) =>
  JSON.parse(readFileSync(join(ROOT, ...path, 'package.json'), 'utf8')) as Manifest;
const { peerDependencies, peerDependenciesMeta } = manifest();

/** The other side of a connection in a test: no adapter takes it. */
const ONLY_TESTS = new Set(['@modelcontextprotocol/client']);
const frameworks = ['integrations', 'integrations/heavy']
  .flatMap((folder) => Object.entries(manifest('test', folder).dependencies))
  .filter(([name]) => name !== 'zod' && !ONLY_TESTS.has(name));

test.each(frameworks)('%s %s is in the range of an optional peer', (name, version) => {
  const range = peerDependencies[name] ?? '';
  expect(range).toMatch(/^\^\d+\.\d+\.\d+$/);
  expect(isCompatible(range.slice(1), version)).toBe(true);
  expect(peerDependenciesMeta[name]).toEqual({ optional: true });
});

test('zod alone is a peer that every user needs', () => {
  const needed = Object.keys(peerDependencies).filter((name) => !peerDependenciesMeta[name]?.optional);
  expect(needed).toEqual(['zod']);
});

/** Whether a caret range that begins at `from` has the version. */
function isCompatible(from: string, version: string): boolean {
  const [major = 0, minor = 0, patch = 0] = from.split('.').map(Number);
  const [ownMajor = 0, ownMinor = 0, ownPatch = 0] = version.split('.').map(Number);
  if (ownMajor !== major || (major === 0 && ownMinor !== minor)) return false;
  return ownMinor > minor || (ownMinor === minor && ownPatch >= patch);
}
