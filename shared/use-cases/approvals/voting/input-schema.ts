/**
 * Checks a call's arguments against the tool's JSON Schema of the policy file.
 * The module stands alone, so that an import on demand brings Ajv with it: `import('ajv')` itself gives a bundle the default export only.
 */
import { Ajv, type ErrorObject } from 'ajv';
import { argumentOf, problemText } from '../../../domain/proposal/argument-problem.ts';

/** Problems by the path of the argument, as in `/path` or `/options/depth`; the empty path is the input as a whole. */
export type FieldProblems = Readonly<Record<string, string>>;

/** Undefined if `input` is as `schema` wants it. */
export function schemaProblems(
  schema: Readonly<Record<string, unknown>>,
  input: Readonly<Record<string, unknown>>,
): FieldProblems | undefined {
  const validate = new Ajv({ allErrors: true, strict: true, allowUnionTypes: true }).compile(schema);
  if (validate(input)) return undefined;
  return Object.fromEntries((validate.errors ?? []).toReversed().map((error) => [pathOf(error), problemText(error)]));
}

function pathOf(error: ErrorObject): string {
  const name = argumentOf(error);
  return name === undefined ? error.instancePath : `${error.instancePath}/${name}`;
}
