/** Checks the rules and tools that a program states, field by field: a misspelt one would do nothing. */
import { InvalidSettingError } from '../../domain/errors.ts';
import {
  anyText,
  type Check,
  type Checks,
  checkedElsewhere,
  flag,
  list,
  listOf,
  objectOf,
  oneOf,
  record,
  texts,
} from '../../domain/settings.ts';
import { toolNameProblems } from './tool-names.ts';
import type { RuleInput, ToolEntry } from './types.ts';

const severity = oneOf('low', 'medium', 'high', 'critical');

/** A rule. Effect, pattern, source and end date are checked when it is compiled. */
export const rule: Check = objectOf<RuleInput>({
  effect: checkedElsewhere,
  pattern: checkedElsewhere,
  source: checkedElsewhere,
  description: anyText,
  reason: anyText,
  severity,
  origin: record,
  suggestions: texts,
  matcher: record,
  expiresAt: checkedElsewhere,
});

const TOOL: Checks<ToolEntry> = {
  name: checkedElsewhere,
  permissions: list,
  severity,
  effect: oneOf('Pure', 'IdempotentWrite', 'NonIdempotentWrite', 'ExternalSideEffects'),
  argsSchema: checkedElsewhere,
  shell: flag,
  comments: texts,
  canonical: flag,
  subject: texts,
};

const tool: Check = objectOf<ToolEntry>(TOOL);

/** The tools of a program, of which no two differ only in the case of their names (D15). */
export const tools: Check = (value, setting) => {
  listOf(tool)(value, setting);
  const names = (value as readonly ToolEntry[]).map(({ name }) => name);
  const problems = toolNameProblems(names);
  for (const [at, name] of names.entries()) {
    const problem = problems.get(name);
    if (problem !== undefined) throw new InvalidSettingError(`${setting}[${at}].name`, `${name} ${problem}`);
  }
};

/** The fields of a tool that rules read: a policy file says more of one, such as how it runs. */
export function toolOfRules({ name, permissions, ...others }: ToolEntry): ToolEntry {
  const read = Object.entries(others).filter(([key]) => Object.hasOwn(TOOL, key));
  return { name, permissions, ...Object.fromEntries(read) };
}
