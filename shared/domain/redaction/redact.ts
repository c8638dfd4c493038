/** Takes secrets out of a JSON value before it is stored, shown or told, and says what it took out (D33, A20, G37). */
import { type Found, kindOfName, marked, markerOf, shownKind } from './marker.ts';
import { holdsNumbers, isSecretName } from './names.ts';

export interface Finder {
  /** Secrets in one text. */
  find(text: string): readonly Found[];
  /** More names whose values are secret. */
  readonly names: ReadonlySet<string>;
}

export interface Redacted<Value> {
  readonly value: Value;
  /** Whether anything was taken out. */
  readonly found: boolean;
  /** The secrets themselves, to find them again in texts that repeat them; never to be stored or told. */
  readonly secrets: readonly string[];
}

/** Deeper than any message that the gate takes (D20). */
const MOST_LEVELS = 80;

/** A JSON value of the same shape with marks in place of secrets; texts, numbers under secret names and names are looked at. */
export function redact<Value>(value: Value, finder: Finder): Redacted<Value> {
  const secrets: string[] = [];
  let found = false;
  const take = (text: string, kind: string): string => {
    found = true;
    secrets.push(text);
    return markerOf(shownKind(text, kind));
  };
  const inText = (text: string): string => {
    const spans = finder.find(text);
    if (!spans.length) return text;
    const result = marked(text, spans);
    found = true;
    secrets.push(...result.secrets);
    return result.text;
  };
  /** `name`: the nearest field that holds the part; `secret`: the field, here or above, that says it is one. */
  const visit = (part: unknown, name: string, secret: string | undefined, level: number): unknown => {
    if (level > MOST_LEVELS) return take('', 'too deep to look into');
    if (typeof part === 'string') {
      if (secret === undefined || isReference(part)) return inText(part);
      return isUrl(part) ? inText(part) : take(part, secret);
    }
    if (typeof part === 'number')
      return secret !== undefined && holdsNumbers(secret) ? take(String(part), secret) : part;
    if (Array.isArray(part)) return part.map((item) => visit(item, name, secret, level + 1));
    if (part === null || typeof part !== 'object') return part;
    const taken = new Set<string>();
    return Object.fromEntries(
      Object.entries(part).map(([key, item]) => {
        const shown = unique(inText(key), taken);
        const says = isSecretName(key, finder.names) ? kindOfName(key) : secret;
        return [shown, visit(item, key, says, level + 1)];
      }),
    );
  };
  return { value: visit(value, '', undefined, 0) as Value, found, secrets: known(secrets) };
}

/** Fields that hold sentences: what says something may repeat what it was told. Digests, ids and names stay as they are. */
const SENTENCES: ReadonlySet<string> = new Set(['message', 'why', 'reason', 'detail', 'failed']);

/** Takes known secrets out of every sentence of a value: a rule, an error or a model may repeat what it was given. */
export function scrubTexts<Value>(value: Value, secrets: readonly string[]): Value {
  if (!secrets.length) return value;
  const visit = (part: unknown, name: string): unknown => {
    if (typeof part === 'string') {
      if (!SENTENCES.has(name)) return part;
      return secrets.reduce((text, secret) => text.replaceAll(secret, () => markerOf('repeated')), part);
    }
    if (part === null || typeof part !== 'object') return part;
    if (Array.isArray(part)) return part.map((item) => visit(item, name));
    return Object.fromEntries(Object.entries(part).map(([key, item]) => [key, visit(item, key)]));
  };
  return visit(value, '') as Value;
}

/** A variable is not its value, and an empty text is none. */
const isReference = (text: string): boolean =>
  text.trim() === '' || /^\$(?:\{[A-Za-z0-9_]{1,80}\}|[A-Za-z0-9_]{1,80})$/.test(text);

/** An address says itself which part of it is a secret. */
const isUrl = (text: string): boolean => /^[a-z][a-z0-9+.-]{1,30}:\/\//i.test(text);

function unique(key: string, taken: Set<string>): string {
  let name = key;
  for (let count = 2; taken.has(name); count++) name = `${key} ${count}`;
  taken.add(name);
  return name;
}

/** Longest first, so that none is found within another; very short ones would blot out everything. */
const known = (secrets: readonly string[]): string[] =>
  [...new Set(secrets)].filter((text) => text.trim().length >= 4).sort((a, b) => b.length - a.length);
