/**
 * Reads the `assert` of a case about more than the verdict.
 *
 * An assertion that cannot be read is `undefined`.
 */
import { canonicalJson, sha256Hex } from '../../../shared/domain/digest.ts';
import { argsDigest } from '../../../shared/permissions/service/grants.ts';
import { isFields, listOf } from '../fields.ts';
import type { SecurityCase } from './cases.ts';
import type { Observed } from './observed.ts';

type Assertion = readonly [RegExp, (seen: Observed, match: RegExpMatchArray) => boolean];

const ASSERTIONS: readonly Assertion[] = [
  [/decision < (\d+) ms/, (seen, [, limit]) => seen.milliseconds < Number(limit)],
  [/loader rejects/, (seen) => seen.problems.some((problem) => problem.startsWith('error'))],
  [/(reported|warn)/, (seen) => seen.problems.length > 0],
  [/^prompt does not contain (\w+)/, (seen, [, field]) => promptExcludes(seen, field as string)],
  [/no raw closing delimiter/, (seen) => seen.model === undefined || !seen.model.prompt.includes('</')],
  [/sha256\[:(\d+)\]==([0-9a-f]+)/, (seen, [, length, prefix]) => collides(seen, Number(length), prefix as string)],
  [/no second side effect/, (seen) => seen.verdict === 'allow'],
];

/** Neither the field's name nor its text reaches the model; a model that was not asked was told nothing. */
function promptExcludes(seen: Observed, field: string): boolean {
  const input = seen.given['input'];
  const text = isFields(input) && typeof input[field] === 'string' ? input[field] : undefined;
  const prompt = seen.model?.prompt;
  return prompt === undefined || text === undefined || !prompt.includes(text.slice(0, 40));
}

/** Both calls have the short hash of the case under one of the usual forms, and different whole digests. */
function collides(seen: Observed, length: number, prefix: string): boolean {
  const { toolName, input } = seen.given;
  const entry = listOf(seen.given['cache'])[0];
  if (!isFields(entry)) return false;
  const forms: ((tool: unknown, args: unknown) => string)[] = [
    (_tool, args) => canonicalJson(args),
    (tool, args) => `${String(tool)}:${canonicalJson(args)}`,
    (tool, args) => canonicalJson({ tool, input: args }),
    (tool, args) => canonicalJson({ toolName: tool, input: args }),
  ];
  const short = (form: (typeof forms)[number], tool: unknown, args: unknown) =>
    sha256Hex(form(tool, args)).slice(0, length);
  const hit = forms.some(
    (form) => short(form, toolName, input) === prefix && short(form, entry['toolName'], entry['input']) === prefix,
  );
  return hit && argsDigest(input) !== argsDigest(entry['input']);
}

export function holds(assertion: string, seen: Observed, _one: SecurityCase): boolean | undefined {
  for (const [words, check] of ASSERTIONS) {
    const match = assertion.match(words);
    if (match !== null) return check(seen, match);
  }
  return undefined;
}
