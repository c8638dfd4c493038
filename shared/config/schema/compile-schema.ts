/** Compiles JSON Schemas of the policy file, each apart from all others. */
import { Ajv, type Options, type ValidateFunction } from 'ajv';

/**
 * Makes a compiler of schemas, which throws for what is none.
 *
 * The schema of all schemas is compiled once: it takes longer than the schema of a tool.
 */
export function schemaCompiler(options: Options): (schema: Readonly<Record<string, unknown>>) => ValidateFunction {
  const checker = new Ajv(options);
  return (schema) => {
    checker.validateSchema(schema, true);
    // Each its own: two schemas may have one $id, and each policy file brings its schemas anew.
    return new Ajv({ ...options, validateSchema: false }).compile(schema);
  };
}
