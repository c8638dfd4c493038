/** Answers one call of the Web API: faults a test asked for, token, scope, rate, then the method. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { SlackApiError } from '../errors.ts';
import type { Dict } from '../types.ts';
import { dictOf } from '../values.ts';
import type { World } from '../world.ts';
import { optionalText, readArguments } from './args.ts';
import { METHODS, type Method } from './methods.ts';

export async function serveApi(
  world: World,
  request: IncomingMessage,
  response: ServerResponse,
  url: URL,
): Promise<void> {
  const name = url.pathname.slice('/api/'.length);
  let args: Dict = {};
  let status = 200;
  let headers: Record<string, string> = {};
  let answer: Dict;
  try {
    args = await readArguments(request, url.searchParams);
    headers = scopeHeaders(world, name);
    answer = { ok: true, ...call(world, name, args, request.headers.authorization) };
  } catch (error) {
    if (!(error instanceof SlackApiError)) throw error;
    status = error.status;
    headers = { ...headers, ...error.headers };
    answer = { ok: false, error: error.code, ...error.details };
  }
  const { token: _token, ...logged } = args;
  world.apiLog.push({ method: name, at: world.clock(), status, args: logged, response: answer });
  response.writeHead(status, { 'Content-Type': 'application/json; charset=utf-8', ...headers });
  response.end(JSON.stringify(answer));
}

function scopeHeaders(world: World, name: string): Record<string, string> {
  return {
    'X-OAuth-Scopes': [...world.scopes].sort().join(','),
    'X-Accepted-OAuth-Scopes': (METHODS[name]?.scopes ?? []).join(','),
  };
}

function call(world: World, name: string, args: Dict, authorization: string | undefined): Dict {
  if (world.outage !== undefined) throw new SlackApiError('service_unavailable', {}, world.outage.status);
  askedForFault(world, name, args);
  const method = METHODS[name];
  if (method === undefined) throw new SlackApiError('unknown_method', { req_method: name });
  const token = authorization?.replace(/^Bearer /i, '') ?? optionalText(args, 'token');
  if (method.open !== true) checkToken(world, token, method);
  checkRate(world, name, args, method);
  const { token: _token, ...rest } = args;
  return dictOf(method.run(world, rest));
}

function askedForFault(world: World, name: string, args: Dict): void {
  const until = world.limitedUntil.get(name) ?? 0;
  if (until > world.clock()) throw limited(Math.ceil((until - world.clock()) / 1_000));
  const faults = world.faults.get(name) ?? [];
  const index = faults.findIndex(({ about }) => JSON.stringify(args).includes(about));
  const [fault] = index < 0 ? [] : faults.splice(index, 1);
  if (fault === undefined) return;
  throw new SlackApiError(fault.error ?? 'internal_error', {}, fault.status ?? 200, fault.headers);
}

function checkToken(world: World, token: string | undefined, method: Method): void {
  if (token === undefined) throw new SlackApiError('not_authed');
  if (world.revoked.has(token)) throw new SlackApiError('token_revoked');
  if (token !== world.botToken) throw new SlackApiError('invalid_auth');
  if (method.scopes.length > 0 && !method.scopes.some((scope) => world.scopes.has(scope))) {
    const provided = [...world.scopes].sort().join(',');
    throw new SlackApiError('missing_scope', { needed: method.scopes.join(','), provided });
  }
}

/** One post a second in a channel, in bursts where those are allowed, and each method's calls a minute. */
function checkRate(world: World, name: string, args: Dict, method: Method): void {
  if (!world.rateLimits) return;
  const now = world.clock();
  const posts = name === 'chat.postMessage' || name === 'chat.postEphemeral';
  const place = `post ${conversationOf(world, String(args.channel))}`;
  const last = posts ? recent(world, place, now - world.postIntervalMs * world.postBurst) : [];
  if (last.length >= world.postBurst) throw limited(1);
  const minute = recent(world, name, now - 60_000);
  if (minute.length >= method.perMinute) throw limited(Math.ceil(((minute[0] ?? now) + 60_000 - now) / 1_000));
  minute.push(now);
  if (posts) last.push(now);
}

/** A person's id stands for the direct messages with them: both names share one limit. */
const conversationOf = (world: World, named: string): string =>
  [...world.channels.values()].find(
    ({ imUser, name }) => imUser === named || (imUser === undefined && `#${name}` === named),
  )?.id ?? named;

function recent(world: World, key: string, since: number): number[] {
  const times = (world.calls.get(key) ?? []).filter((time) => time > since);
  world.calls.set(key, times);
  return times;
}

const limited = (seconds: number): SlackApiError =>
  new SlackApiError('ratelimited', {}, 429, { 'Retry-After': String(Math.max(seconds, 1)) });
