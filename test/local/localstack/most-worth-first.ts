/**
 * Orders the test files of LocalStack's run, which has an end in CI: most worth first.
 *
 * First come tests that need a second opinion, last one that deploys twice, and the adapters of frameworks, to whom one
 * endpoint is as good as another.
 */
import { basename } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

const FIRST = [
  'approve',
  'expiry',
  'reject',
  'cancel',
  'repeats',
  'crash-approval',
  'crash-evaluate',
  'token',
  'clicks',
];
const LAST = ['policy-change', 'adapters'];

const place = ({ moduleId }: TestSpecification): number => {
  const name = basename(moduleId, '.test.ts');
  if (LAST.includes(name)) return FIRST.length + 1 + LAST.indexOf(name);
  return FIRST.includes(name) ? FIRST.indexOf(name) : FIRST.length;
};

export class MostWorthFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return (await super.sort(files)).toSorted((a, b) => place(a) - place(b));
  }
}
