/** Bundles the functions and installs MiniStack once, before the gates start: each gate would do both. */
import { bundleFunctions } from '../../cdk/bundle.ts';
import { cacheDirectory } from '../../shared/dev/aws/cache.ts';
import { pythonWith } from '../../shared/dev/aws/python.ts';
import { PACKAGES } from '../../shared/dev/aws/start-ministack.ts';

export async function setup(): Promise<void> {
  await Promise.all([bundleFunctions(), pythonWith(PACKAGES, cacheDirectory(), console.log)]);
}
