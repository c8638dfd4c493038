/** Writes the committed JSON Schemas: `npm run schemas`. A test says when they are stale. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { WORD_NAMES, wordSchema } from '../contract/json-schema.ts';
import { policyFileSchema } from './json-schema.ts';

/** Every generated file, as a path in this repository, and its text. */
export function schemaFiles(): ReadonlyMap<string, string> {
  const text = (schema: unknown) => `${JSON.stringify(schema, null, 2)}\n`;
  return new Map([
    ...WORD_NAMES.map((name) => [`shared/contract/schemas/${name}.json`, text(wordSchema(name))] as const),
    ['shared/config/countersign.schema.json', text(policyFileSchema())] as const,
  ]);
}

if (process.argv[1] === import.meta.filename) {
  for (const [path, text] of schemaFiles()) {
    const file = fileURLToPath(new URL(`../../${path}`, import.meta.url));
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
}
