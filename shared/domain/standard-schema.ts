/** Checks values with a schema of any library that follows Standard Schema, such as zod. */
import { CountersignError } from './errors.ts';

/** One problem of a value, as a schema library reports it. */
export interface SchemaIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** A schema as Standard Schema 1 describes it (https://standardschema.dev). Declared here, so that no package is needed for it. */
export interface StandardSchema<Input = unknown, Output = Input> {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (
      value: unknown,
    ) =>
      | { readonly value: Output; readonly issues?: undefined }
      | { readonly issues: readonly SchemaIssue[] }
      | Promise<{ readonly value: Output; readonly issues?: undefined } | { readonly issues: readonly SchemaIssue[] }>;
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
  };
}

/** The type of a value that a schema takes. */
export type SchemaInput<S extends StandardSchema> = NonNullable<S['~standard']['types']>['input'];
/** The type of a schema's result for the value it takes, with defaults filled in and values converted. */
export type SchemaOutput<S extends StandardSchema> = NonNullable<S['~standard']['types']>['output'];

/**
 * A value that its schema refuses. `code` names the value's source: `invalid_input` the caller (nothing was sent), `invalid_edit` a person's edit
 * (the tool was not run), `invalid_output` the tool's answer (the tool was run).
 */
export class SchemaError extends CountersignError<'invalid_input' | 'invalid_edit' | 'invalid_output'> {
  override readonly name = 'SchemaError';
  /** In the schema's own words, with the path of each field as in `items[2].price`. */
  readonly issues: readonly { readonly path: string; readonly message: string }[];
  constructor(code: SchemaError['code'], found: readonly SchemaIssue[]) {
    const issues = found.map(({ path = [], message }) => ({ path: pathOf(path), message }));
    const [first] = issues;
    super(
      code,
      `${WHOSE[code]} ${first ? `${first.path ? `${first.path}: ` : ''}${first.message}` : 'does not fit its schema'}`,
    );
    this.issues = issues;
  }
}

const WHOSE = {
  invalid_input: 'input:',
  invalid_edit: 'The tool was not run. The arguments that were put in place of the proposed ones do not fit it:',
  invalid_output: 'output:',
} as const;

const pathOf = (path: NonNullable<SchemaIssue['path']>): string =>
  path
    .map((part) => (typeof part === 'object' ? part.key : part))
    .map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`))
    .join('')
    .replace(/^\./, '');

/** @throws SchemaError if the schema refuses `value` */
export async function checked<S extends StandardSchema>(
  schema: S,
  value: unknown,
  code: SchemaError['code'],
): Promise<SchemaOutput<S>> {
  const result = await schema['~standard'].validate(value);
  if (result.issues) throw new SchemaError(code, result.issues);
  return result.value;
}

/** Some libraries' schemas are functions with properties. */
export const isSchema = (value: unknown): value is StandardSchema =>
  ((typeof value === 'object' && value !== null) || typeof value === 'function') && '~standard' in value;
