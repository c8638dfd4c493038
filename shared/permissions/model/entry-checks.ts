/** Checks the rules and tools that a program states, field by field: a misspelt one would do nothing. */
import {
  anyText,
  type Check,
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

/** A tool. Each call has the name checked. */
export const tool: Check = objectOf<ToolEntry>({
  name: checkedElsewhere,
  permissions: list,
  severity,
  effect: oneOf('Pure', 'IdempotentWrite', 'NonIdempotentWrite', 'ExternalSideEffects'),
  argsSchema: checkedElsewhere,
  shell: flag,
  comments: texts,
  canonical: flag,
  subject: texts,
});
