/**
 * Checks arguments that a person changed with the tool's own schema.
 *
 * A framework checks only those of the model.
 */

import { checked, isSchema, type SchemaOutput, type StandardSchema } from '../../domain/standard-schema.ts';
import type { RunContext } from '../calls/calls.ts';

/** The input of a tool by its schema; of another kind of schema, any object. */
export type ToolInput<Schema> = Schema extends StandardSchema ? SchemaOutput<Schema> : Record<string, unknown>;

/** @throws SchemaError with the code `invalid_edit` for changed arguments that the schema refuses; other kinds of schema are left to the tool */
export async function checkedEdit<Schema>(
  schema: Schema,
  input: unknown,
  { edited }: Pick<RunContext, 'edited'>,
): Promise<ToolInput<Schema>> {
  return (edited && isSchema(schema) ? await checked(schema, input, 'invalid_edit') : input) as ToolInput<Schema>;
}
