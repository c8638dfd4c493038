/** Makes a policy of a value of TypeScript, for programs that hold their policy in code. */
import type * as z from 'zod';
import { jsonForm, NotJsonError } from '../domain/json-form.ts';
import { record, text } from '../domain/settings.ts';
import type { PolicyDocument } from './document.ts';
import { loadPolicy } from './load.ts';
import type { policySchema } from './schema/policy-file.ts';
import { PolicyFileError } from './schema/problems.ts';

/** The sections of a policy file, as they are written. */
export type PolicyInput = z.input<typeof policySchema>;

/**
 * Checks a policy that is written in TypeScript, exactly as a policy file is checked.
 *
 * @param name shown in errors and explanations
 * @throws PolicyFileError with every problem found
 * @example
 * const document = definePolicy({
 *   people: { olga: { team: 'T1', user: 'U1', name: 'Olga' } },
 *   agents: { billing: { owner: 'olga' } },
 *   rules: { allow: ['Lookup'], deny: ['Bash(rm:*)'] },
 * });
 * console.log(document.policyVersion);
 */
export function definePolicy(policy: PolicyInput, name = 'policy'): PolicyDocument {
  record(policy, 'policy');
  text(name, 'name');
  try {
    // Lines and columns would be those of a text that nobody wrote.
    return { ...loadPolicy(JSON.stringify(jsonForm(policy)), name), ruleLines: {} };
  } catch (error) {
    // A Map or a number without an end would be written as another value.
    if (error instanceof NotJsonError) throw new PolicyFileError(name, [{ path: [], message: error.message }]);
    if (!(error instanceof PolicyFileError)) throw error;
    throw new PolicyFileError(
      name,
      error.problems.map(({ line: _line, column: _column, ...problem }) => problem),
    );
  }
}
