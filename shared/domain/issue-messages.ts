/** Words the problems of a value for its author, instead of the schema library's own words. */
import type { z } from 'zod';
import { ownValue } from './own.ts';

type RawIssue = Parameters<z.core.$ZodErrorMap>[0];

/** For JSON: `schema.safeParse(value, { error: jsonWords })`. Words of the schema itself come first. */
export const jsonWords = (issue: RawIssue): string | undefined => wordsOf(issue, 'an object');

/** For YAML, where an object is a mapping. */
export const yamlWords = (issue: RawIssue): string | undefined => wordsOf(issue, 'a mapping');

/** `calls[0].input.path`; empty for the value as a whole. */
export const fieldOf = (path: readonly PropertyKey[]): string =>
  path.map((part, index) => (typeof part === 'number' ? `[${part}]` : `${index ? '.' : ''}${String(part)}`)).join('');

interface Issue {
  readonly code?: string | undefined;
  readonly path: readonly PropertyKey[];
  readonly message: string;
  readonly keys?: readonly string[];
}

/**
 * `field: what is wrong`, of a message that its schema refuses. A key that is unknown comes first, for a misspelt one makes another one missing.
 * Keys are quoted whole: whoever stores or shows the text takes secrets out of it.
 */
export function problemIn(issues: readonly Issue[]): string {
  const issue = issues.find(({ code }) => code === 'unrecognized_keys') ?? issues[0];
  const field = fieldOf(issue?.path ?? []);
  const [unknown] = issue?.keys ?? [];
  return unknown === undefined
    ? `${field || 'the message'}: ${issue?.message ?? 'is not of the form that is read here'}`
    : `${field ? `${field}.` : ''}${unknown}: is not a field of this message`;
}

const KINDS: Readonly<Record<string, string>> = {
  array: 'a list',
  boolean: 'true or false',
  int: 'a whole number',
  number: 'a number',
  string: 'text',
};

function wordsOf(issue: RawIssue, object: string): string | undefined {
  switch (issue.code) {
    case 'invalid_type': {
      if (issue.input === undefined) return 'is missing';
      const { expected } = issue;
      const kind = expected === 'object' || expected === 'record' ? object : ownValue(KINDS, expected);
      return kind && `must be ${kind}`;
    }
    case 'invalid_value': {
      if (issue.input === undefined) return 'is missing';
      const values = issue.values.map(String);
      return values.length === 1 ? `must be ${values[0]}` : `must be one of ${values.join(', ')}`;
    }
    case 'too_small':
      if (Number(issue.minimum) === 1 && issue.inclusive !== false && ownValue(UNITS, issue.origin))
        return 'must not be empty';
      return sized(issue.origin, issue.inclusive === false ? 'above' : 'at least', issue.minimum);
    case 'too_big':
      return sized(issue.origin, issue.inclusive === false ? 'below' : 'at most', issue.maximum);
    case 'unrecognized_keys':
      return `unknown key ${issue.keys.join(', ')}`;
    case 'invalid_union':
      return issue.input === undefined ? 'is missing' : kindWords(issue);
    case 'invalid_format':
      return issue.format === 'url' ? 'must be a URL' : undefined;
    default:
      return undefined;
  }
}

/** Words a problem with a union. Where one key tells its kinds apart, the input is the object with that key. */
function kindWords(issue: RawIssue): string {
  const { discriminator = '', options } = issue as { readonly discriminator?: string; readonly options?: unknown[] };
  if (!options) return 'is not of a kind that is known here';
  const isMissing = ownValue(Object(issue.input) as Readonly<Record<string, unknown>>, discriminator) === undefined;
  return `${isMissing ? 'is missing; it' : 'is of no known kind: it'} is one of ${options.join(', ')}`;
}

/** Units of a size; a number has none. */
const UNITS: Readonly<Record<string, string>> = {
  array: 'entries',
  map: 'entries',
  object: 'keys',
  string: 'characters',
};

function sized(origin: string, bound: string, limit: number | bigint): string {
  const unit = ownValue(UNITS, origin);
  return unit ? `must have ${bound} ${limit} ${unit}` : `must be ${bound} ${limit}`;
}
