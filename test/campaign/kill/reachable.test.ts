/** Checks which awaits of a small program are within reach of its handler. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { Reachable } from './reachable.ts';

const SOURCES = {
  'store.ts': `export interface Reader { read(id: string): Promise<string> }
export const store = () => ({
  read: async (id: string) => await Promise.resolve(id),
  write: async (id: string) => await Promise.resolve(id),
  forPackages: async () => await Promise.resolve(1),
});
export const gauge = () => ({ async read(): Promise<number> { return await Promise.resolve(1); } });
export async function never(): Promise<void> { await Promise.resolve(); }
`,
  'late.ts': `const steps = { one: async () => await Promise.resolve(1), two: async () => await Promise.resolve(2) };
export async function late(step: 'one' | 'two'): Promise<number> { return await steps[step](); }
`,
  'kept.ts': `export class Kept {
  async #load(): Promise<number> { return await Promise.resolve(1); }
  size(): Promise<number> { return this.#load(); }
}
`,
  'hidden.ts': `export class Hidden {
  async #load(): Promise<number> { return await Promise.resolve(1); }
  later(): Promise<number> { return this.#load(); }
}
`,
  'handler.ts': `import { Hidden } from './hidden.ts';
import { Kept } from './kept.ts';
import { gauge, type Reader, store } from './store.ts';
const figures = { read: 0, write: 1, forPackages: 2 };
const all: Buffer = Buffer.from('');
export const handler = async ({ by = store() as Reader } = {}): Promise<string> => {
  const { late } = await import('./late.ts');
  gauge();
  new Kept().size();
  new Hidden();
  await late(all[0] ? 'one' : 'two');
  return await by.read(String(figures[all.length ? 'write' : 'forPackages']));
};
`,
  'other.ts': `import { Hidden } from './hidden.ts';
import { store } from './store.ts';
export const other = async (): Promise<void> => { await store().write('a'); };
export const all = (): Promise<number> => new Hidden().later();
`,
};

test('code that is called by its name, as a member, by a key or from outside is within reach, and nothing else', () => {
  const root = mkdtempSync(join(tmpdir(), 'countersign-reachable-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  for (const [file, text] of Object.entries(SOURCES)) writeFileSync(join(root, file), text);
  const compilerOptions = { strict: true, module: 'nodenext', target: 'es2024', allowImportingTsExtensions: true };
  writeFileSync(join(root, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts'] }));
  const code = new Reachable(Object.keys(SOURCES), root);
  onTestFinished(() => code.close());
  const bundled = ['store.ts', 'late.ts', 'kept.ts', 'hidden.ts', 'handler.ts'];
  expect([...code.pointsOf('handler.ts', bundled)].map((point) => point.replace(/:\d+$/, '')).toSorted()).toEqual([
    'handler.ts:11',
    'handler.ts:12',
    'handler.ts:7',
    'kept.ts:2',
    'late.ts:1',
    'late.ts:1',
    'late.ts:2',
    'store.ts:3',
    'store.ts:5',
  ]);
});
