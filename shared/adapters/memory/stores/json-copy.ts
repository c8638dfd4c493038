/** Keeps rows of the memory stores as JSON text, to which nobody holds a live reference. */
import * as z from 'zod';

/** A value that can only be read as a copy. Undefined fields are dropped, as marshalling does. */
export interface JsonCopy<Value> {
  readonly json: string;
  readonly type?: Value;
}

export const toCopy = <Value>(value: Value): JsonCopy<Value> => new Copy(JSON.stringify(value));
export const copyOf = (copy: JsonCopy<unknown>): unknown => JSON.parse(copy.json);

/** Holds the values that were read beside the text: a row is written once, and read many times. */
class Copy implements JsonCopy<never> {
  readonly json: string;
  #raw: { readonly value: unknown } | undefined;
  #isFrozen = false;
  /** By the schemas that read it, of which a row has one or two. */
  readonly #read: { readonly schema: z.ZodType; readonly value: unknown }[] = [];

  constructor(json: string) {
    this.json = json;
  }

  plain(): unknown {
    const value = this.#parsed();
    if (!this.#isFrozen) frozen(value);
    this.#isFrozen = true;
    return value;
  }

  by<Schema extends z.ZodType>(schema: Schema): z.output<Schema> {
    const known = this.#read.find((one) => one.schema === schema);
    if (known) return known.value as z.output<Schema>;
    const value = parsed(this.#parsed(), schema);
    this.#read.push({ schema, value });
    return value;
  }

  /** For schemas, which change nothing of it: most rows are read by one, and nobody sees what it was given. */
  #parsed(): unknown {
    this.#raw ??= { value: copyOf(this) };
    return this.#raw.value;
  }
}

/** As a schema reads the copy: parsed once, and frozen, since every reader has the same value. */
export const readCopy = <Schema extends z.ZodType>(copy: JsonCopy<unknown>, schema: Schema): z.output<Schema> =>
  copy instanceof Copy ? copy.by(schema) : parsed(copyOf(copy), schema);

/** The value of the copy, read once and frozen: of rows that this gate alone writes. */
export const sharedOf = (copy: JsonCopy<unknown>): unknown => (copy instanceof Copy ? copy.plain() : copyOf(copy));

const schemas = new WeakMap<z.ZodType, z.ZodType>();

/** Compiling takes milliseconds once, and reads three times as fast: a process that holds a gate in memory reads thousands of rows. */
function parsed<Schema extends z.ZodType>(value: unknown, schema: Schema): z.output<Schema> {
  const compiled = (schemas.get(schema) as Schema | undefined) ?? z.compile(schema);
  schemas.set(schema, compiled);
  return frozen(compiled.parse(value));
}

function frozen<Value>(value: Value): Value {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) for (const held of value) frozen(held);
  else for (const key in value) frozen(value[key]);
  return Object.freeze(value);
}

/** Undefined for text that is no JSON. */
export function anyOf(copy: JsonCopy<unknown>): unknown {
  try {
    return sharedOf(copy);
  } catch {
    return undefined;
  }
}
