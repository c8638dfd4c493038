/** Serves the page. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { World } from '../world.ts';

export async function servePage(
  _world: World,
  _request: IncomingMessage,
  response: ServerResponse,
  _url: URL,
): Promise<void> {
  response.writeHead(404).end('not found');
}
