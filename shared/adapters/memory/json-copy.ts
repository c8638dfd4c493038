/** Copies of what the memory stores hold: JSON text, so that nobody holds a live reference that could change a row. */
import * as z from 'zod';

/** A value that can only be read as a copy. Undefined fields are dropped, as marshalling does. */
export interface JsonCopy<Value> {
  readonly json: string;
  readonly type?: Value;
}

export const toCopy = <Value>(value: Value): JsonCopy<Value> => new Copy(JSON.stringify(value));
export const copyOf = (copy: JsonCopy<unknown>): unknown => JSON.parse(copy.json);

/** Holds what was read of it beside its text: a row is written once, and read many times. */
class Copy implements JsonCopy<never> {
  readonly json: string;
  /** As its text says, by no schema. */
  plain: { readonly value: unknown } | undefined;
  /** By the schemas that read it, of which a row has one or two. */
  readonly read: { readonly schema: z.ZodType; readonly value: unknown }[] = [];

  constructor(json: string) {
    this.json = json;
  }
}

/** As a schema reads the copy: parsed once, and frozen, since every reader has the same value. */
export function readCopy<Schema extends z.ZodType>(copy: JsonCopy<unknown>, schema: Schema): z.output<Schema> {
  if (!(copy instanceof Copy)) return frozen(compiled(schema).parse(copyOf(copy)));
  const known = copy.read.find((one) => one.schema === schema);
  if (known) return known.value as z.output<Schema>;
  const value = frozen(compiled(schema).parse(copyOf(copy)));
  copy.read.push({ schema, value });
  return value;
}

const schemas = new WeakMap<z.ZodType, z.ZodType>();

/** Takes milliseconds once, and reads three times as fast: a process that holds a gate in memory reads thousands of rows. */
function compiled<Schema extends z.ZodType>(schema: Schema): Schema {
  const made = (schemas.get(schema) as Schema | undefined) ?? z.compile(schema);
  schemas.set(schema, made);
  return made;
}

/** What the copy holds, read once and frozen: of rows that this gate alone writes. */
export function sharedOf(copy: JsonCopy<unknown>): unknown {
  if (!(copy instanceof Copy)) return copyOf(copy);
  copy.plain ??= { value: frozen(copyOf(copy)) };
  return copy.plain.value;
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
