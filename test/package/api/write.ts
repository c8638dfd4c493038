/** Writes the report of each entry into this folder: `npm run api`, after `npm run build`. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { apiReports } from './report.ts';

const dist = join(import.meta.dirname, '..', '..', '..', 'dist');
for (const [name, report] of await apiReports(dist)) {
  const file = join(import.meta.dirname, `${name}.txt`);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, report);
}
