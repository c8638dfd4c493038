/** Routes the requests of programs: calls and their states, hooks, and the description of the server. */
import type { IncomingMessage } from 'node:http';
import type { CountersignClient } from '../../client/client.ts';
import { answerHook, undecided } from '../../client/hooks/answer-hook.ts';
import { MAX_HOOK_BYTES } from '../../client/hooks/input.ts';
import { HOOK_PROGRAMS, type HookProgram } from '../../client/hooks/programs.ts';
import { LIMITS } from '../../contract/primitives.ts';
import { ownValue } from '../../domain/own.ts';
import { admit } from './admission.ts';
import { bodyOf, bytesOf, callOf, requireJson, textOf, waitOf } from './body.ts';
import { Calls } from './calls.ts';
import { openApiDocument } from './openapi.ts';
import { RequestError } from './problems.ts';

/** The answer to a program: a status, and JSON. */
export interface Answer {
  readonly status: number;
  readonly body?: object;
  readonly headers?: Readonly<Record<string, string>>;
}
/** Works one request; the signal aborts when its program goes or the server closes. */
export type Respond = (request: IncomingMessage, signal: AbortSignal) => Promise<Answer>;
/** Handlers of one path, by the method. */
export type Methods = Readonly<Record<string, Respond>>;

const CALL_PATH = /^\/v1\/calls\/([A-Za-z0-9._:-]{1,128})$/;

const refuseMcp = async (): Promise<never> => {
  throw new RequestError(404, 'no_gateway', 'start the server with --mcp to reach MCP servers here');
};
const NO_GATEWAY: Methods = { POST: refuseMcp, DELETE: refuseMcp };

/**
 * Finds the handler of a request and runs it. The caller answers errors as problems.
 *
 * @param mcp the gateway in front of MCP servers. Default: refuses
 */
export function routesOf(client: Pick<CountersignClient, 'guard'>, token: string, mcp = NO_GATEWAY): Respond {
  const calls = new Calls(client);
  const hooks = new Map(HOOK_PROGRAMS.map((program) => [`/hooks/${program}`, hookOf(program, client, token)]));
  const all: Methods = {
    POST: async (request, signal) => {
      const raw = await bodyOf(request, LIMITS.messageBytes);
      return { status: 200, body: await calls.propose(callOf(raw, LIMITS.messageBytes), signal) };
    },
  };
  const one = (id: string): Methods => ({
    GET: async (request, signal) => ({ status: 200, body: await calls.look(id, waitOf(request), signal) }),
    DELETE: async () => {
      await calls.withdraw(id);
      return { status: 204 };
    },
  });
  const description: Methods = { GET: async () => ({ status: 200, body: openApiDocument() }) };
  const fixed: Readonly<Record<string, Methods>> = {
    '/v1/calls': all,
    '/openapi.json': description,
    '/mcp': mcp,
  };
  const answer = withToken(
    token,
    (path) => {
      const [, id] = CALL_PATH.exec(path.replaceAll(/%3a/gi, ':')) ?? [];
      return ownValue(fixed, path) ?? (id ? one(id) : hooks.has(path) ? {} : undefined);
    },
    ELSEWHERE,
  );
  const strayHook = hookOf(undefined, client, token);
  return async (request, signal) => {
    const path = pathOf(request);
    if (request.method !== 'POST' || !path.startsWith('/hooks/')) return answer(request, signal);
    return (hooks.get(path) ?? strayHook)(request, signal);
  };
}

const ELSEWHERE = 'GET /openapi.json describes the paths of this server';

/** Answers whoever holds the token by the methods of the path. @throws RequestError, with `elsewhere` for an unknown path */
export function withToken(token: string, methodsOf: (path: string) => Methods | undefined, elsewhere: string): Respond {
  return async (request, signal) => {
    admit(request, token);
    const path = pathOf(request);
    const methods = methodsOf(path);
    if (!methods) throw new RequestError(404, 'no_such_path', elsewhere);
    const { method = '' } = request;
    const respond = ownValue(methods, method);
    if (!respond) throw new RequestError(405, 'wrong_method', `${path.slice(0, 150)} does not take ${method}`);
    return respond(request, signal);
  };
}

const pathOf = ({ url = '' }: Pick<IncomingMessage, 'url'>): string => url.split('?')[0] ?? '';

/** The answer of a hook that is refused names its event, which programs state before the arguments of the call. */
const MAX_REFUSED_BYTES = 64 * 1024;

/**
 * A program that does not block failing hooks runs the call at any status but 200: every failure is a refusal of the call.
 *
 * @param program undefined: of a path that no program has
 */
function hookOf(program: HookProgram | undefined, client: Pick<CountersignClient, 'guard'>, token: string): Respond {
  const refusalOf = (request: IncomingMessage): unknown => {
    try {
      admit(request, token);
      requireJson(request);
      return program ? undefined : new RequestError(404, 'no_such_path', ELSEWHERE);
    } catch (error) {
      return error;
    }
  };
  return async (request, signal) => {
    let near = '';
    try {
      const refusal = refusalOf(request);
      const body = await bytesOf(request, refusal ? MAX_REFUSED_BYTES : MAX_HOOK_BYTES);
      near = String(body.bytes);
      if (refusal || !program) throw refusal;
      const raw = textOf(body, MAX_HOOK_BYTES);
      return { status: 200, body: (await answerHook(raw, { client: () => client, program, signal })).output };
    } catch (error) {
      return { status: 200, body: undecided(near, error).output };
    }
  };
}
