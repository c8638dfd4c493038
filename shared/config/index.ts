/** `countersign/config`: countersign.yaml read, checked and compiled. */
export { compilePolicy, type Policy } from './compile.ts';
export type { PolicyDocument } from './document.ts';
export { loadPolicy } from './load.ts';

export type { AgentSettings, PolicyFile, RuleSetting } from './schema/policy-file.ts';
export { PolicyFileError, type PolicyProblem } from './schema/problems.ts';
