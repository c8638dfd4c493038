/**
 * Lists functions that few events need.
 *
 * The bundles of functions import the module of each when it is called (`cdk/package/lazy-imports.ts`).
 */
export { redactFound, redactFoundRun, unseenOf } from './redact-found.ts';
