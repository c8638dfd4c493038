/** Takes secrets out of a JSON value before it is stored, shown or told, and says what it took out. */
import { programIn } from './readers/fields.ts';
import { namedValue } from './readers/named-value.ts';
import { isKey, isNoSecret, looksSecret, mayNameKey } from './readers/values.ts';
import { holdsNumbers, isSecretName, namesSecret } from './tables/names.ts';
import { PROGRAM_NAMES } from './tables/program-names.ts';
import {
  cutMarked,
  kindOfName,
  marked,
  markerOf,
  markersIn,
  repeatedKind,
  type SecretSpan,
  shownKind,
} from './text/marker.ts';

export interface Finder {
  /** Secrets in one text. */
  find(text: string): readonly SecretSpan[];
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

/** Deeper than any message that the gate takes. */
const MAX_LEVELS = 80;

/** A JSON value of the same shape with marks in place of secrets; texts, numbers under secret names and names are looked at. */
export function redact<Value>(value: Value, finder: Finder): Redacted<Value> {
  const secrets: string[] = [];
  let hasSecret = false;
  const take = (text: string, kind: string): string => {
    hasSecret = true;
    secrets.push(text);
    return markerOf(shownKind(text, kind));
  };
  const inText = (text: string, known: readonly SecretSpan[] = []): string => {
    const spans = [...known, ...finder.find(text)];
    if (!spans.length) return text;
    const result = marked(text, spans);
    hasSecret = true;
    secrets.push(...result.secrets);
    return result.text;
  };
  /** `name`: the nearest field that holds the part; `secret`: the field, here or above, that says it is one. */
  const visit = (part: unknown, name: string, secret: string | undefined, level: number, before = ''): unknown => {
    if (level > MAX_LEVELS) return take('', 'too deep to look into');
    if (typeof part === 'string') {
      if (secret === undefined || isReference(part)) return inText(part);
      return isUrl(part) ? inText(part) : take(part, secret);
    }
    if (typeof part === 'number') {
      const isLong = Math.abs(part) >= MIN_SECRET_NUMBER && isSecretName(name, finder.names);
      return secret !== undefined && (isLong || holdsNumbers(secret)) ? take(String(part), secret) : part;
    }
    if (Array.isArray(part)) return visitList(part, name, secret, level, before);
    if (part === null || typeof part !== 'object') return part;
    const taken = new Set<string>();
    const entries = Object.entries(part);
    const named = namedValue(entries, finder.names);
    const program = programIn(entries);
    const isManifest = entries.some(([key, item]) => key === 'kind' && item === 'Secret');
    return Object.fromEntries(
      entries.map(([key, item]) => {
        const shown = unique(inText(key), taken);
        const isNamed = isSecretName(key, finder.names) || (mayNameKey(key) && typeof item === 'string' && isKey(item));
        const isData = isManifest && key === 'data';
        const says = isNamed ? kindOfName(key) : isData ? MANIFEST : named?.key === key ? named.kind : secret;
        return [shown, visit(item, key, says, level + 1, ARGUMENTS.test(key) ? program : undefined)];
      }),
    );
  };
  const visitList = (
    list: readonly unknown[],
    name: string,
    secret: string | undefined,
    level: number,
    before: string,
  ): unknown[] => {
    // Two texts alone may be labels.
    const lone = isPair(list) && isKey(list[1]) ? namedPair(list, finder.names) : undefined;
    if (lone !== undefined) return [visit(list[0], name, secret, level + 1), visit(list[1], name, lone, level + 1)];
    const words = argumentsOf(list, finder, before);
    return list.map((item, at) => {
      if (isPair(item)) {
        const pair = namedPair(item, finder.names);
        if (pair !== undefined) return [visit(item[0], name, secret, level + 2), visit(item[1], name, pair, level + 2)];
      }
      const known = words?.get(at);
      if (known === undefined || secret !== undefined) return visit(item, name, secret, level + 1);
      return inText(item as string, known);
    });
  };
  return { value: visit(value, '', undefined, 0) as Value, found: hasSecret, secrets: known(secrets) };
}

/** The kind of values of a Secret of Kubernetes; its `stringData` says so by its name. */
const MANIFEST = 'kubernetes secret';

/** Under a secret's name a shorter number is a count or a position. */
const MIN_SECRET_NUMBER = 100_000;

/** `['Authorization', …]`, as headers are listed. */
const isPair = (item: unknown): item is readonly [string, string] =>
  Array.isArray(item) && item.length === 2 && item.every((text) => typeof text === 'string');

/** The name of the second text of a pair, if that one is a secret. */
const namedPair = ([name, value]: readonly [string, string], names: ReadonlySet<string>): string | undefined =>
  looksSecret(value) && namesSecret(name, names) ? kindOfName(name) : undefined;

/** Words of a command line. */
const ARGUMENTS = /^(?:args|argv|arguments)$/i;

/** Finds the secrets in the words of a command line, which only the words before each one tell. */
function argumentsOf(
  list: readonly unknown[],
  { find }: Finder,
  program: string,
): ReadonlyMap<number, readonly SecretSpan[]> | undefined {
  const texts = list.map((item) => (typeof item === 'string' ? item : ''));
  const isLine = texts.length > 1 || program !== '';
  const isCommand = texts.some((text) => /^[-/]/.test(text)) || PROGRAM_NAMES.has(texts[0] ?? '');
  if (!isLine || !isCommand) return undefined;
  // Each item is one word, whatever it holds.
  const lead = program && `${program} `;
  const found = find(lead + texts.map((text) => text.replaceAll(/[\s;&|()<>'"\\]/g, '_')).join(' '));
  const result = new Map<number, SecretSpan[]>();
  const textAt = (at: number): string => texts[at] as string;
  let start = lead.length;
  let at = 0;
  for (const one of found.toSorted((a, b) => a.start - b.start)) {
    for (; at < texts.length && one.start >= start + textAt(at).length; at++) start += textAt(at).length + 1;
    if (at === texts.length) break;
    if (one.start < start) continue;
    const own = { ...one, start: one.start - start, end: Math.min(one.end - start, textAt(at).length) };
    const others = result.get(at);
    if (others === undefined) result.set(at, [own]);
    else others.push(own);
  }
  return result;
}

/** Fields that hold sentences: what says something may repeat what it was told. Digests, ids and names stay as they are. */
const SENTENCES: ReadonlySet<string> = new Set(['message', 'why', 'reason', 'detail', 'failed']);

/** Bound of a sentence, in characters: of each `message`, and of any text that is longer than the short bound already. */
export const MAX_SENTENCE = 1000;
/** Bound of all other sentences, in characters. */
const MAX_SHORT_SENTENCE = 300;

/** Takes known secrets out of every sentence of a value: a rule, an error or a model may repeat what it was given. */
export function scrubTexts<Value>(value: Value, secrets: readonly string[]): Value {
  if (!secrets.length) return value;
  const visit = (part: unknown, name: string): unknown => {
    if (typeof part === 'string') {
      if (!SENTENCES.has(name)) return part;
      const told = secrets.reduce((text, secret) => text.replaceAll(secret, () => markerOf('repeated')), part);
      const isShort = name !== 'message' && part.length <= MAX_SHORT_SENTENCE;
      return cutMarked(told, isShort ? MAX_SHORT_SENTENCE : Math.max(part.length, MAX_SENTENCE));
    }
    if (part === null || typeof part !== 'object') return part;
    if (Array.isArray(part)) return part.map((item) => visit(item, name));
    return Object.fromEntries(Object.entries(part).map(([key, item]) => [key, visit(item, key)]));
  };
  return visit(value, '') as Value;
}

/** A shorter secret is found in words that have nothing to do with it. */
const MIN_REPEATED = 6;

/** Takes known secrets out of every text of a value, where the gate found them elsewhere in the same message; marks stay as they are. */
export function scrubRepeated<Value>(value: Value, secrets: readonly string[]): Value {
  const known = secrets.filter((secret) => secret.length >= MIN_REPEATED);
  if (!known.length) return value;
  const visit = (part: unknown): unknown => {
    if (typeof part === 'string') return known.some((secret) => part.includes(secret)) ? scrubbed(part, known) : part;
    if (part === null || typeof part !== 'object') return part;
    if (Array.isArray(part)) return part.map(visit);
    return Object.fromEntries(Object.entries(part).map(([key, item]) => [key, visit(item)]));
  };
  return visit(value) as Value;
}

function scrubbed(text: string, secrets: readonly string[]): string {
  let result = '';
  let from = 0;
  const take = (plain: string): string =>
    secrets.reduce((left, secret) => left.replaceAll(secret, () => markerOf(repeatedKind(secret))), plain);
  for (const { start, end } of markersIn(text)) {
    result += take(text.slice(from, start)) + text.slice(start, end);
    from = end;
  }
  return result + take(text.slice(from));
}

/** A variable is not its value, and an empty text is none. */
const isReference = (text: string): boolean =>
  isNoSecret(text.trim()) || /^\$(?:\{[A-Za-z0-9_]{1,80}\}|[A-Za-z0-9_]{1,80})$/.test(text);

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
