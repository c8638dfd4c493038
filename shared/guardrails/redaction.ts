/** Secrets do not leave in events, results or messages (R3-100): known by the name of the field that holds them. */

const SECRET_NAMES = [
  'token',
  'authorization',
  'password',
  'passwd',
  'secret',
  'apikey',
  'credential',
  'cookie',
  'privatekey',
];
export const REDACTED = '[redacted]';
const MAX_DEPTH = 64;

export interface Redacted {
  readonly value: unknown;
  /** Paths of what was taken out, as in `headers.Authorization`. */
  readonly redactions: readonly string[];
  /** The values themselves, to find them again in texts; never to be emitted. */
  readonly secrets: readonly string[];
}

/** `API-Key`, `api_key` and `apiKey` are one name. */
export function isSecretName(name: string): boolean {
  const plain = name.toLowerCase().replaceAll(/[^a-z]/g, '');
  return SECRET_NAMES.some((secret) => plain.includes(secret));
}

export function redact(value: unknown, at = ''): Redacted {
  const redactions: string[] = [];
  const secrets: string[] = [];
  const visit = (part: unknown, path: string, depth: number): unknown => {
    if (depth > MAX_DEPTH) return REDACTED;
    if (Array.isArray(part)) return part.map((item, index) => visit(item, `${path}[${index}]`, depth + 1));
    if (part === null || typeof part !== 'object') return part;
    const entries = Object.entries(part).map(([name, item]): [string, unknown] => {
      const itemPath = path ? `${path}.${name}` : name;
      if (!isSecretName(name) || item === null || item === undefined) return [name, visit(item, itemPath, depth + 1)];
      redactions.push(itemPath);
      secrets.push(...textsOf(item, depth + 1));
      return [name, REDACTED];
    });
    return Object.fromEntries(entries);
  };
  return { value: visit(value, at, 0), redactions, secrets };
}

/** A scheme before the secret (`Bearer x`) does not hide the secret itself; very short texts would blot out everything. */
function textsOf(item: unknown, depth: number): string[] {
  if (depth > MAX_DEPTH) return [];
  if (typeof item === 'string') return [item, ...item.split(/\s+/).slice(1)].filter((text) => text.length >= 4);
  if (typeof item === 'number' || typeof item === 'bigint') return textsOf(String(item), depth);
  if (item === null || typeof item !== 'object') return [];
  return Object.values(item).flatMap((part) => textsOf(part, depth + 1));
}

/** Takes known secrets out of every text in a value: a tool may repeat what it was given. */
export function scrub<T>(value: T, secrets: readonly string[]): T {
  if (secrets.length === 0) return value;
  const longestFirst = secrets.toSorted((a, b) => b.length - a.length);
  const visit = (part: unknown, depth: number): unknown => {
    if (typeof part === 'string')
      return longestFirst.reduce((text, secret) => text.replaceAll(secret, () => REDACTED), part);
    if (depth > MAX_DEPTH || part === null || typeof part !== 'object') return part;
    if (Array.isArray(part)) return part.map((item) => visit(item, depth + 1));
    return Object.fromEntries(Object.entries(part).map(([name, item]) => [name, visit(item, depth + 1)]));
  };
  return visit(value, 0) as T;
}
