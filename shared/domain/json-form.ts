/** Takes a value apart into what its JSON text will hold, and refuses the rest with its path. */
import { LIMITS } from '../contract/bounds.ts';

/** Follows the name of a part, for every reader and writer of messages. */
export const TOO_DEEP = `is nested deeper than ${LIMITS.depth} levels: make it flatter`;

/** The outermost names of a path: one of 65 names would hide the problem that follows it. */
export const outermost = (path: string, names: number): string =>
  path
    .split(/(?=[.[])/)
    .slice(0, names)
    .join('');

/** A value that no JSON text can hold. `path` names it, as in `input.items[2].price`. */
export class NotJsonError extends TypeError {
  override readonly name = 'NotJsonError';
  readonly code: 'not_json' | 'too_deep';
  readonly path: string;
  readonly problem: string;
  constructor(path: string, problem: string, code: 'not_json' | 'too_deep' = 'not_json') {
    super(path === '' ? `the value ${problem}` : `${path}: ${problem}`);
    this.code = code;
    this.path = path;
    this.problem = problem;
  }
}

/**
 * Refuses every object within `value` that is neither an array nor plain. All Maps have the text `{}`, and one digest would stand for all of them.
 * @throws NotJsonError that names the first one
 */
export function refuseOpaque(value: unknown): void {
  if (!holdsOpaque(value)) return;
  // Places are put together only for the message.
  refuseWithPath(value, '');
  throw new NotJsonError('', 'changes while it is read');
}

function holdsOpaque(value: unknown): boolean {
  if (typeof value === 'function') return true;
  if (typeof value !== 'object' || value === null) return false;
  if (Array.isArray(value)) return value.some(holdsOpaque);
  return !isPlainObject(value) || Object.values(value).some(holdsOpaque);
}

function refuseWithPath(value: unknown, path: string): void {
  if (typeof value === 'function') throw new NotJsonError(path, 'is a function, which JSON cannot hold');
  if (typeof value !== 'object' || value === null) return;
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index++) refuseWithPath(value[index], `${path}[${index}]`);
    return;
  }
  if (!isPlainObject(value))
    throw new NotJsonError(path, 'is neither a plain object nor an array, so that its JSON leaves out what it holds');
  for (const [key, field] of Object.entries(value)) refuseWithPath(field, path === '' ? key : `${path}.${key}`);
}

/** Whether an object is of no class, so that its fields are all that it holds. */
function isPlainObject(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype === null) return true;
  // An object literal of another realm has that realm's prototype, which is nobody's child either.
  return Object.getPrototypeOf(prototype) === null && Object.prototype.toString.call(value) === '[object Object]';
}

/**
 * A copy of plain objects and arrays that has the same JSON text as `value`. Fields of objects of a class without contents of its own count,
 * their methods do not. A field that is `undefined` is no field.
 *
 * Each property is read once, so that a getter cannot show one value here and another one later.
 * @param path names `value` in messages
 * @throws NotJsonError for a value that JSON drops or changes: `undefined` in an array, a function, symbol, bigint, NaN or infinite number, a
 * hole in an array, a Map, Set, Date, RegExp, Error or bytes, an object with a `toJSON`, a circle, more than 64 levels
 */
export function jsonForm(value: unknown, path = ''): unknown {
  return formOf(value, path, []);
}

function formOf(value: unknown, path: string, above: readonly object[]): unknown {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return value;
    case 'number':
      if (!Number.isFinite(value))
        throw new NotJsonError(path, `is ${value}, which JSON cannot hold: pass a finite number, a text or null`);
      return value;
    case 'object':
      return value === null ? null : objectForm(value, path, above);
    default:
      throw new NotJsonError(
        path,
        `is ${value === undefined ? 'undefined' : `a ${typeof value}`}, which JSON cannot hold: ${insteadOf(typeof value)}`,
      );
  }
}

const insteadOf = (kind: string): string =>
  kind === 'symbol' || kind === 'bigint'
    ? 'pass its text'
    : `pass ${kind === 'function' ? 'its name' : 'null'}, or leave it out`;

function objectForm(value: object, path: string, above: readonly object[]): unknown {
  if (above.includes(value))
    throw new NotJsonError(path, 'contains itself, which JSON cannot hold: leave it out there');
  // The reader of messages allows as many; the stack ends much later.
  if (above.length > LIMITS.depth) throw new NotJsonError(outermost(path, 4), TOO_DEEP, 'too_deep');
  const within = [...above, value];
  if (Array.isArray(value)) {
    if (Object.keys(value).length > value.length)
      throw new NotJsonError(path, 'is an array with fields, which JSON drops: pass an object');
    return Array.from({ length: value.length }, (_, index) => formOf(value[index], `${path}[${index}]`, within));
  }
  const { toJSON } = value as { readonly toJSON?: unknown };
  const tag = Object.prototype.toString.call(value).slice(8, -1);
  if (typeof toJSON === 'function')
    throw new NotJsonError(
      path,
      `is of the type ${classOf(value, tag)} with a toJSON, which puts another value in its place: pass what it returns`,
    );
  if (tag !== 'Object')
    throw new NotJsonError(
      path,
      `is of the type ${classOf(value, tag)}, which JSON cannot hold: pass its text or its fields`,
    );
  const form: Record<string, unknown> = {};
  for (const key of Reflect.ownKeys(value)) {
    const field = typeof key === 'symbol' ? key.toString() : key;
    const at = path === '' ? field : `${path}.${field}`;
    if (typeof key === 'symbol')
      throw new NotJsonError(at, 'is the field of a symbol, which JSON drops: name it by a text');
    if (!Object.prototype.propertyIsEnumerable.call(value, key))
      throw new NotJsonError(at, 'is a field that cannot be enumerated, which JSON drops: pass a plain object');
    const given: unknown = Reflect.get(value, key);
    // An assignment to `__proto__` would set the prototype instead of a field, and hide it from the reader that refuses it.
    if (given !== undefined)
      Object.defineProperty(form, key, {
        value: formOf(given, at, within),
        enumerable: true,
        writable: true,
        configurable: true,
      });
  }
  return form;
}

function classOf(value: object, tag: string): string {
  const name: unknown = (value as { readonly constructor?: { readonly name?: unknown } }).constructor?.name;
  return typeof name === 'string' && /^\w{1,40}$/.test(name) ? name : tag.replace(/\W/g, '').slice(0, 40);
}
