/**
 * Checks arguments that a person changed with the tool's own schema.
 *
 * A framework checks only those of the model.
 */

import { checked, isSchema } from '../../domain/standard-schema.ts';
import type { RunContext } from '../calls.ts';

/** @throws SchemaError with the code `invalid_edit` for changed arguments that the schema refuses; other kinds of schema are left to the tool */
export async function checkedEdit(
  schema: unknown,
  input: unknown,
  { edited }: Pick<RunContext, 'edited'>,
): Promise<unknown> {
  return edited && isSchema(schema) ? checked(schema, input, 'invalid_edit') : input;
}
