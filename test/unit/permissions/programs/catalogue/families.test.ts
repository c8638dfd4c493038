/** Checks that each family file of the catalogue is a part of it, and that names are unique. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { PROGRAMS } from '../../../../../shared/permissions/programs/catalogue/index.ts';
import type { ProgramRecord } from '../../../../../shared/permissions/programs/record/record.ts';

const FOLDER = join(import.meta.dirname, '../../../../../shared/permissions/programs/catalogue');

const isFamily = (value: unknown): value is readonly ProgramRecord[] =>
  Array.isArray(value) &&
  value.length > 0 &&
  value.every((one) => Array.isArray((one as Partial<ProgramRecord>)?.names));

const files = readdirSync(FOLDER).filter((file) => file.endsWith('.ts') && file !== 'index.ts');

test.each(files)('every record of %s is in the catalogue', async (file) => {
  const module = (await import(join(FOLDER, file))) as Readonly<Record<string, unknown>>;
  const lost = Object.values(module)
    .filter(isFamily)
    .flat()
    .filter((record) => !PROGRAMS.includes(record));
  expect(lost.map(({ names }) => names)).toEqual([]);
});

test('a name belongs to one record', () => {
  const names = PROGRAMS.flatMap((record) => record.names);
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
});
