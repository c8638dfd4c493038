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

/** The address in policy.yaml that stands for the server's. */
const WRITTEN = 'https://tools.e2e.invalid';

export interface ToolServer {
  /** Answers every request; a test file puts its own in place. */
  serve: (request: IncomingMessage, response: ServerResponse) => void;
  /** The policy file with the server's address in it. */
  withAddress(policyFile: string): string;
}

export async function startToolServer(): Promise<ToolServer> {
  const { certificate, key } = await endpointCertificate(cacheDirectory(), 'python3');
  const tools: ToolServer = {
    serve: (_, response) => void response.writeHead(404).end(),
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
  const server = createServer(cert, (request, response) => tools.serve(request, response));
  await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve));
  // The server ends with the process: every file of the suite may use it.
  server.unref();
  return tools;
}
