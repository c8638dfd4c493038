/**
 * Lists functions that few events need.
 *
 * The bundles of functions import the module of each when it is called (`cdk/package/lazy-imports.ts`).
 */
export { moveQuestion } from './move-question.ts';
