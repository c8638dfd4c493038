/**
 * Compiles the programs of documents and of adapters' comments, and the adapters with their tests.
 *
 * The frameworks' own types judge them, which are most of the work: all is one program of the compiler.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ENTRIES } from '../../cdk/package/entries.ts';
import { blocksOf, ROOT, userDocuments } from '../unit/docs/documents.ts';
import { adapterBlocks } from '../unit/docs/public-names.ts';

/**
 * Compiles the blocks that are marked with the word, the examples of these adapters' comments, and what the folder's own settings include, in a
 * folder from which the frameworks' packages are found.
 */
export function testExamples(word: string, folder: string, adapters: readonly string[]): void {
  test(`the programs of the documents and of the adapters compile, and the tests: ${word}`, {
    timeout: 180_000,
  }, () => {
    const blocks = userDocuments()
      .flatMap(blocksOf)
      .filter(({ words }) => words[0] === word);
    expect(blocks).not.toEqual([]);
    const examples = adapters.flatMap((name) => adapterBlocks().get(name) ?? []);
    expect(new Set(examples.map(({ file }) => file)).size).toBe(adapters.length);
    const inside = mkdtempSync(join(folder, '.examples-'));
    try {
      for (const [index, { text }] of [...blocks, ...examples].entries())
        writeFileSync(join(inside, `block-${index}.ts`), `${text}\nexport {};\n`);
      const paths = Object.entries(ENTRIES).map(([name, source]) => [`countersign/${name}`, [join(ROOT, source)]]);
      const { include } = JSON.parse(readFileSync(join(folder, 'tsconfig.json'), 'utf8')) as { include: string[] };
      const settings = {
        extends: join(ROOT, 'tsconfig.json'),
        compilerOptions: { paths: Object.fromEntries(paths), noUnusedLocals: false },
        include: ['*.ts', ...include.map((pattern) => join(folder, pattern))],
        exclude: [],
      };
      writeFileSync(join(inside, 'tsconfig.json'), JSON.stringify(settings));
      const tsc = join(ROOT, 'node_modules', '.bin', 'tsc');
      const { status, stdout } = spawnSync(tsc, ['--noEmit', '--checkers', '1', '-p', inside], { encoding: 'utf8' });
      expect({ status, stdout }).toEqual({ status: 0, stdout: '' });
    } finally {
      rmSync(inside, { recursive: true, force: true });
    }
  });
}
