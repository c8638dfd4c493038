/**
 * Reads DynamoDB's expressions: conditions, updates and projections.
 *
 * As much of the language as the adapters use: anything else throws, as DynamoDB refuses what it does not understand.
 */
import { isDeepStrictEqual } from 'node:util';
import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import type { Item } from '../../../shared/adapters/dynamodb/items.ts';

type Values = Readonly<Record<string, AttributeValue>>;
type Names = Readonly<Record<string, string>>;
type Condition = (item: Item | undefined, values: Values) => boolean;
/** The item after the update; the one given is not changed. */
type Update = (item: Item, values: Values) => Item;
type Operand = (item: Item | undefined, values: Values) => AttributeValue | undefined;

export class ValidationError extends Error {
  override readonly name = 'ValidationException';
}

const TOKEN = /\s*(<=|>=|<>|[=<>(),+-]|[:#]?[A-Za-z_]\w*(?:\.#?[A-Za-z_]\w*)*)/y;

class Reader {
  readonly #tokens: readonly string[];
  readonly #names: Names;
  #at = 0;

  constructor(text: string, names: Names) {
    this.#tokens = tokensOf(text);
    this.#names = names;
  }

  /** The next word, if it is one of these. */
  take(...wanted: readonly string[]): string | undefined {
    const next = this.#tokens[this.#at];
    if (next === undefined || !wanted.includes(next)) return undefined;
    this.#at += 1;
    return next;
  }

  expect(wanted: string): void {
    if (!this.take(wanted)) throw new ValidationError(`${wanted} is missing before ${this.#tokens[this.#at]}`);
  }

  word(): string {
    const next = this.#tokens[this.#at++];
    if (next === undefined) throw new ValidationError('the expression ends too early');
    return next;
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#tokens.length;
  }

  path(text = this.word()): readonly string[] {
    return text.split('.').map((part) => {
      if (!part.startsWith('#')) return part;
      const name = this.#names[part];
      if (name === undefined) throw new ValidationError(`no attribute name ${part} is given`);
      return name;
    });
  }

  operand(): Operand {
    const text = this.word();
    if (text.startsWith(':'))
      return (_, values) => {
        const value = values[text];
        if (value === undefined) throw new ValidationError(`no attribute value ${text} is given`);
        return value;
      };
    const path = this.path(text);
    return (item) => valueAt(item, path);
  }
}

function tokensOf(text: string): string[] {
  const tokens: string[] = [];
  TOKEN.lastIndex = 0;
  for (let end = 0; end < text.trimEnd().length; end = TOKEN.lastIndex) {
    const [, token] = TOKEN.exec(text) ?? [];
    if (token === undefined) throw new ValidationError(`the expression ${text} cannot be read from ${text.slice(end)}`);
    tokens.push(token);
  }
  return tokens;
}

function valueAt(item: Item | undefined, [first = '', ...rest]: readonly string[]): AttributeValue | undefined {
  let value = item?.[first];
  for (const name of rest) value = value?.M?.[name];
  return value;
}

/** Below zero, zero or above; undefined: values of two types have no order. */
export function order(a: AttributeValue | undefined, b: AttributeValue | undefined): number | undefined {
  if (a?.S !== undefined && b?.S !== undefined) return a.S < b.S ? -1 : a.S > b.S ? 1 : 0;
  if (a?.N !== undefined && b?.N !== undefined) return Number(a.N) - Number(b.N);
  return undefined;
}

const isEqual = (a: AttributeValue | undefined, b: AttributeValue | undefined): boolean => {
  if (a === undefined || b === undefined) return false;
  if (a.N !== undefined && b.N !== undefined) return Number(a.N) === Number(b.N);
  return isDeepStrictEqual(a, b);
};

const COMPARISONS: Readonly<Record<string, (a: AttributeValue | undefined, b: AttributeValue | undefined) => boolean>> =
  {
    '=': isEqual,
    '<>': (a, b) => !isEqual(a, b),
    '<': (a, b) => (order(a, b) ?? 0) < 0,
    '>': (a, b) => (order(a, b) ?? 0) > 0,
    '<=': (a, b) => (order(a, b) ?? 1) <= 0,
    '>=': (a, b) => (order(a, b) ?? -1) >= 0,
  };

/** Alternatives of conjunctions, as `OR` binds less than `AND`. */
function anyOf(reader: Reader): Condition {
  const all = [allOf(reader)];
  while (reader.take('OR')) all.push(allOf(reader));
  return (item, values) => all.some((holds) => holds(item, values));
}

function allOf(reader: Reader): Condition {
  const all = [single(reader)];
  while (reader.take('AND')) all.push(single(reader));
  return (item, values) => all.every((holds) => holds(item, values));
}

function single(reader: Reader): Condition {
  if (reader.take('NOT')) {
    const holds = single(reader);
    return (item, values) => !holds(item, values);
  }
  if (reader.take('(')) {
    const holds = anyOf(reader);
    reader.expect(')');
    return holds;
  }
  const called = reader.take('attribute_exists', 'attribute_not_exists');
  if (called) {
    reader.expect('(');
    const path = reader.path();
    reader.expect(')');
    const wanted = called === 'attribute_exists';
    return (item) => (valueAt(item, path) !== undefined) === wanted;
  }
  const left = reader.operand();
  if (reader.take('BETWEEN')) {
    const from = reader.operand();
    reader.expect('AND');
    const to = reader.operand();
    const isFrom = COMPARISONS['>='] as (typeof COMPARISONS)[string];
    const isTo = COMPARISONS['<='] as (typeof COMPARISONS)[string];
    return (item, values) => {
      const value = left(item, values);
      return isFrom(value, from(item, values)) && isTo(value, to(item, values));
    };
  }
  const sign = reader.word();
  const compares = COMPARISONS[sign];
  if (!compares) throw new ValidationError(`${sign} is no comparison`);
  const right = reader.operand();
  return (item, values) => compares(left(item, values), right(item, values));
}

/** Read once: a run asks with the same texts thousands of times. */
function remembered<Read>(read: (text: string, names: Names) => Read): (text: string, names?: Names) => Read {
  const known = new Map<string, Read>();
  return (text, names = {}) => {
    const key = `${text}|${Object.entries(names).flat().join(' ')}`;
    const found = known.get(key);
    if (found !== undefined) return found;
    const made = read(text, names);
    known.set(key, made);
    return made;
  };
}

export const conditionOf = remembered((text, names): Condition => {
  const reader = new Reader(text, names);
  const holds = anyOf(reader);
  if (!reader.isAtEnd) throw new ValidationError(`the condition ${text} goes on after its end`);
  return holds;
});

/** Names of attributes of an item, none of a part of one. */
export const projectionOf = remembered((text, names): readonly string[] => {
  const reader = new Reader(text, names);
  const wanted: string[] = [];
  do {
    const path = reader.path();
    if (path.length !== 1) throw new ValidationError(`a projection of a part: ${path.join('.')}`);
    wanted.push(...path);
  } while (reader.take(','));
  return wanted;
});

const SECTIONS = ['SET', 'REMOVE', 'ADD'] as const;

export const updateOf = remembered((text, names): Update => {
  const reader = new Reader(text, names);
  const changes: ((before: Item, next: Item, values: Values) => void)[] = [];
  for (let section = reader.take(...SECTIONS); section; section = reader.take(...SECTIONS)) {
    do {
      const path = reader.path();
      const [name = ''] = path;
      if (path.length !== 1) throw new ValidationError(`an update of a part: ${path.join('.')}`);
      if (section === 'REMOVE') changes.push((_, next) => void delete next[name]);
      else {
        if (section === 'SET') reader.expect('=');
        const operand = reader.operand();
        changes.push((before, next, values) => {
          const value = operand(before, values);
          if (value === undefined) throw new ValidationError(`${name} is set to an attribute that is not there`);
          next[name] = section === 'SET' ? value : { N: String(Number(before[name]?.N ?? 0) + Number(value.N)) };
        });
      }
    } while (reader.take(','));
  }
  if (!reader.isAtEnd) throw new ValidationError(`the update ${text} cannot be read`);
  return (item, values) => {
    const next = { ...item };
    for (const change of changes) change(item, next, values);
    return next;
  };
});
