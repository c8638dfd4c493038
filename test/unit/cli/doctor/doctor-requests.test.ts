/** Checks that `countersign doctor` says whether the endpoint of Slack's requests can verify them. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { cli } from '../run-cli.ts';

/** Plays the endpoint: what it answers to a request that nobody signed. */
async function endpoint(status: number) {
  const server = createServer((request, response) => {
    request.resume().once('end', () => response.writeHead(request.method === 'POST' ? status : 405).end());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/`,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function doctor(url?: string) {
  const env = url === undefined ? {} : { COUNTERSIGN_SLACK_REQUEST_URL: url };
  const { code, lines } = await cli(['doctor', '--json', '--only', 'requests'], { env });
  return { code, finding: lines[0] };
}

test.each([
  [401, 'ok', /has a signing secret .* a click tells whether it is Slack's/],
  [500, 'wrong', /SlackSigningSecretArn .*is missing, empty or cannot be read/],
  [403, 'wrong', /nobody is at the address/],
  [429, 'warning', /busy/],
  [502, 'wrong', /HTTP 502/],
] as const)('one that answers %d to what nobody signed is %s', async (status, health, found) => {
  const { url, close } = await endpoint(status);
  const { code, finding } = await doctor(url);
  await close();
  expect(finding).toMatchObject({ check: 'requests', health, found: expect.stringMatching(found) });
  expect(code).toBe(health === 'wrong' ? 1 : 0);
});

test('one that is not there is wrong, and named as Node does', async () => {
  const { url, close } = await endpoint(401);
  await close();
  expect((await doctor(url)).finding).toMatchObject({
    health: 'wrong',
    found: expect.stringContaining('ECONNREFUSED'),
  });
});

test('one without an address is skipped, which fails where it was asked for, and one with a wrong address is wrong', async () => {
  expect(await doctor()).toMatchObject({
    code: 1,
    finding: { health: 'skipped', found: expect.stringContaining('SlackRequestUrl') },
  });
  expect((await doctor('lambda')).finding).toMatchObject({
    health: 'wrong',
    found: expect.stringContaining('is no URL'),
  });
});
