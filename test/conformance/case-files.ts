/** Reads the repository's copy of the cases: one JSON object a line. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Ours: a case for each shape of the format that the other two lack, and other instances of what their families ask for. */
const OWN = ['shapes.jsonl', 'variants.jsonl'] as const;
export type CaseFile = 'seeds.jsonl' | 'security.jsonl' | (typeof OWN)[number];

/** Every file of cases. */
export const CASE_FILES: readonly CaseFile[] = ['seeds.jsonl', 'security.jsonl', ...OWN];

/** The folder of the copy. */
export const CASES = join(import.meta.dirname, 'cases');

/** Every case of a file, in its order. Throws a `SyntaxError` on a line that is no JSON. */
export function readCases<Case>(file: CaseFile): Case[] {
  return readFileSync(join(CASES, file), 'utf8')
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => JSON.parse(line) as Case);
}

/** The cases of a file together with our own of the same kind. */
export const withOwn = <Case>(file: CaseFile): Case[] => [
  ...readCases<Case>(file),
  ...OWN.flatMap((own) => readCases<Case>(own)),
];
