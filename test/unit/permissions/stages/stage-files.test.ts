/** Tests that every stage that a file of `stages` declares has its turn. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { STAGES } from '../../../../shared/permissions/stages/evaluate.ts';
import type { Stage } from '../../../../shared/permissions/stages/stage.ts';

const FOLDER = join(import.meta.dirname, '../../../../shared/permissions/stages');

const isStage = (value: unknown): value is Stage =>
  typeof value === 'object' && value !== null && 'run' in value && 'looked' in value;

test.each(readdirSync(FOLDER).filter((file) => file !== 'evaluate.ts'))('a stage of %s is in STAGES', async (file) => {
  const module = (await import(join(FOLDER, file))) as Readonly<Record<string, unknown>>;
  const lost = Object.values(module)
    .filter(isStage)
    .filter((stage) => !STAGES.includes(stage));
  expect(lost.map(({ name }) => name)).toEqual([]);
});
