/**
 * Serves the tools of policy.yaml over HTTPS.
 *
 * Takes a free port, and the certificate that the endpoint's functions trust.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cacheDirectory } from '../../../shared/dev/aws/cache.ts';
import { endpointCertificate } from '../../../shared/dev/aws/certificate.ts';
import { pythonWith } from '../../../shared/dev/aws/python.ts';
import { PACKAGES } from '../../../shared/dev/aws/start-ministack.ts';

/** The address in policy.yaml that stands for the server's. */
const WRITTEN = 'https://tools.e2e.invalid';

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

export interface ToolServer {
  /**
   * Answers the requests of a path, or with `*` those of all others, until a test file puts another answer in place.
   * By path, since a webhook of an earlier file may come while another one's tool runs.
   */
  serve(path: string, answer: Answer): void;
  /** The policy file with the server's address in it. */
  withAddress(policyFile: string): string;
}

export async function startToolServer(): Promise<ToolServer> {
  const python = await pythonWith(PACKAGES, cacheDirectory(), console.log);
  const { certificate, key } = await endpointCertificate(cacheDirectory(), python);
  const notFound: Answer = (_, response) => void response.writeHead(404).end();
  const answers = new Map<string, Answer>();
  const tools: ToolServer = {
    serve: (path, answer) => void answers.set(path, answer),
    withAddress(policyFile) {
      const folder = mkdtempSync(join(tmpdir(), 'countersign-e2e-'));
      process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
      const { port } = server.address() as AddressInfo;
      const file = join(folder, 'policy.yaml');
      writeFileSync(file, readFileSync(policyFile, 'utf8').replaceAll(WRITTEN, `https://localhost:${port}`));
      return file;
    },
  };
  const cert = { cert: readFileSync(certificate), key: readFileSync(key) };
  const server = createServer(cert, (request, response) => {
    const answer = answers.get(request.url ?? '') ?? answers.get('*') ?? notFound;
    answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve));
  // The server ends with the process: every file of the suite may use it.
  server.unref();
  return tools;
}
