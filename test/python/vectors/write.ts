/** Writes the test vectors of the wire: `npm run vectors`. A unit test tells when they are stale. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { VECTORS_FILE, wireVectors } from './vectors.ts';

const file = join(import.meta.dirname, '../../..', VECTORS_FILE);
mkdirSync(dirname(file), { recursive: true });
writeFileSync(file, `${JSON.stringify(await wireVectors(), null, 2)}\n`);
