/** Words failures of calls of MCP servers for the model. */
import { ErrorCode, McpError } from '@modelcontextprotocol/sdk/types.js';
import { authError, executionError, type GuardrailError } from '../../guardrails/settings/errors.ts';

/** Characters of an error of a server. */
const MAX_WORDS = 2_000;

/** The model mends its arguments by what the server says of them. @throws GuardrailError, and the effect stays unknown */
export function inItsWords(error: unknown): never {
  const { message, cause } = error as Error;
  if (!(cause instanceof McpError) || cause.code === ErrorCode.ConnectionClosed) throw error;
  throw executionError(`${message} ${cause.message.slice(0, MAX_WORDS).toWellFormed()}`, { effect: 'unknown', cause });
}

export const noServer = (tool: string, known: readonly string[]): GuardrailError =>
  authError('ToolGone', `${tool} is a tool of no server here. The servers are: ${known.join(', ')}.`);
