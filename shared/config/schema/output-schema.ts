/** Compiles JSON Schemas of outputs that the policy file states. */
import { Ajv, type ValidateFunction } from 'ajv';

const LENIENT = { strict: false, validateFormats: false } as const;
/** Compiles the schema of all schemas once: it takes longer than the schema of a tool. */
const CHECKER = new Ajv(LENIENT);
const compiled = new WeakMap<object, ValidateFunction>();

function validatorOf(schema: Readonly<Record<string, unknown>>): ValidateFunction {
  const known = compiled.get(schema);
  if (known) return known;
  CHECKER.validateSchema(schema, true);
  // Each its own: two schemas may have one $id, and each policy file brings its schemas anew.
  const made = new Ajv({ ...LENIENT, validateSchema: false }).compile(schema);
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
