/** Declares targets of tools that the gate may run itself, and MCP servers. */
import * as z from 'zod';
import { digest, text } from '../../contract/primitives.ts';
import { endpoint, secretName, section } from './common-fields.ts';

const secret = secretName.describe('Name of the secret with the bearer token that is sent along.');

const target = z.union([
  section({
    lambda: z
      .string()
      .regex(
        /^(arn:aws[a-z-]*:lambda:[a-z0-9-]+:\d{12}:function:)?[A-Za-z0-9_-]{1,64}$/,
        'must be the name or ARN of a function',
      )
      .describe('Gets { toolName, input, idempotencyKey, correlationId, deadlineAt }; what it returns is the output.'),
  }),
  section({
    url: endpoint.describe('Gets the input as a JSON POST; its JSON answer is the output.'),
    secret: secret.optional(),
  }),
]);

/** Fields of a tool's entry about its run by the gate. */
export const runFields = {
  target: target
    .optional()
    .describe('How the gate runs the tool itself. MCP tools have none: their name says their server.'),
  definition: digest
    .optional()
    .describe(
      'SHA-256 of the RFC 8785 form of name, title, description, inputSchema, outputSchema and annotations, as its MCP server lists them: a tool that changed is not run.',
    ),
  outputSchema: z.record(z.string(), z.unknown()).optional().describe('JSON Schema: another output is an error.'),
  maxOutputBytes: z
    .int()
    .min(1)
    .max(256 * 1024)
    .default(64 * 1024)
    .describe('A larger output is an error.'),
};

/** A server that the agent's side starts, in the words of the settings of MCP clients. */
const program = section({
  command: text(1_000)
    .min(1)
    .describe(
      'The program that `countersign mcp-gateway` starts for each client; the server speaks on its standard input and output.',
    ),
  args: z.array(text(4_000)).max(100).default([]).describe('Its arguments.'),
  env: z
    .record(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]{0,127}$/, 'is not the name of a variable'), text(4_000))
    .default({})
    .describe(
      `Its environment, beside HOME, LOGNAME, PATH, SHELL, TERM and USER. \`$\{NAME}\` stands for a variable of the gateway: secrets are only named.`,
    ),
  cwd: text(1_000).min(1).optional().describe('Its folder. Default: that of the gateway.'),
});
export type McpProgram = z.infer<typeof program>;

const remote = section({ url: endpoint.describe('Its streamable HTTP endpoint.'), secret: secret.optional() });

export const mcpServers = z
  .record(
    z.string().regex(/^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/, 'is not the name of a server'),
    z.union([remote, program]),
  )
  .default({})
  .describe(
    'MCP servers, each with a url or a command, behind `countersign mcp-gateway`; `mcp__<server>__<tool>` is a tool of one. Where a server has a url, the gate itself can run its listed tools too.',
  );
export type McpServerEntry = z.infer<typeof mcpServers>[string];
