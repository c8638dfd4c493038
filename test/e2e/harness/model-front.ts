/** Puts the models of several providers behind the one address that a deployment takes. */
import { createServer, request as send } from 'node:http';
import type { AddressInfo } from 'node:net';

interface ModelFront {
  readonly url: string;
  close(): Promise<void>;
}

/** @param providers the address of each, by the beginning of its paths */
export async function startModelFront(providers: Readonly<Record<string, string>>): Promise<ModelFront> {
  const server = createServer((request, response) => {
    const { method, url = '', headers } = request;
    const [, origin] = Object.entries(providers).find(([prefix]) => url.startsWith(prefix)) ?? [];
    if (origin === undefined) return response.writeHead(404).end();
    const { hostname, port } = new URL(origin);
    const onward = send({ hostname, port, path: url, method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    onward.on('error', () => response.destroy());
    return request.pipe(onward);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
