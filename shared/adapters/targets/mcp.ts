/** Runs tools of MCP servers, each only while its definition has the listed digest. */
import type { Attempt, OpenTool } from '../../guardrails/call.ts';
import { authError, executionError, type GuardrailError } from '../../guardrails/errors.ts';
import { type Connect, type McpInput, type McpSession, openMcpSession } from './mcp-session.ts';
import { checkedOutput } from './output.ts';

export interface McpTarget {
  /** The server's name of the tool. */
  readonly name: string;
  /** The digest that the policy file lists. */
  readonly definition: string;
  readonly maxBytes: number;
}

/** The tool in the session in which it was looked at. @throws GuardrailError if it is gone, or no longer the one that was listed. */
export async function openMcp(connect: Connect, target: McpTarget, signal: AbortSignal): Promise<OpenTool> {
  const session = await openMcpSession(connect, signal);
  const found = session.definitions.find(({ name }) => name === target.name);
  const close = () => session.close();
  if (found?.digest === target.definition) return { execute: (attempt) => call(session, target, attempt), close };
  await close();
  throw found ? toolChanged() : toolGone();
}

export const toolGone = (): GuardrailError => authError('ToolGone', 'The MCP server does not have this tool.');

export const toolChanged = (): GuardrailError =>
  authError(
    'ToolChanged',
    'The definition of this tool is another than the one that the policy file lists. Somebody has to look at it and list it anew; then propose the call again.',
  );

async function call(session: McpSession, { name, maxBytes }: McpTarget, attempt: Attempt): Promise<unknown> {
  const { input, signal, idempotencyKey, correlationId } = attempt;
  const meta = { 'countersign/correlationId': correlationId, ...(idempotencyKey ? { idempotencyKey } : {}) };
  const result = await session.call(name, input as McpInput, meta, signal);
  if (result.isError) throw executionError('The MCP tool said that it failed.', { effect: 'failed' });
  return checkedOutput(result.structuredContent ?? result.content ?? null, maxBytes);
}
