/** Finds the files that start and correct MiniStack: Python, and no part of a bundle. */
import { join } from 'node:path';
import { packageRoot } from '../../../cdk/constructs/functions/package-root.ts';

/** The same below the root of the repository and of an installed package. */
export const MINISTACK = join(packageRoot(), 'shared', 'dev', 'aws', 'ministack');
