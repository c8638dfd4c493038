/** Has an OpenAI tool give words of the gate beside its output, or in its place. */
import { isWithChange, withChange } from '../running/change.ts';
import { withMethod } from './common/with-signal.ts';

const PARTS: readonly unknown[] = ['text', 'image', 'file'];

/** The SDK hands on images and files alone or in a list of such parts. Within any other value they would be text. */
export function toldOutput(output: unknown, change: string | undefined): unknown {
  if (change === undefined) return output;
  const parts: readonly unknown[] = Array.isArray(output) ? output : [output];
  const isStructured = parts.length > 0 && parts.every((part) => PARTS.includes(Object(part).type));
  return isStructured ? [...parts, { type: 'text', text: change }] : withChange(output, change);
}

/** The SDK reads outputs by a zod schema, which is one of an object: a text is the gate's or of the tool's error function. */
export function outputOrWords<Schema>(schema: Schema): Schema {
  const { parse } = Object(schema) as { readonly parse?: (output: unknown) => unknown };
  if (typeof parse !== 'function') return schema;
  const own = (output: unknown) => parse.call(schema, output);
  return withMethod(schema as object, 'parse', (output: unknown) => {
    if (typeof output === 'string') return output;
    return isWithChange(output) ? { ...output, output: own(output.output) } : own(output);
  }) as Schema;
}
