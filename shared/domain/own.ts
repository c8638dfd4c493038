/** Looks words of messages up in records, so that no name of an object's prototype is ever found. */

/**
 * The record's own value under `key`, undefined if it has none: `toString` and `__proto__` are names like any other. For every look-up by
 * a word that a message, a model or a person chose.
 */
export function ownValue<Value>(record: Readonly<Record<string, Value>> | undefined, key: string): Value | undefined {
  return record !== undefined && Object.hasOwn(record, key) ? record[key] : undefined;
}

/**
 * A copy in which no object inherits anything, at any depth: `copy.agents[word]` finds only what was listed. Lists stay lists; a value
 * that is neither stays itself.
 */
export function withoutPrototypes<Value>(value: Value): Value {
  if (Array.isArray(value)) return value.map(withoutPrototypes) as Value;
  if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype) return value;
  const copy: Record<string, unknown> = Object.create(null);
  for (const [key, item] of Object.entries(value)) copy[key] = withoutPrototypes(item);
  return copy as Value;
}

/** A deep copy; undefined for a value that cannot be copied, as with a function in it. */
export function copied<T>(value: T): T | undefined {
  try {
    return structuredClone(value);
  } catch {
    return undefined;
  }
}

/**
 * A deep copy, also of a proxy such as a framework's reactive object, which `structuredClone` refuses: each of its fields is read once. A function
 * stays itself, and whoever judges it refuses it. Undefined for a value that cannot be read.
 */
export function copyOf(value: unknown): unknown {
  try {
    return copied(value) ?? fieldsOf(value, new Map());
  } catch {
    return undefined;
  }
}

/** @param made copies by their originals, so that a circle stays one */
function fieldsOf(value: unknown, made: Map<object, object>): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const known = made.get(value);
  if (known !== undefined) return known;
  const copy: object = Array.isArray(value) ? [] : Object.create(Object.getPrototypeOf(value));
  made.set(value, copy);
  for (const key of Reflect.ownKeys(value)) {
    if (Array.isArray(value) && key === 'length') continue;
    const item = fieldsOf(Reflect.get(value, key), made);
    Object.defineProperty(copy, key, { value: item, enumerable: true, writable: true, configurable: true });
  }
  return copy;
}
