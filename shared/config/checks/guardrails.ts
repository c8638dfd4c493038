/** Finds limits for names that nothing declares, and retries of calls that may not be repeated. */
import { orNearest } from '../../domain/text/nearest.ts';
import { createToolRegistry } from '../../permissions/model/tools.ts';
import { effectsOf } from '../readers/guardrails-of.ts';
import type { PolicyFile } from '../schema/policy-file.ts';
import type { PolicyProblem } from '../schema/problems.ts';

export function guardrailProblems(file: PolicyFile): PolicyProblem[] {
  const { environment, environments, roles, agents, tools } = file.guardrails;
  const problems: PolicyProblem[] = [];
  const refuse = (path: PolicyProblem['path'], message: string) =>
    problems.push({ path: ['guardrails', ...path], message });
  const declared = (record: object, what: string, name: string) => {
    const known = Object.keys(record);
    return `; ${known.length ? `declared: ${known.join(', ')}${orNearest(name, known)}` : `no ${what} is declared`}`;
  };
  if (!Object.hasOwn(environments, environment))
    refuse(
      ['environment'],
      `${environment} is no declared environment${declared(environments, 'environment', environment)}`,
    );
  for (const [agent, { roles: named = [] }] of Object.entries(agents)) {
    if (!Object.hasOwn(file.agents, agent))
      refuse(['agents', agent], `${agent} is not declared under agents${declared(file.agents, 'agent', agent)}`);
    for (const [index, role] of named.entries())
      if (!Object.hasOwn(roles, role))
        refuse(['agents', agent, 'roles', index], `role ${role} is not declared${declared(roles, 'role', role)}`);
  }
  const builtIn = createToolRegistry();
  const effects = effectsOf(file);
  for (const [tool, { maxRetries = 0 }] of Object.entries(tools)) {
    if (!effects.has(tool) && !builtIn.has(tool))
      refuse(
        ['tools', tool],
        `${tool} is neither declared under tools nor built in${declared(file.tools, 'tool', tool)}`,
      );
    if (maxRetries > 0 && effects.get(tool) !== 'IdempotentWrite')
      refuse(['tools', tool, 'maxRetries'], `retries need effect: IdempotentWrite at tools.${tool}`);
  }
  return problems;
}
