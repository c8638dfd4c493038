/** Says in words what a value of countersign.yaml may be. */
import type { Node } from './keys.ts';

/** Patterns that have a name; every other pattern is shown as it is. */
const NAMED_PATTERNS: Readonly<Record<string, string>> = {
  '^\\d{1,5} ?(s|m|h|d)$': 'duration',
  '^[TE][A-Z0-9]{1,20}$': 'Slack id',
  '^[UW][A-Z0-9]{1,20}$': 'Slack id',
  '^[CGD][A-Z0-9]{1,20}$': 'Slack id',
  '^[S][A-Z0-9]{1,20}$': 'Slack id',
  '^[A-Za-z0-9._:-]+$': 'name',
  '^[A-Za-z0-9_.-]{1,128}$': 'tool name',
  '^[0-9a-f]{64}$': 'SHA-256, hexadecimal',
  '^(A[A-Z0-9]{15,24}(:.{1,64})?|\\d{12})$': 'IAM unique id',
  '^(arn:aws[a-z-]*:lambda:[a-z0-9-]+:\\d{12}:function:)?[A-Za-z0-9_-]{1,64}$': 'Lambda name or ARN',
  '^(arn:aws[a-z-]*:lambda:[a-z0-9-]+:\\d{12}:function:)?[A-Za-z0-9_-]{1,64}(:[A-Za-z0-9_$-]{1,128})?$':
    'Lambda name or ARN',
};

const FORMATS: Readonly<Record<string, string>> = { uri: 'URL', 'date-time': 'date and time, ISO 8601' };

const patternsOf = (node: Node): readonly string[] =>
  [node, ...(node.allOf ?? [])].flatMap(({ pattern }) => (pattern === undefined ? [] : [pattern]));

export function typeOf(node: Node): string {
  if (node.const !== undefined) return `\`${node.const}\``;
  if (node.enum) return node.enum.map((word) => `\`${word}\``).join(', ');
  if (node.$ref !== undefined || node.allOf?.some(({ $ref }) => $ref !== undefined)) return 'policy';
  const forms = node.anyOf ?? node.oneOf;
  if (forms) return [...new Set(forms.map(typeOf))].join(' or ');
  if (node.type === 'array') {
    const { items } = node;
    return Array.isArray(items)
      ? `pair of ${items.map(typeOf).join(' and ')}`
      : `list of ${typeOf((items ?? {}) as Node)}`;
  }
  if (node.type === 'object') return 'map';
  if (node.type !== 'string') return node.type ?? 'any value';
  const named = patternsOf(node).flatMap((pattern) => NAMED_PATTERNS[pattern] ?? []);
  return FORMATS[node.format ?? ''] ?? named[0] ?? 'text';
}

const range = (least: number | undefined, most: number | undefined): string | undefined => {
  if (least !== undefined && most !== undefined) return least === most ? `${least}` : `${least} to ${most}`;
  if (least !== undefined) return `at least ${least}`;
  return most === undefined ? undefined : `at most ${most}`;
};

const entries = (least: number | undefined, most: number | undefined) =>
  range(least, most)?.concat((most ?? least) === 1 ? ' entry' : ' entries');

/** Every whole number that JavaScript can hold is no bound that anybody chose. */
const chosen = (most: number | undefined) => (most === Number.MAX_SAFE_INTEGER ? undefined : most);

function ownBounds(node: Node): readonly string[] {
  const { minimum, maximum, exclusiveMinimum, minItems, maxItems, maxLength, format } = node;
  const patterns = format === undefined ? patternsOf(node).filter((pattern) => !NAMED_PATTERNS[pattern]) : [];
  const isName = patternsOf(node).some((pattern) => NAMED_PATTERNS[pattern] !== undefined);
  return [
    exclusiveMinimum === undefined ? undefined : `above ${exclusiveMinimum}`,
    range(minimum, chosen(maximum)),
    entries(minItems, maxItems),
    maxLength === undefined || isName ? undefined : `at most ${maxLength} characters`,
    ...(isName ? [] : patterns.map((pattern) => `\`${pattern}\``)),
  ].filter((bound) => bound !== undefined);
}

export function boundsOf(node: Node): string {
  const { items } = node;
  const inner =
    items && !Array.isArray(items) && (items as Node).type !== 'array'
      ? ownBounds(items as Node).map((bound) => `each ${bound}`)
      : [];
  const forms = (node.anyOf ?? node.oneOf ?? []).filter(({ type }) => type !== 'object').flatMap(ownBounds);
  return [...ownBounds(node), ...inner, ...forms].join('; ');
}

const isEmpty = (value: unknown) => typeof value === 'object' && value !== null && Object.keys(value).length === 0;

export function defaultOf({ default: value }: Node): string {
  if (value === undefined) return '';
  if (Array.isArray(value) && value.length === 0) return 'none';
  if (isEmpty(value)) return '';
  if (typeof value !== 'object' || value === null) return value === '' ? 'empty' : `\`${String(value)}\``;
  const written = JSON.stringify(value).replaceAll(/([:,])/g, '$1 ');
  return `\`${Array.isArray(value) ? written : written.replaceAll('"', '')}\``;
}
