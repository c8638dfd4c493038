/** Finds secrets in the programs of MCP servers, and references that nothing would read. */
import { findSecrets } from '../../domain/redaction/find.ts';
import { isNoSecret } from '../../domain/redaction/readers/values.ts';
import { isSecretName, plainName } from '../../domain/redaction/tables/names.ts';
import { withoutReferences } from '../readers/env-references.ts';
import type { PolicyProblem } from '../schema/problems.ts';
import type { McpProgram } from '../schema/targets.ts';

const REFERENCE = `$\{NAME}`;
const NO_SECRET = `holds a secret, which the policy file never does: write ${REFERENCE} for the variable that holds it`;
const NO_REFERENCE = 'holds "${", which is read in env alone: the program would get it as it stands';

/** @param more names that the policy file calls secret */
export function programProblems(
  { command, args, env, cwd = '' }: McpProgram,
  path: PolicyProblem['path'],
  more: readonly string[],
): PolicyProblem[] {
  const problems: PolicyProblem[] = [];
  const names = new Set(more.map(plainName));
  const refuse = (keys: readonly (string | number)[], message: string) =>
    problems.push({ path: [...path, ...keys], message });
  const plain: [(string | number)[], string][] = [
    [['command'], command],
    ...args.map((arg, index): [(string | number)[], string] => [['args', index], arg]),
    [['cwd'], cwd],
  ];
  for (const [keys, value] of plain) if (value.includes('${')) refuse(keys, NO_REFERENCE);
  for (const [index, arg] of args.entries()) {
    // Beside the option before it: `--token` and its value.
    const before = args[index - 1] ?? '';
    const isSecret =
      findSecrets(arg, names).length ||
      findSecrets(`${before} ${arg}`, names).length > findSecrets(before, names).length;
    if (isSecret) refuse(['args', index], `${NO_SECRET}, under env`);
  }
  for (const [name, value] of Object.entries(env)) {
    const literal = withoutReferences(value);
    if (literal.includes('${')) refuse(['env', name], `holds "\${" without a name and "}": write ${REFERENCE}`);
    else if (
      (literal === value && isSecretName(name, names) && !isNoSecret(value)) ||
      findSecrets(literal, names).length
    )
      refuse(['env', name], NO_SECRET);
  }
  return problems;
}
