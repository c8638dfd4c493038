/** Compiles JSON Schemas of outputs that the policy file states. */
import type { ValidateFunction } from 'ajv';
import { schemaCompiler } from './compile-schema.ts';

const compile = schemaCompiler({ strict: false, validateFormats: false });
const compiled = new WeakMap<object, ValidateFunction>();

function validatorOf(schema: Readonly<Record<string, unknown>>): ValidateFunction {
  const known = compiled.get(schema);
  if (known) return known;
  const made = compile(schema);
  compiled.set(schema, made);
  return made;
}

/** The problem of the schema itself; undefined if there is none. */
export function schemaProblem(schema: Readonly<Record<string, unknown>>): string | undefined {
  try {
    validatorOf(schema);
    return undefined;
  } catch {
    return 'is not a JSON Schema';
  }
}

/** The part of the schema that the output breaks. Nothing of the output is quoted, nor its path within the output: a key may be a secret. */
export function outputProblem(schema: Readonly<Record<string, unknown>>, output: unknown): string | undefined {
  const validate = validatorOf(schema);
  if (validate(output)) return undefined;
  const [first] = validate.errors ?? [];
  return `it breaks ${first?.schemaPath.slice(0, 200) ?? 'its schema'}`;
}
