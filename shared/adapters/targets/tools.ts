/** The targets of a policy file as tools that guardrails run. Clients and SDKs are loaded with the first call that needs them. */
import type { LambdaClient } from '@aws-sdk/client-lambda';
import { originOf, serverOf } from '../../config/guardrails.ts';
import { outputProblem } from '../../config/output-schema.ts';
import type { PolicyFile } from '../../config/schema.ts';
import type { Attempt, Tool, ToolLookup } from '../../guardrails/call.ts';
import { contractError, type GuardrailError } from '../../guardrails/errors.ts';

export interface TargetParts {
  readonly policy: PolicyFile;
  readonly lambda: () => Promise<LambdaClient>;
  /** The text of a secret, by name. */
  readonly secret: (name: string) => Promise<string>;
  readonly now: () => number;
}

export interface Targets {
  readonly findTool: ToolLookup;
  /** Why the target must not be called: an MCP tool that changed, or cannot be looked at. */
  problem(toolName: string): Promise<GuardrailError | undefined>;
}

type Run = (attempt: Attempt) => Promise<unknown>;
type Entry = PolicyFile['tools'][string];

/** How long a server may take to say what tools it has. */
const DEFINITIONS_MS = 10_000;

export function targetTools(parts: TargetParts): Targets {
  const { policy } = parts;
  const entryOf = (name: string) => (Object.hasOwn(policy.tools, name) ? policy.tools[name] : undefined);
  const tools = new Map<string, Tool>();
  for (const [name, entry] of Object.entries(policy.tools)) {
    const run = runOf(name, entry, parts);
    const { outputSchema } = entry;
    const validateOutput = outputSchema && ((output: unknown) => outputProblem(outputSchema, output));
    const tool = run && { name, origin: originOf(name), execute: run, ...(validateOutput ? { validateOutput } : {}) };
    if (tool) tools.set(name, entry.definition ? { ...tool, version: entry.definition } : tool);
  }
  return {
    findTool: (name) => tools.get(name),
    async problem(name) {
      const entry = entryOf(name);
      const server = mcpServerOf(name, parts);
      if (!server) return undefined;
      if (!entry?.definition) return undefined;
      const { mcpProblem, overHttp } = await import('./mcp.ts');
      const connect = overHttp(server.url, tokenOf(server.secret, parts));
      const signal = AbortSignal.timeout(DEFINITIONS_MS);
      return mcpProblem(connect, mcpNameOf(name), entry.definition, signal).catch(() =>
        contractError('TargetUnreachable', 'The MCP server did not say what tools it has.'),
      );
    },
  };
}

function runOf(name: string, { target, maxOutputBytes: maxBytes }: Entry, parts: TargetParts): Run | undefined {
  const origin = originOf(name);
  const server = mcpServerOf(name, parts);
  if (server) {
    return async (attempt) => {
      const { callMcp, overHttp } = await import('./mcp.ts');
      return callMcp(overHttp(server.url, tokenOf(server.secret, parts)), mcpNameOf(name), maxBytes, attempt);
    };
  }
  if (!target) return undefined;
  if ('lambda' in target) {
    return async (attempt) => {
      const { callLambda } = await import('./lambda.ts');
      const where = { functionName: target.lambda, toolName: name, maxBytes, origin };
      return callLambda(await parts.lambda(), where, attempt);
    };
  }
  return async (attempt) => {
    const { callHttps } = await import('./https.ts');
    const where = { url: target.url, maxBytes, origin, now: parts.now, token: tokenOf(target.secret, parts) };
    return callHttps(where, attempt);
  };
}

const tokenOf = (secret: string | undefined, parts: TargetParts) =>
  secret === undefined ? undefined : () => parts.secret(secret);

function mcpServerOf(name: string, { policy: { mcpServers } }: TargetParts) {
  const server = serverOf(name);
  return server !== undefined && Object.hasOwn(mcpServers, server) ? mcpServers[server] : undefined;
}

/** What the server calls the tool: the rest of its name here. */
const mcpNameOf = (name: string): string => name.slice(`mcp__${serverOf(name) ?? ''}__`.length);
