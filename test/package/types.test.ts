/**
 * Checks the types as users' compilers read them from the tarball.
 *
 * Compiles with libraries checked, in the oldest and the newest TypeScript.
 */
import { cpSync, existsSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, inject, test } from 'vitest';
import { ENTRIES } from '../../cdk/package/entries.ts';
import { fetched } from './support/on-demand.ts';
import { ROOT, run, TSC } from './support/project.ts';

const { folder } = inject('installed');
const OLDEST = '5.4.5';
const compilers: [string, readonly string[]][] = [['current', TSC]];
const oldest = await fetched('typescript', OLDEST);
if (existsSync(join(oldest, 'typescript'))) compilers.push([OLDEST, [join(oldest, 'typescript', 'bin', 'tsc')]]);
else console.log(`TypeScript ${OLDEST} could not be had, nothing was compiled with it`);

cpSync(join(import.meta.dirname, 'consumer', 'types.ts'), join(folder, 'types.ts'));
symlinkSync(join(ROOT, 'node_modules', 'expect-type'), join(folder, 'node_modules', 'expect-type'), 'dir');
const imported = Object.keys(ENTRIES).map((name, index) => `import * as e${index} from 'countersign/${name}';`);
writeFileSync(
  join(folder, 'every.ts'),
  `${imported.join('\n')}\nexport const all = [${imported.map((_, i) => `e${i}`)}];\n`,
);

async function compile(tsc: readonly string[], file: string, settings: object): Promise<string> {
  const name = `tsconfig.${file}.json`;
  const shared = { target: 'es2022', lib: ['es2023', 'esnext.disposable'], noEmit: true, types: ['node'] };
  writeFileSync(
    join(folder, name),
    JSON.stringify({ compilerOptions: { ...shared, ...settings }, files: [`${file}.ts`] }),
  );
  const { code, out, err } = await run(folder, 'node', [...tsc, '-p', name]);
  return code === 0 ? '' : out || err;
}

test.each(compilers)('TypeScript %s compiles programs of users, and refuses wrong ones', async (_name, tsc) => {
  const settings = { module: 'nodenext', strict: true, exactOptionalPropertyTypes: true, skipLibCheck: false };
  expect(await compile(tsc, 'types', settings)).toBe('');
});

test.each(compilers)('TypeScript %s finds every entry as bundlers do', async (_name, tsc) => {
  const settings = { module: 'esnext', moduleResolution: 'bundler', strict: true, skipLibCheck: true };
  expect(await compile(tsc, 'every', settings)).toBe('');
});
