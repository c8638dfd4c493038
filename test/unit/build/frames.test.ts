/** Checks that the kept places of a bundle name the source lines that its source maps name. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { SourceMap, type SourceMapPayload } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  FRAMES_ARCHIVE,
  FRAMES_FOLDER,
  openFrames,
  packFrames,
  takeFrames,
} from '../../../cdk/package/frames-archive.ts';
import { sourceLineAt, sourceLinesOf } from '../../../cdk/package/source-lines.ts';

const ROOT = join(import.meta.dirname, '../../..');

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'countersign-frames-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

/** A bundle with its map, as those of functions are made. */
async function bundle(folder: string, entry: string): Promise<void> {
  await build({
    entryPoints: { index: entry },
    outdir: folder,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    splitting: true,
    minify: true,
    keepNames: true,
    format: 'esm',
    platform: 'node',
    sourcemap: 'external',
    sourcesContent: false,
    logLevel: 'error',
  });
}

test('of every place in a bundle the kept line is that of its source map', async () => {
  await bundle(root, join(ROOT, 'shared/contract/index.ts'));
  const code = readFileSync(join(root, 'index.mjs'), 'utf8').split('\n');
  const map = JSON.parse(readFileSync(join(root, 'index.mjs.map'), 'utf8')) as SourceMapPayload;
  const oracle = new SourceMap(map);
  const lines = sourceLinesOf(map, (source) => source);
  const places = code.flatMap((text, line) =>
    Array.from({ length: Math.ceil(text.length / 7) }, (_, index) => [line, index * 7] as const),
  );
  const differing = places.filter(([line, column]) => {
    const found = oracle.findEntry(line, column);
    // Node goes back to the line before; a frame is never there.
    if (!('originalSource' in found) || found.generatedLine !== line) return false;
    const kept = sourceLineAt(lines, line + 1, column + 1);
    return kept?.source !== found.originalSource || kept.line !== found.originalLine + 1;
  });
  expect(places.length).toBeGreaterThan(1_000);
  expect(differing).toEqual([]);
});

test('a thrown error names the line that throws, from the folder and from the archive', async () => {
  writeFileSync(
    join(root, 'source.ts'),
    'export const limit: number = 3;\n\nexport function refuse(given: number): number {\n  if (given < limit) return given;\n  throw new Error("over");\n}\n',
  );
  writeFileSync(
    join(root, 'entry.ts'),
    "import { refuse } from './source.ts';\nexport const handler = () =>\n  refuse(4);\n",
  );
  const folder = join(root, 'dist', 'functions', 'resume');
  await bundle(folder, join(root, 'entry.ts'));
  mkdirSync(join(root, 'dist', FRAMES_FOLDER), { recursive: true });
  writeFileSync(join(root, 'dist', FRAMES_FOLDER, 'resume.json'), JSON.stringify(takeFrames(root, 'resume', folder)));
  expect(readdirSync(folder)).toEqual(['index.mjs']);
  const { handler } = (await import(join(folder, 'index.mjs'))) as { handler: () => void };
  let stack = '';
  try {
    handler();
  } catch (error) {
    stack = (error as Error).stack ?? '';
  }
  const frames = [...stack.matchAll(/index\.mjs:(\d+):(\d+)/g)].slice(0, 2);
  const expected = [
    { source: 'source.ts', line: 5 },
    { source: 'entry.ts', line: 3 },
  ];
  const read = () => {
    const sourceOf = openFrames(root);
    return frames.map(([, line, column]) => sourceOf('index.mjs', 'resume', Number(line), Number(column)));
  };
  expect(read()).toEqual(expected);
  packFrames(join(root, 'dist', FRAMES_FOLDER), join(root, 'dist', FRAMES_ARCHIVE));
  rmSync(join(root, 'dist', FRAMES_FOLDER), { recursive: true });
  expect(read()).toEqual(expected);
  expect(openFrames(root)('index.mjs', 'evaluate', 1, 1)).toBeUndefined();
  expect(openFrames(root)('constructor', undefined, 1, 1)).toBeUndefined();
});

test('without a build the error says what makes one', () => {
  expect(() => openFrames(root)).toThrow('the functions are not bundled yet: npm run build');
});
