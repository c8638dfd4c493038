/** Serves the page, what it shows, the news that it should look again, and takes what people do on it. */
import { readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { extname } from 'node:path';
import { isDict } from '../values.ts';
import { readBody } from '../web-api/args.ts';
import type { World } from '../world.ts';
import { actOnPage } from './act.ts';
import { type Looking, snapshot } from './snapshot.ts';

const ASSETS = new URL('./assets/', import.meta.url);
const TYPES: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
};

const PAGES: Readonly<Record<string, string>> = { '/': 'index.html', '/side-by-side': 'side-by-side.html' };

/** Only the page's own files run or are shown; nothing inline, nothing from elsewhere, and in no frame but its own. */
const SAFE_HEADERS = {
  'Content-Security-Policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
    "frame-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'",
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Cache-Control': 'no-store',
};

export async function servePage(
  world: World,
  request: IncomingMessage,
  response: ServerResponse,
  url: URL,
): Promise<void> {
  if (!fromThisMachine(world, request)) return answer(response, 403, 'This page is for this machine only.');
  const { pathname } = url;
  if (pathname === '/page/act' && request.method === 'POST') return takeAct(world, request, response);
  if (request.method !== 'GET') return answer(response, 405, 'no such method');
  if (pathname === '/page/snapshot') return json(response, snapshot(world, lookingAt(url)));
  if (pathname === '/page/changes') return announceChanges(world, response);
  if (pathname.startsWith('/archives/')) return followPermalink(response, url);
  const name = PAGES[pathname] ?? /^\/assets\/([a-z-]+\.[a-z]+)$/.exec(pathname)?.[1];
  return name === undefined ? answer(response, 404, 'not found') : sendAsset(response, name);
}

/** Keeps other sites, also ones that resolve to this address, from reading the page or acting on it. */
function fromThisMachine(world: World, request: IncomingMessage): boolean {
  const { port } = new URL(world.url);
  const hosts = [`127.0.0.1:${port}`, `localhost:${port}`];
  const { host = '', origin } = request.headers;
  return hosts.includes(host) && (origin === undefined || origin === `http://${host}`);
}

async function takeAct(world: World, request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (request.headers['content-type'] !== 'application/json') return answer(response, 415, 'JSON only');
  const act: unknown = JSON.parse(await readBody(request));
  json(response, isDict(act) ? await actOnPage(world, act) : { ok: false });
}

function lookingAt(url: URL): Looking {
  const { user = '', channel, thread, home, zone, window } = Object.fromEntries(url.searchParams);
  return {
    user,
    ...(channel !== undefined && { channel }),
    ...(thread !== undefined && { thread }),
    ...(zone !== undefined && isZone(zone) && { zone }),
    ...(window !== undefined && { window }),
    home: home !== undefined,
  };
}

function isZone(zone: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: zone }) !== undefined;
  } catch {
    return false;
  }
}

/** Server-sent events, gathered so that a burst of changes makes one. */
function announceChanges(world: World, response: ServerResponse): void {
  response.writeHead(200, { ...SAFE_HEADERS, 'Content-Type': 'text/event-stream' });
  response.write('retry: 500\ndata: change\n\n');
  let waiting: NodeJS.Timeout | undefined;
  const onChange = () => {
    waiting ??= setTimeout(() => {
      waiting = undefined;
      response.write('data: change\n\n');
    }, 20);
  };
  const end = () => {
    clearTimeout(waiting);
    world.changes.off('change', onChange).off('stop', end);
    response.end();
  };
  world.changes.on('change', onChange).on('stop', end);
  response.on('close', end);
}

/** `/archives/C123/p1700000000000100` leads to the message in its channel, and to the thread if it names one. */
function followPermalink(response: ServerResponse, url: URL): void {
  const [, , channel = '', message = ''] = url.pathname.split('/');
  const [, seconds, micros] = /^p(\d+)(\d{6})$/.exec(message) ?? [];
  const thread = url.searchParams.get('thread_ts');
  const at = micros === undefined ? {} : { at: `${seconds}.${micros}` };
  const target = new URLSearchParams({ channel, ...at, ...(thread !== null && { thread }) });
  response.writeHead(302, { ...SAFE_HEADERS, Location: `/?${target}` }).end();
}

async function sendAsset(response: ServerResponse, name: string): Promise<void> {
  const type = TYPES[extname(name)];
  const content = await readFile(new URL(name, ASSETS)).catch(() => undefined);
  if (content === undefined || type === undefined) return answer(response, 404, 'not found');
  response.writeHead(200, { ...SAFE_HEADERS, 'Content-Type': type }).end(content);
}

function json(response: ServerResponse, value: unknown): void {
  response.writeHead(200, { ...SAFE_HEADERS, 'Content-Type': 'application/json; charset=utf-8' });
  response.end(JSON.stringify(value));
}

function answer(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { ...SAFE_HEADERS, 'Content-Type': 'text/plain; charset=utf-8' }).end(text);
}
