/** Checks that cdk.json carries the flags that the CDK recommends for new apps. */
import { createRequire } from 'node:module';
import { expect, test } from 'vitest';
import { FLAGS } from './support/run-app.ts';

const recommended = createRequire(import.meta.url)('aws-cdk-lib/recommended-feature-flags.json') as Readonly<
  Record<string, unknown>
>;
const OWN = {
  // The gate is tested in this partition only.
  '@aws-cdk/core:target-partitions': ['aws'],
  // The report names what has to be mended; whom the roles trust is a warning beside it.
  '@aws-cdk/core:annotationsInValidationReport': false,
};

test("cdk.json carries the flags that the CDK recommends for new apps, with the CDK's values but for two", () => {
  expect(FLAGS).toMatchObject({ ...recommended, ...OWN });
});

test('cdk.json carries no flag that this CDK does not know', () => {
  const unknown = Object.keys(FLAGS).filter((flag) => !Object.hasOwn(recommended, flag));
  expect(unknown).toEqual([]);
});
