/** Declares a policy file as synthesis writes it and functions read it. */
import type { PolicyFile } from './schema/policy-file.ts';

/** Where each rule stands in the file, as `deny.0` → line; for explanations, not part of the version. */
export type RuleLines = Readonly<Record<string, { readonly line: number; readonly column: number }>>;

/** The document that synthesis writes and functions read: JSON throughout. */
export interface PolicyDocument {
  readonly policyVersion: string;
  readonly file: string;
  readonly policy: PolicyFile;
  readonly ruleLines: RuleLines;
}
