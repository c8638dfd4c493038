/** Bundles the functions whose sources changed, before their tests, and prints their sizes. */
import { resolve } from 'node:path';
import { bundleFunctions } from '../../../cdk/bundle.ts';
import { firstImportTable } from '../../../cdk/first-import-limits.ts';

export async function setup(): Promise<void> {
  console.log(firstImportTable(await bundleFunctions(resolve(import.meta.dirname, '../../..'))));
}
