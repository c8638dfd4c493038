/**
 * Makes the targets of a policy file tools that guardrails run.
 * Clients and SDKs are loaded with the first call that needs them.
 */
import type { LambdaClient } from '@aws-sdk/client-lambda';
import { originOf, serverOf } from '../../config/readers/tool-origin.ts';
import { outputProblem } from '../../config/schema/output-schema.ts';
import type { PolicyFile } from '../../config/schema/policy-file.ts';
import { ownValue } from '../../domain/own.ts';
import type { Execute, FindTool, GuardedTool } from '../../guardrails/settings/call.ts';

interface TargetParts {
  readonly policy: PolicyFile;
  readonly lambda: () => Promise<LambdaClient>;
  /** The text of a secret, by name. */
  readonly secret: (name: string) => Promise<string>;
  readonly now: () => number;
}

type Run = { readonly execute: Execute } | { readonly open: NonNullable<GuardedTool['open']> };
type Entry = PolicyFile['tools'][string];

export function targetTools(parts: TargetParts): FindTool {
  const { policy } = parts;
  const tools = new Map<string, GuardedTool>();
  for (const [name, entry] of Object.entries(policy.tools)) {
    const run = runOf(name, entry, parts);
    const { outputSchema } = entry;
    const validateOutput = outputSchema && ((output: unknown) => outputProblem(outputSchema, output));
    const version = entry.definition;
    const facts = { name, origin: originOf(name), ...(version ? { version } : {}) };
    if (run) tools.set(name, { ...facts, ...run, ...(validateOutput ? { validateOutput } : {}) });
  }
  return (name) => tools.get(name);
}

function runOf(
  name: string,
  { target, definition, maxOutputBytes: maxBytes }: Entry,
  parts: TargetParts,
): Run | undefined {
  const origin = originOf(name);
  const serverName = serverOf(name) ?? '';
  const server = ownValue(parts.policy.mcpServers, serverName);
  if (server) {
    // A program is started at the agent's side alone, by the MCP gateway.
    if (!definition || !('url' in server)) return undefined;
    return {
      async open(signal) {
        const [{ openMcp }, { overHttp }] = await Promise.all([import('./mcp.ts'), import('./mcp-http.ts')]);
        const link = overHttp(serverName, server.url, tokenOf(server.secret, parts));
        return openMcp(link, { name: mcpNameOf(name), definition, maxBytes }, signal);
      },
    };
  }
  if (!target) return undefined;
  if ('lambda' in target) {
    return {
      async execute(attempt) {
        const { callLambda } = await import('./lambda.ts');
        const where = { functionName: target.lambda, toolName: name, maxBytes, origin };
        return callLambda(await parts.lambda(), where, attempt);
      },
    };
  }
  return {
    async execute(attempt) {
      const { callHttps } = await import('./https.ts');
      const where = { url: target.url, maxBytes, origin, now: parts.now, token: tokenOf(target.secret, parts) };
      return callHttps(where, attempt);
    },
  };
}

const tokenOf = (secret: string | undefined, parts: TargetParts) =>
  secret === undefined ? undefined : () => parts.secret(secret);

/** The server's name of the tool: the rest of its name here. */
const mcpNameOf = (name: string): string => name.slice(`mcp__${serverOf(name) ?? ''}__`.length);
