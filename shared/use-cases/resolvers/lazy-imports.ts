/**
 * Lists functions that few events need.
 *
 * The bundles of functions import the module of each when it is called (`cdk/package/lazy-imports.ts`).
 */
export { callHook } from './call-hook.ts';
export { answerModel } from './call-model.ts';
export { classify, classifyKnown } from './classify.ts';
