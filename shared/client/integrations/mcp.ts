/** `countersign/mcp`: puts the tools of an MCP server behind the gate. */
import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { type Duration, duration, durationMs } from '../../domain/duration.ts';
import { InvalidSettingError } from '../../domain/errors.ts';
import { checkSettings, fn, having } from '../../domain/settings.ts';
import type { RunContext } from '../calls/calls.ts';
import type { CountersignClient } from '../client.ts';
import { checkedEdit } from './common/checked-edit.ts';
import { answerCall, type ToolResult } from './mcp-call.ts';
import { type Context, callerOf, contextUntil, passOwnStates } from './mcp-context.ts';
import { newMemory, type RoundMemory } from './mcp-memory.ts';
import { registerBehind, type Tool, type ToolServer } from './mcp-register.ts';
import { roundOf } from './mcp-rounds.ts';

export type { ToolServer };

const MEMORIES = new WeakMap<CountersignClient, RoundMemory>();

function memoryOf(client: CountersignClient): RoundMemory {
  const known = MEMORIES.get(client) ?? newMemory();
  MEMORIES.set(client, known);
  return known;
}

/** How a gated server holds its requests. */
export interface McpSettings {
  /** How long one request is held while people are asked. Default: `'45s'`, since most clients give up after a minute. */
  readonly hold?: Duration | undefined;
  /** Names calls. Replaced in tests. Default: random ids. */
  readonly newId?: (() => string) | undefined;
}

/**
 * Puts every tool that is registered from now on behind the gate. While people are asked, a client of the revision 2026-07-28 is told to come back
 * (`input_required`); any other gets a result that says so, and the same call again meets the waiting approval. A client that cancels withdraws it.
 * A tool that runs as a task of the SDK is refused when it is registered.
 *
 * @returns the server
 * @throws InvalidSettingError if the server has tools already: they would run unasked
 * @example
 * import { McpServer } from '@modelcontextprotocol/server';
 *
 * const server = gatedServer(new McpServer({ name: 'billing', version: '1.0.0' }), CountersignClient.fromEnvironment());
 */
export function gatedServer<S extends ToolServer>(server: S, client: CountersignClient, settings: McpSettings = {}): S {
  having('registerTool')(server, 'server');
  having('guard')(client, 'client');
  checkSettings(settings, { hold: duration, newId: fn }, { of: 'settings' });
  const { hold = '45s', newId = randomUUID } = settings;
  const { _registeredTools: tools = {} } = server as { _registeredTools?: object };
  if (Object.keys(tools).length)
    throw new InvalidSettingError('server', 'has tools already: gate it before they are registered');
  passOwnStates(server);
  const timeout = durationMs(hold, 'hold');
  const guard = client.guard({ run: 'mcp' });
  const memory = memoryOf(client);
  const running = new WeakMap<AbortSignal, { readonly registered: Tool; readonly input: unknown }>();
  registerBehind(server, (registered, handler) => async (...given) => {
    const context = given.at(-1) as Context;
    const signal = context.mcpReq?.signal ?? context.signal;
    // The SDK hands over arguments only to a tool that has a schema of them.
    const input = given.length > 1 ? ((given[0] ?? {}) as object) : {};
    const around = signal && running.get(signal);
    // A handler that took the place of another one may hand its call on to that.
    if (around?.registered === registered && isDeepStrictEqual(around.input, input)) return handler(...given);
    const [tool, { inputSchema, outputSchema }] = [registered.name(), registered.schemas()];
    const asked = { tool, input, caller: callerOf(context), hasOutputSchema: outputSchema !== undefined };
    const round = roundOf(context.mcpReq, asked, newId, memory);
    const run = async (exact: unknown, { signal: until }: RunContext) => {
      const own = contextUntil(context, until);
      running.set(until, { registered, input: exact });
      return (await handler(...(given.length > 1 ? [exact, own] : [own]))) as ToolResult;
    };
    const readEdit = (edit: unknown) => checkedEdit(inputSchema, edit);
    return answerCall(guard, { tool, input }, run, { round, signal, timeout, readEdit });
  });
  return server;
}
