// Leaves out tests that `differences.ts` lists, and those for which no time is left.
//
// Lists hold on LocalStack, time on any endpoint. Both say so.
import { basename } from 'node:path';
import { beforeEach } from 'vitest';
import { endpointName } from '../endpoint/start-endpoint.ts';
import { DIFFERENCES } from './differences.ts';
import { NO_TIME } from './outcomes.ts';

export interface Named {
  readonly name: string;
  readonly suite?: Named | undefined;
  readonly file: { readonly filepath: string };
}

/** `file > describe > test`. */
export function nameOf({ name, suite, file }: Named): string {
  const names = [name];
  for (let above = suite; above?.name; above = above.suite) names.unshift(above.name);
  return [basename(file.filepath), ...names].join(' > ');
}

const listed = process.env['AWS_ENDPOINT_URL'] || endpointName() !== 'localstack' ? [] : DIFFERENCES;
/** Milliseconds since the epoch; see suite.ts. */
const until = Number(process.env['COUNTERSIGN_TESTS_UNTIL'] || Number.POSITIVE_INFINITY);

beforeEach(({ task, skip }) => {
  const name = nameOf(task as unknown as Named);
  const difference = listed.find(({ test }) => name === test || name.startsWith(`${test} > `));
  if (difference) skip(`AWS: ${difference.aws}; LocalStack: ${difference.localstack}`);
  if (Date.now() > until) skip(NO_TIME);
});
