/** Serves scripted replies on loopback, for servers that speak the wire formats of models. */
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A text to answer with; a status and an error type to refuse with; raw bytes; or what becomes of the connection. */
export type Reply =
  | string
  | { readonly status: number; readonly type: string; readonly message: string }
  | { readonly raw: string }
  | 'hang up'
  | 'never answer';

/** One for each request, and the last one again for all further requests; or what a function makes of each request. */
export type Replies<Asked> = readonly Reply[] | ((asked: Asked) => Reply);

export const replyTo = <Asked>(replies: Replies<Asked>, asked: Asked, index: number): Reply =>
  typeof replies === 'function' ? replies(asked) : (replies[Math.min(index, replies.length - 1)] ?? '');

/** Sends a reply, in the words of one provider for texts and refusals. */
export function sendReply(
  reply: Reply,
  { request, response }: { readonly request: IncomingMessage; readonly response: ServerResponse },
  succeed: (text: string) => void,
  fail: (response: ServerResponse, status: number, type: string, message: string) => void,
): void {
  if (reply === 'never answer') return;
  if (reply === 'hang up') request.socket.destroy();
  else if (typeof reply === 'string') succeed(reply);
  else if ('raw' in reply) response.writeHead(200, { 'content-type': 'application/json' }).end(reply.raw);
  else fail(response, reply.status, reply.type, reply.message);
}

/** About as many tokens as a model counts. */
export const tokensOf = (content: string): number => Math.ceil(content.length / 4);

export async function listen(listener: RequestListener): Promise<{ readonly url: string; close(): Promise<void> }> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
