/** Refuses names of tools in a policy file that no call may have (D15). */
import { toolNameProblems as problemsOf } from '../../permissions/model/tool-names.ts';
import type { PolicyFile } from '../schema/policy-file.ts';
import type { PolicyProblem } from '../schema/problems.ts';

export function toolNameProblems({ tools }: PolicyFile): PolicyProblem[] {
  const names = Object.keys(tools);
  const problems = problemsOf(names);
  return names.flatMap((name) => {
    const problem = problems.get(name);
    return problem === undefined ? [] : [{ path: ['tools', name], atKey: true, message: `${name} ${problem}` }];
  });
}
