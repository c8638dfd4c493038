import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { schemaFiles } from '../../../shared/config/write-schemas.ts';

test.each([...schemaFiles()])('%s is current', (path, text) => {
  const committed = JSON.parse(readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8')) as unknown;
  expect(committed, `${path} is stale: run npm run schemas`).toEqual(JSON.parse(text));
});

test('countersign.yaml names its schema', () => {
  const [first] = readFileSync(new URL('../../../countersign.yaml', import.meta.url), 'utf8').split('\n');
  expect(first).toBe('# yaml-language-server: $schema=shared/config/countersign.schema.json');
});
