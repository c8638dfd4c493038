/** Before the tests of the functions: bundles those of which the sources changed, once for all files. */
import { resolve } from 'node:path';
import { bundleFunctions } from '../../../cdk/bundle.ts';

export async function setup(): Promise<void> {
  await bundleFunctions(resolve(import.meta.dirname, '../../..'));
}
