/** Checks that the AsyncAPI document of the tarball is valid by the AsyncAPI initiative's own schema. */
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { expect, inject, test } from 'vitest';
import { ROOT, run } from './support/project.ts';

/** Seven megabytes for one test: fetched once, and no dependency of the repository. */
const SPECS = '@asyncapi/specs@6.11.1';

test('the document is valid', async () => {
  const folder = join(ROOT, '.cache', 'asyncapi');
  const file = join(folder, 'node_modules', '@asyncapi', 'specs', 'schemas', '3.0.0-without-$id.json');
  if (!existsSync(file)) {
    mkdirSync(folder, { recursive: true });
    const install = ['install', '--prefix', folder, '--no-save', '--prefer-offline', '--no-audit', '--no-fund', SPECS];
    expect(await run(folder, 'npm', install)).toMatchObject({ code: 0 });
  }
  const schema = JSON.parse(readFileSync(file, 'utf8')) as object;
  const packed = join(inject('installed').folder, 'node_modules/countersign/shared/contract/schemas/asyncapi.json');
  const validate = new Ajv({ strict: false, validateFormats: false }).compile(schema);
  const document = JSON.parse(readFileSync(packed, 'utf8')) as Record<string, unknown>;
  expect(validate(document), JSON.stringify(validate.errors?.slice(0, 3))).toBe(true);
  expect(validate({ ...document, operations: { propose: { action: 'ask' } } })).toBe(false);
});
