/** Words a problem of an argument that a validator of JSON Schema reports. */

/** An error of Ajv, as far as it is read here. */
interface SchemaProblem {
  readonly keyword: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly message?: string;
}

/** The argument that is missing or unknown: it is named itself, not the object that lacks or has it. */
export function argumentOf({ params }: SchemaProblem): string | undefined {
  const name = params['missingProperty'] ?? params['additionalProperty'];
  return typeof name === 'string' ? name : undefined;
}

export const problemText = ({ keyword, params, message }: SchemaProblem): string =>
  keyword === 'required'
    ? 'is missing'
    : keyword === 'additionalProperties'
      ? 'is not an argument of this tool'
      : keyword === 'enum'
        ? `must be one of ${JSON.stringify(params['allowedValues'])}`
        : (message ?? 'is not allowed');
