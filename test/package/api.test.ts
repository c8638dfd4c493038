import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, inject, test } from 'vitest';
import { ENTRIES } from '../../cdk/package/entries.ts';
import { apiReports, reportOf, surfaceOf } from './api/report.ts';

const reports = await apiReports(join(inject('installed').folder, 'node_modules', 'countersign', 'dist'));

test.each(Object.keys(ENTRIES))('countersign/%s exports what its report says (npm run api writes it)', (name) => {
  const file = join(import.meta.dirname, 'api', `${name}.txt`);
  expect(existsSync(file), `npm run build && npm run api writes ${file}`).toBe(true);
  expect(reports.get(name)).toBe(readFileSync(file, 'utf8'));
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
  expect(reportOf('x', surface, [surface, other])).toContain('// Exported by other entries\n// Inner\n');
});
