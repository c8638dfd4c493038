/** Reads rows of another version of the gate: unknown keys are passed on, not refused. */
import * as z from 'zod';

const lenient = new WeakMap<z.core.$ZodType, z.ZodType>();

/**
 * Makes the schema for reading a word back from a table, a queue or a file of this gate. Incoming messages are read with the strict schema
 * itself. Every object within accepts unknown keys and keeps them, so that an older version that writes a row back loses nothing that a newer
 * version added.
 */
export function asStored<Schema extends z.ZodType>(schema: Schema): Schema {
  return convert(schema) as Schema;
}

function convert(schema: z.core.$ZodType): z.ZodType {
  const known = lenient.get(schema);
  if (known) return known;
  const made = convertOnce(schema as z.ZodType);
  const described = z.globalRegistry.get(schema);
  if (described && made !== schema) made.register(z.globalRegistry, described);
  lenient.set(schema, made);
  return made;
}

function convertOnce(schema: z.ZodType): z.ZodType {
  if (schema instanceof z.ZodObject) {
    const shape = Object.fromEntries(Object.entries(schema.def.shape).map(([key, value]) => [key, convert(value)]));
    return schema.clone({ ...schema.def, shape, catchall: z.unknown() });
  }
  if (schema instanceof z.ZodArray) return schema.clone({ ...schema.def, element: convert(schema.def.element) });
  if (schema instanceof z.ZodUnion) return schema.clone({ ...schema.def, options: schema.def.options.map(convert) });
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodReadonly)
    return schema.clone({ ...schema.def, innerType: convert(schema.def.innerType) } as never);
  if (schema instanceof z.ZodDefault) return schema.clone({ ...schema.def, innerType: convert(schema.def.innerType) });
  if (schema instanceof z.ZodRecord) return schema.clone({ ...schema.def, valueType: convert(schema.def.valueType) });
  return schema;
}
