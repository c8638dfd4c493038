/** Runs a Slack on loopback: its Web API, its signed interactions, and a page for people. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { controls, type LocalSlackControls } from './controls.ts';
import { loopbackUrl } from './interactions/deliver.ts';
import { serveResponseUrl } from './interactions/response-url.ts';
import { servePage } from './page/serve.ts';
import type { LocalSlackOptions } from './types.ts';
import { serveApi } from './web-api/dispatch.ts';
import { createWorld, type World } from './world.ts';

export type LocalSlack = LocalSlackControls & {
  /** The page. */
  url: string;
  /** For `slackApiUrl` of the web client. */
  apiUrl: string;
  stop: () => Promise<void>;
};

export async function startLocalSlack(options: LocalSlackOptions): Promise<LocalSlack> {
  for (const url of [options.requestUrl, options.commandsUrl, options.eventsUrl])
    if (url !== undefined) loopbackUrl(url);
  const world = createWorld(options);
  const server = createServer((request, response) => {
    route(world, request, response).catch((error: unknown) => {
      if (!response.headersSent) response.writeHead(500, { 'Content-Type': 'text/plain; charset=utf-8' });
      response.end(`local Slack: ${error instanceof Error ? error.stack : String(error)}`);
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port ?? 0, '127.0.0.1', resolve);
  });
  world.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { ...controls(world), url: world.url, apiUrl: `${world.url}/api/`, stop };

  async function stop(): Promise<void> {
    world.stopping.abort();
    world.changes.emit('stop');
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    server.closeAllConnections();
    await closed;
  }
}

async function route(world: World, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const url = new URL(request.url ?? '/', world.url);
  if (url.pathname.startsWith('/api/')) return serveApi(world, request, response, url);
  if (url.pathname.startsWith('/hooks/')) {
    return serveResponseUrl(world, request, response, url.pathname.slice('/hooks/'.length));
  }
  return servePage(world, request, response, url);
}
