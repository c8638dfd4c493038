/** Runs tools of MCP servers, each only while its definition has the listed digest. */
import type { Attempt, OpenTool } from '../../guardrails/settings/call.ts';
import { authError, executionError, type GuardrailError } from '../../guardrails/settings/errors.ts';
import { type McpInput, type McpLink, type McpSession, openMcpSession } from './mcp-session.ts';
import { checkedOutput } from './output.ts';

interface McpTarget {
  /** The server's name of the tool. */
  readonly name: string;
  /** The digest that the policy file lists. */
  readonly definition: string;
  readonly maxBytes: number;
}

/** The tool in the session in which it was looked at. @throws GuardrailError if it is gone, or no longer the one that was listed. */
export async function openMcp(link: McpLink, target: McpTarget, signal: AbortSignal): Promise<OpenTool> {
  const session = await openMcpSession(link, signal);
  const found = session.definitions.find(({ name }) => name === target.name);
  const close = () => session.close();
  if (found?.digest === target.definition)
    return { execute: (attempt) => call(session, link.server, target, attempt), close };
  await close();
  throw found ? toolChanged(link.server, target.name) : toolGone(link.server, target.name);
}

/** @param tool as the server names it */
export const toolGone = (server: string, tool: string): GuardrailError =>
  authError('ToolGone', `The MCP server ${server} has no tool ${tool}.`);

/** @param tool as the server names it */
export const toolChanged = (server: string, tool: string): GuardrailError =>
  authError(
    'ToolChanged',
    `The MCP server ${server} now defines its tool ${tool} in another way than the policy file lists. Somebody has to look at it and list it anew; then propose the call again.`,
  );

async function call(
  session: McpSession,
  server: string,
  { name, maxBytes }: McpTarget,
  attempt: Attempt,
): Promise<unknown> {
  const { input, signal, idempotencyKey, correlationId } = attempt;
  const meta = { 'countersign/correlationId': correlationId, ...(idempotencyKey ? { idempotencyKey } : {}) };
  const result = await session.call(name, input as McpInput, meta, signal);
  if (result.isError)
    throw executionError(`The tool ${name} of the MCP server ${server} said that it failed.`, { effect: 'failed' });
  return checkedOutput(result.structuredContent ?? result.content ?? null, maxBytes);
}
