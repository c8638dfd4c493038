/** `countersign/config`: countersign.yaml read, checked and compiled. */
export { compilePolicy, type Policy } from './compile.ts';
export type { PolicyDocument, RuleLines } from './document.ts';
export { loadPolicy } from './load.ts';
export { type GuardedCall, originOf, resolveCall } from './readers/guardrails-of.ts';
export { type AgentSettings, type PolicyFile, policySchema, type RuleSetting } from './schema/policy-file.ts';
export { PolicyFileError, type PolicyProblem } from './schema/problems.ts';
