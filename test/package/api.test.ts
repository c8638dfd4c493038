/** Checks the published API: no type that cannot be imported, and no name declared twice. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, inject, test } from 'vitest';
import { ENTRIES } from '../../cdk/package/entries.ts';
import { apiSurfaces, namesDeclaredTwice, reportOf, type Surface, surfaceOf, unexportedTypes } from './api/report.ts';

const surfaces = await apiSurfaces(join(inject('installed').folder, 'node_modules', 'countersign', 'dist'));
const report = (name: string) => reportOf(name, surfaces.get(name) as Surface, surfaces);

test.each(Object.keys(ENTRIES))('countersign/%s exports what its report says (npm run api writes it)', (name) => {
  const file = join(import.meta.dirname, 'api', `${name}.txt`);
  expect(existsSync(file), `npm run build && npm run api writes ${file}`).toBe(true);
  expect(report(name)).toBe(readFileSync(file, 'utf8'));
});

test('no signature of an entry uses a type that cannot be imported from there', () => {
  expect(unexportedTypes(surfaces)).toEqual([]);
});

test('no name has two declarations in different entries', () => {
  expect(namesDeclaredTwice(surfaces)).toEqual([]);
});

test('a type that is named and not exported is found, and so is a name that is declared twice', () => {
  const asks = surfaceOf('interface Inner {}\nexport declare function ask(inner: Inner): void;\n');
  const other = surfaceOf('export interface Inner { readonly a: string }\nexport declare function ask(): void;\n');
  const both = new Map([
    ['x', asks],
    ['testing', asks],
    ['y', other],
  ]);
  expect(unexportedTypes(both)).toEqual(['x: Inner']);
  expect(namesDeclaredTwice(both)).toEqual(['ask: x, testing, y']);
});

test('a report has every name with its signature, sorted and without comments', () => {
  const declarations = `import * as z from "zod";
/** Not of the signature. */
interface Inner {
  /** Neither. */
  readonly a: string;
}
declare const zebra: z.ZodString;
export declare function ask(inner: Inner): void;
export { zebra };
`;
  expect(reportOf('x', surfaceOf(declarations))).toBe(`// What countersign/x exports. Written by \`npm run api\`.

// Packages
import * as z from "zod";

// Exports
export declare function ask(inner: Inner): void;
export declare const zebra: z.ZodString;

// Named by exports, and exported nowhere
interface Inner {
  readonly a: string;
}
`);
});

test('a type that another entry exports is named only', () => {
  const other = surfaceOf('export interface Inner {}\n');
  const surface = surfaceOf('interface Inner {}\nexport declare function ask(inner: Inner): void;\n');
  const all = new Map([
    ['x', surface],
    ['y', other],
  ]);
  expect(reportOf('x', surface, all)).toContain('// In the reports of other entries\n// Inner\n');
});

test('an adapter is made of the words of other entries, so that a change of one is in one report', () => {
  const surface = surfaceOf('interface Inner {}\nexport declare function ask(inner: Inner): void;\n');
  const all = new Map([
    ['mcp', surface],
    ['client', surface],
  ]);
  expect(reportOf('mcp', surface, all)).toContain('// In the reports of other entries\n// Inner\n');
  expect(reportOf('client', surface, all)).toContain('// Named by exports, and exported nowhere\ninterface Inner {}\n');
});
