/** Holds the texts that failed once, one row for each shape: none may ever be allowed again. */
import { appendFileSync, readFileSync } from 'node:fs';
import type { DrawnPolicy } from './policies.ts';

interface FoundRow {
  readonly text: string;
  readonly rules: DrawnPolicy['rules'];
  readonly mode: DrawnPolicy['mode'];
  readonly cwd?: DrawnPolicy['cwd'];
  /** The class of the failure, the shell, and what happened there. */
  readonly why: string;
}

const FILE = new URL('found.jsonl', import.meta.url);

export function foundRows(): readonly FoundRow[] {
  return readFileSync(FILE, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as FoundRow);
}

export function addRow(row: FoundRow): void {
  appendFileSync(FILE, `${JSON.stringify(row)}\n`);
}
