/** Reads JSON Schemas of tools as schemas of a library. */
import { isSchema, type StandardSchema } from '../../../domain/standard-schema.ts';

/** By the text of the schema: a tool is called more than once. */
const READ = new Map<string, StandardSchema | undefined>();
const MAX_READ = 1_000;

/**
 * The schema itself if a library made it.
 *
 * @returns undefined for what is no JSON Schema of an object, or one that cannot be read here: the tool alone checks its arguments then
 */
export async function readableSchema(schema: unknown): Promise<StandardSchema | undefined> {
  if (isSchema(schema)) return schema;
  if ((Object(schema) as { readonly type?: unknown }).type !== 'object') return undefined;
  const text = textOf(schema);
  if (text === undefined) return undefined;
  if (READ.has(text)) return READ.get(text);
  const { validatorOf } = await import('./json-schema-validator.ts');
  const [oldest] = READ.size >= MAX_READ ? READ.keys() : [];
  if (oldest !== undefined) READ.delete(oldest);
  const read = validatorOf(JSON.parse(text));
  READ.set(text, read);
  return read;
}

/** Undefined for a circle, which a library may have made of references. */
function textOf(schema: unknown): string | undefined {
  try {
    return JSON.stringify(schema);
  } catch {
    return undefined;
  }
}
