/** Compiles and runs the programs of `test/examples/programs` from the tarball, as a user does. */
import { cpSync, globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, inject, test } from 'vitest';
import { ROOT, run, TSC, UNOPTIMISED } from './support/project.ts';

const PROGRAMS = join(ROOT, 'test', 'examples', 'programs');
const { folder } = inject('installed');
const programs = globSync('*/*.ts', { cwd: PROGRAMS }).toSorted();

cpSync(PROGRAMS, join(folder, 'programs'), { recursive: true });
writeFileSync(
  join(folder, 'tsconfig.programs.json'),
  JSON.stringify({
    compilerOptions: {
      ...{ module: 'nodenext', target: 'es2022', lib: ['es2023', 'esnext.disposable'], types: ['node'] },
      ...{ strict: true, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true, skipLibCheck: true },
      ...{ rootDir: 'programs', outDir: 'ran' },
    },
    include: ['programs/*/*.ts'],
  }),
);
const compiled = await run(folder, 'node', [...TSC, '-p', 'tsconfig.programs.json']);

/** The comment at the end of a program is its output. */
function printedBy(program: string): string {
  const [, printed = ''] = readFileSync(join(PROGRAMS, program), 'utf8').split('\n// Prints:\n');
  return printed.replaceAll(/^\/\/ /gm, '');
}

test('the programs compile with the types of the tarball', () => {
  expect(compiled.out).toBe('');
  expect(programs.length).toBeGreaterThanOrEqual(20);
});

test.concurrent.each(programs)('%s prints what it says', async (program) => {
  const { code, out, err } = await run(folder, 'node', [UNOPTIMISED, join('ran', program.replace(/\.ts$/, '.js'))]);
  expect({ code, out, err }).toEqual({ code: 0, out: printedBy(program), err: '' });
});
