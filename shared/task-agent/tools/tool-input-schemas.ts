/** Writes the JSON Schemas of the tools' parameters; a function's bundle holds the result instead. */
import * as z from 'zod';
import { TOOL_NAMES, TOOL_PARAMETERS, type ToolName } from './tool-schemas.ts';

/** JSON Schema of each tool's parameters. */
export const TOOL_INPUT_SCHEMAS = Object.fromEntries(
  TOOL_NAMES.map((name) => [name, z.toJSONSchema(TOOL_PARAMETERS[name])]),
) as unknown as Readonly<Record<ToolName, unknown>>;
