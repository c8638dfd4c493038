/** Finds out whether a port of this machine is free. */
import { createServer } from 'node:net';

/** `port` if it is free, else 0: any other. */
export const freePort = (port: number): Promise<number> =>
  new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(0));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(port)));
  });
