/** Checks the rules and tools that a program states, field by field: a misspelt one would do nothing. */
import {
  anyText,
  type Check,
  type Checks,
  checkedElsewhere,
  flag,
  list,
  objectOf,
  oneOf,
  record,
  texts,
} from '../../domain/settings.ts';
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

/** A tool. Each call has the name checked. */
export const tool: Check = objectOf<ToolEntry>(TOOL);

/** The fields of a tool that rules read: a policy file says more of one, such as how it runs. */
export function toolOfRules({ name, permissions, ...others }: ToolEntry): ToolEntry {
  const read = Object.entries(others).filter(([key]) => Object.hasOwn(TOOL, key));
  return { name, permissions, ...Object.fromEntries(read) };
}
