/**
 * Checks arguments that a person changed with the tool's own schema.
 *
 * A framework checks only those of the model.
 */
import { isDeepStrictEqual } from 'node:util';
import { ownValue } from '../../../domain/own.ts';
import {
  checked,
  isSchema,
  SchemaError,
  type SchemaOutput,
  type StandardSchema,
} from '../../../domain/standard-schema.ts';
import { readableSchema } from './json-schema.ts';

/** The input of a tool by its schema; of another kind of schema, any object. */
export type ToolInput<Schema> = Schema extends StandardSchema ? SchemaOutput<Schema> : Record<string, unknown>;

/**
 * For a framework that has read the arguments by the schema before people see them. A schema that converts arguments would convert those of a
 * person again: another amount would run than the one that was approved.
 *
 * @returns the arguments to run, with the defaults of the schema
 * @throws SchemaError with the code `invalid_edit` for arguments that the schema refuses or converts; other kinds of schema are left to the tool
 */
export async function checkedEdit<Schema>(schema: Schema, input: unknown): Promise<ToolInput<Schema>> {
  if (!isSchema(schema)) return input as ToolInput<Schema>;
  const read = await checked(schema, input, 'invalid_edit');
  if (keepsNumbers(input, read) && (await isFixed(schema, read))) return read as ToolInput<Schema>;
  throw new SchemaError('invalid_edit', [
    { message: 'its schema converts arguments, so that only the proposed ones can run.' },
  ]);
}

/** For a framework that reads the arguments itself when the tool runs. @throws SchemaError as above */
export async function fittingEdit<Input>(schema: unknown, input: Input): Promise<Input> {
  const own = await readableSchema(schema);
  if (own) await checked(own, input, 'invalid_edit');
  return input;
}

/** Whether the schema leaves its own result as it is. */
async function isFixed(schema: StandardSchema, read: unknown): Promise<boolean> {
  const again = await schema['~standard'].validate(read);
  return !again.issues && isDeepStrictEqual(again.value, read);
}

/** Whether each number that a person saw is the one that runs: a schema may convert it to one that it then leaves as it is. */
function keepsNumbers(edit: unknown, read: unknown): boolean {
  if (typeof edit === 'number') return typeof read !== 'number' || read === edit;
  if (typeof edit !== 'object' || edit === null || typeof read !== 'object' || read === null) return true;
  return Object.entries(edit).every(([key, value]) =>
    keepsNumbers(value, ownValue(read as Readonly<Record<string, unknown>>, key)),
  );
}
