/** Refuses names of tools in a policy file that no call may have (D15). */
import { createToolRegistry, isToolName } from '../../permissions/model/tools.ts';
import type { PolicyFile } from '../schema/policy-file.ts';
import type { PolicyProblem } from '../schema/problems.ts';

const BUILT_IN: readonly string[] = createToolRegistry()
  .list()
  .map(({ name }) => name);

/** A `bash` beside `Bash` would be a tool for which no rule of `Bash` holds. */
export function toolNameProblems({ tools }: PolicyFile): PolicyProblem[] {
  const names = Object.keys(tools);
  return names.flatMap((name): PolicyProblem[] => {
    const path = ['tools', name];
    if (!isToolName(name)) return [{ path, atKey: true, message: `${name} is no name that a call may have` }];
    const twin = [...BUILT_IN, ...names].find((one) => one !== name && one.toLowerCase() === name.toLowerCase());
    if (twin === undefined) return [];
    return [
      { path, atKey: true, message: `${name} differs only in case from ${twin}: no rule of ${twin} would hold for it` },
    ];
  });
}
