/**
 * Checks a call's arguments against the tool's JSON Schema of the policy file.
 * The module stands alone, so that an import on demand brings Ajv with it: `import('ajv')` itself gives a bundle the default export only.
 */
import { Ajv, type ErrorObject } from 'ajv';

/** Problems by the path of the argument, as in `/path` or `/options/depth`; the empty path is the input as a whole. */
export type FieldProblems = Readonly<Record<string, string>>;

/** Undefined if `input` is as `schema` wants it. */
export function schemaProblems(
  schema: Readonly<Record<string, unknown>>,
  input: Readonly<Record<string, unknown>>,
): FieldProblems | undefined {
  const validate = new Ajv({ allErrors: true, strict: true, allowUnionTypes: true }).compile(schema);
  if (validate(input)) return undefined;
  return Object.fromEntries((validate.errors ?? []).toReversed().map((error) => [pathOf(error), textOf(error)]));
}

/** A missing or unknown argument is named itself, not the object that lacks or has it. */
function pathOf({ instancePath, params }: ErrorObject): string {
  const name: unknown = params['missingProperty'] ?? params['additionalProperty'];
  return typeof name === 'string' ? `${instancePath}/${name}` : instancePath;
}

const textOf = ({ keyword, message, params }: ErrorObject): string =>
  keyword === 'required'
    ? 'is missing'
    : keyword === 'additionalProperties'
      ? 'is not an argument of this tool'
      : keyword === 'enum'
        ? `must be one of ${JSON.stringify(params['allowedValues'])}`
        : (message ?? 'is not allowed');
