import { createRequire } from 'node:module';
import { expect, test } from 'vitest';
import { FLAGS } from './support/run-app.ts';

const recommended = createRequire(import.meta.url)('aws-cdk-lib/recommended-feature-flags.json') as Readonly<
  Record<string, unknown>
>;
/** The partitions that the gate is tested in. */
const PARTITIONS = '@aws-cdk/core:target-partitions';

test("cdk.json carries the flags that the CDK recommends for new apps, with the CDK's values", () => {
  expect(FLAGS).toMatchObject({ ...recommended, [PARTITIONS]: ['aws'] });
});

test('cdk.json carries no flag that this CDK does not know', () => {
  const unknown = Object.keys(FLAGS).filter((flag) => !Object.hasOwn(recommended, flag));
  expect(unknown).toEqual([]);
});
