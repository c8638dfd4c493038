/** Describes the server as an OpenAPI 3.1 document, with the schemas that check what it takes. */
import * as z from 'zod';
import { hookInput } from '../../client/hooks/input.ts';
import { HOOK_PROGRAMS } from '../../client/hooks/programs.ts';
import { uncited } from '../../contract/json-schema.ts';
import { SCHEMA_VERSION } from '../../contract/primitives.ts';
import { MAX_WAIT_S } from './body.ts';
import { callRequest, callState, problem } from './messages.ts';

const SCHEMAS = { CallRequest: callRequest, CallState: callState, Problem: problem, HookInput: hookInput };

const ref = (name: keyof typeof SCHEMAS) => ({ $ref: `#/components/schemas/${name}` });
const json = (name: keyof typeof SCHEMAS) => ({ content: { 'application/json': { schema: ref(name) } } });
const fails = { description: 'The request is refused, or the gate cannot be reached.', ...json('Problem') };
const state = { description: 'The state of the call.', ...json('CallState') };
const id = { name: 'id', in: 'path', required: true, schema: { type: 'string' } };
const wait = {
  name: 'wait',
  in: 'query',
  description: 'Seconds to hold the request while there is no decision.',
  schema: { type: 'integer', minimum: 0, maximum: MAX_WAIT_S, default: 0 },
};

const PATHS = {
  '/v1/calls': {
    post: {
      operationId: 'proposeCall',
      summary: 'Proposes a call; answers once the gate has judged it.',
      description: 'Sent again with the same ids and content it is the same call, also after a restart of the server.',
      requestBody: { required: true, ...json('CallRequest') },
      responses: { '200': state, default: fails },
    },
  },
  '/v1/calls/{id}': {
    parameters: [id],
    get: {
      operationId: 'lookAtCall',
      summary: 'The state of a call that this process proposed.',
      parameters: [wait],
      responses: { '200': state, default: fails },
    },
    delete: {
      operationId: 'withdrawCall',
      summary: 'Withdraws a call that nobody waits for any more.',
      responses: { '204': { description: 'The withdrawal is on its way.' }, default: fails },
    },
  },
  ...Object.fromEntries(HOOK_PROGRAMS.map((program) => [`/hooks/${program}`, { post: hookOf(program) }])),
  '/mcp': {
    post: mcpOf(
      'mcp',
      'MCP over streamable HTTP: one message.',
      'Answers are JSON; requests to the gateway begin a session.',
    ),
    delete: mcpOf(
      'leaveMcp',
      'Ends the session of an MCP client.',
      'Calls that it was to come again for are withdrawn.',
    ),
  },
  '/openapi.json': {
    get: {
      operationId: 'describe',
      summary: 'This document.',
      responses: { '200': { description: 'OpenAPI 3.1.', content: { 'application/json': {} } }, default: fails },
    },
  },
};

function hookOf(program: string) {
  return {
    operationId: `${program}Hook`,
    summary: `Answers a hook of ${program}, once the call is decided.`,
    description: 'Every failure is a refusal of the call with the status 200: at any other one the program may run it.',
    requestBody: { required: true, ...json('HookInput') },
    responses: {
      '200': { description: "The answer in the program's own words.", content: { 'application/json': {} } },
    },
  };
}

/** With `--mcp` alone: its messages are those of MCP. */
function mcpOf(operationId: string, summary: string, description: string) {
  return {
    ...{ operationId, summary, description: `${description} Available where the server was started with --mcp.` },
    responses: { '200': { description: 'The answer in the words of MCP.', content: { 'application/json': {} } } },
  };
}

/** The whole document. */
export function openApiDocument() {
  return {
    openapi: '3.1.1',
    info: {
      title: 'Countersign on loopback',
      version: SCHEMA_VERSION,
      summary: 'Proposes calls of one agent to its gate, from any language.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: 'http://127.0.0.1:{port}', variables: { port: { default: '7411' } } }],
    security: [{ token: [] }],
    paths: PATHS,
    components: {
      securitySchemes: { token: { type: 'http', scheme: 'bearer', description: 'The text of the token file.' } },
      schemas: Object.fromEntries(Object.entries(SCHEMAS).map(([name, schema]) => [name, schemaOf(schema)])),
    },
  };
}

function schemaOf(schema: z.ZodType) {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, {
    io: 'input',
    target: 'draft-2020-12',
    override({ jsonSchema }) {
      if (jsonSchema.description !== undefined) jsonSchema.description = uncited(jsonSchema.description);
    },
  });
  return rest;
}
