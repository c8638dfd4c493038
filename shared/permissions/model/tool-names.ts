/** Tells which names of listed tools no call may have (D15). */
import { isToolName } from '../../domain/proposal/tool-name.ts';
import { createToolRegistry } from './tools.ts';

const BUILT_IN: readonly string[] = createToolRegistry()
  .list()
  .map(({ name }) => name);

/** Each such name with the reason, as a clause. A `bash` beside `Bash` would be a tool for which no rule of `Bash` holds. */
export function toolNameProblems(names: readonly unknown[]): ReadonlyMap<unknown, string> {
  const problems = new Map<unknown, string>();
  const byFold = new Map<string, Set<string>>();
  for (const name of [...BUILT_IN, ...names]) {
    if (!isToolName(name)) {
      problems.set(name, 'is no name that a call may have');
      continue;
    }
    const same = byFold.get(name.toLowerCase());
    if (same === undefined) byFold.set(name.toLowerCase(), new Set([name]));
    else same.add(name);
  }
  for (const same of byFold.values()) {
    for (const name of same) {
      const twin = [...same].find((other) => other !== name);
      if (twin !== undefined)
        problems.set(name, `differs only in case from ${twin}: no rule of ${twin} would hold for it`);
    }
  }
  return problems;
}
