/** Checks requests to an app behind TLS with a private authority, as the local AWS endpoint has it. */
import { execFileSync } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ANN, GENERAL, startWorkspace, webClient } from './workspace.ts';

let folder: string;
let server: Server;
let ca: string;
let url: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'local-slack-'));
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1'];
  const files = ['-keyout', key, '-out', cert];
  execFileSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '1', ...subject, ...files], {
    stdio: 'ignore',
  });
  ca = await readFile(cert, 'utf8');
  server = createServer({ key: await readFile(key), cert: ca }, (_request, response) => response.end());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `https://127.0.0.1:${(server.address() as AddressInfo).port}/`;
});
afterAll(async () => {
  server.closeAllConnections();
  server.close();
  await rm(folder, { recursive: true, force: true });
});

async function clickOnce(options: { ca?: string }): Promise<boolean> {
  const slack = await startWorkspace({ ...options, requestUrl: url });
  const button = { type: 'button' as const, action_id: 'go', text: { type: 'plain_text' as const, text: 'Go' } };
  const blocks = [{ type: 'actions' as const, elements: [button] }];
  const { ts = '' } = await webClient(slack).chat.postMessage({ channel: GENERAL, text: 'x', blocks });
  const { ok } = await slack.click({ user: ANN, channel: GENERAL, ts, actionId: 'go' });
  await slack.stop();
  return ok;
}

describe('an https request URL', () => {
  it('is trusted by the given authority, and by no other', async () => {
    expect(await clickOnce({ ca })).toBe(true);
    expect(await clickOnce({})).toBe(false);
  });
});
