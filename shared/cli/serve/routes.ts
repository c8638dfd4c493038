/** Routes the requests of programs: calls and their states, hooks, and the description of the door. */
import type { IncomingMessage } from 'node:http';
import type { CountersignClient } from '../../client/client.ts';
import { answerHook, undecided } from '../../client/hooks/answer-hook.ts';
import { MAX_HOOK_BYTES } from '../../client/hooks/input.ts';
import { HOOK_PROGRAMS, type HookProgram } from '../../client/hooks/programs.ts';
import { LIMITS } from '../../contract/primitives.ts';
import { ownValue } from '../../domain/own.ts';
import { requireToken } from './admission.ts';
import { bodyOf, callOf, waitOf } from './body.ts';
import { Calls } from './calls.ts';
import { openApiDocument } from './openapi.ts';
import { RequestError } from './problems.ts';

/** The answer to a program: a status, and JSON. */
export interface Answer {
  readonly status: number;
  readonly body?: object;
}
/** Works one request; the signal aborts when its program goes or the door closes. */
export type Respond = (request: IncomingMessage, signal: AbortSignal) => Promise<Answer>;
type Methods = Readonly<Record<string, Respond>>;

const CALL_PATH = /^\/v1\/calls\/([A-Za-z0-9._:-]{1,128})$/;

/** Finds the handler of a request and runs it. The caller answers errors as problems. */
export function routesOf(client: Pick<CountersignClient, 'guard'>, token: string): Respond {
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

  return async (request, signal) => {
    const { method = '', url = '' } = request;
    const path = url.split('?')[0] ?? '';
    const hook = hooks.get(path);
    if (hook && method === 'POST') return hook(request, signal);
    requireToken(request, token);
    const [, id] = CALL_PATH.exec(path.replaceAll(/%3a/gi, ':')) ?? [];
    const methods = { '/v1/calls': all, '/openapi.json': description }[path] ?? (id ? one(id) : hook && {});
    if (!methods) throw new RequestError(404, 'no_such_path', 'GET /openapi.json describes the paths of this door');
    const respond = ownValue(methods, method);
    if (!respond) throw new RequestError(405, 'wrong_method', `${path.slice(0, 150)} does not take ${method}`);
    return respond(request, signal);
  };
}

/** A program that does not block failing hooks runs the call at any status but 200: every failure is a refusal of the call. */
function hookOf(program: HookProgram, client: Pick<CountersignClient, 'guard'>, token: string): Respond {
  return async (request, signal) => {
    let raw = '';
    try {
      requireToken(request, token);
      raw = await bodyOf(request, MAX_HOOK_BYTES);
      return { status: 200, body: (await answerHook(raw, { client: () => client, program, signal })).output };
    } catch (error) {
      return { status: 200, body: undecided(raw, error).output };
    }
  };
}
