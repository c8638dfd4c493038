/** `countersign/config`: a policy file, read and checked. */
export { CountersignError } from '../domain/errors.ts';
export type { CompositeNode, HumanNode, LlmNode, PolicyTree, PredicateNode } from '../policies/tree.ts';
export { definePolicy, type PolicyInput } from './define.ts';
export type { PolicyDocument, RuleLines } from './document.ts';
export { loadPolicy } from './load.ts';
export type { Bound } from './schema/bounds.ts';
export type { PolicyFile } from './schema/policy-file.ts';
export { PolicyFileError, type PolicyProblem } from './schema/problems.ts';
