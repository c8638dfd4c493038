/** Tells of calls of the model that cannot run: nobody need be asked about them. */
import { isSchema, SchemaError } from '../../../domain/standard-schema.ts';

/**
 * For a framework that reads the arguments itself when the tool runs: nobody need be asked about a call that its tool would refuse. The words
 * do not mention people: a schema may refuse what it took before they were asked.
 *
 * @returns words for the model; undefined if the schema takes the arguments, or only the tool can tell
 */
export async function misfit(schema: unknown, input: unknown): Promise<string | undefined> {
  if (!isSchema(schema)) return undefined;
  const { issues } = await schema['~standard'].validate(input);
  if (!issues) return undefined;
  return `The tool was not run. Call it again with arguments that fit its schema. ${new SchemaError('invalid_input', issues).message}`;
}

/** Words for a model that calls a tool by a name that no tool has. */
export const noSuchTool = (name: string): string =>
  `Nothing was run: there is no tool of the name ${name}. Call one that you were given.`;
