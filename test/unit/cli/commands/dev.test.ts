/** Checks the words, refusals and exit codes of `countersign dev`, and its reload. */
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, expect, test, vi } from 'vitest';
import { changer } from '../../../../shared/cli/commands/dev-deployed.ts';
import { reloader } from '../../../../shared/cli/commands/dev-text.ts';
import { loadPolicy } from '../../../../shared/config/load.ts';
import { cli } from '../run-cli.ts';

const POLICY = `people: { olga: { team: T1A, user: U1A, name: Olga } }
agents: { builder: { owner: olga } }
`;
const cwd = mkdtempSync(join(tmpdir(), 'countersign-dev-'));
afterAll(() => rmSync(cwd, { recursive: true }));
beforeEach(() => writeFileSync(join(cwd, 'countersign.yaml'), POLICY));

const dev = (...words: readonly string[]) => cli(['dev', ...words], { cwd, untilStopped: async () => undefined });

test('it says where people answer and how a shell becomes an agent, and leaves nothing when it is stopped', async () => {
  const { code, out, err } = await dev('--memory', '--port', '0');
  expect({ code, err }).toEqual({ code: 0, err: '' });
  expect(out).toMatch(/http:\/\/127\.0\.0\.1:\d+\n/);
  expect(out).toContain('source .countersign-dev/builder.env');
  expect(readdirSync(cwd)).toEqual(['countersign.yaml']);
});

test('it names what a gate in memory leaves out', async () => {
  writeFileSync(
    join(cwd, 'countersign.yaml'),
    `${POLICY}hooks: { audit: { url: 'https://hook.example/', secret: s } }
tools: { Pay: { permissions: [Write], target: { url: 'https://pay.example/', secret: s } } }
classifier: { model: { provider: anthropic, model: m, secret: s } }
`,
  );
  const { out, err } = await dev('--memory', '--port', '0');
  expect(err).toBe('');
  expect(out.match(/not run by a gate in memory: (.*)/g)?.map((line) => line.split(': ')[1])).toEqual([
    'hooks audit',
    'the model of classifier',
    'targets of Pay',
  ]);
});

test.each([
  [['--port', 'x'], 2, 'countersign: --port x is no port: give a number from 0 to 65535\n'],
  [['--port', '65536'], 2, 'countersign: --port 65536 is no port: give a number from 0 to 65535\n'],
  [['--app', 'node app.ts', '--memory'], 2, 'countersign: --memory: is given beside --app, which needs an endpoint\n'],
  [['--policy', 'nope.yaml'], 2, 'countersign: nope.yaml: there is no such policy file; name it with --policy\n'],
])('%j is refused', async (words, code, err) => {
  expect(await dev(...words)).toMatchObject({ code, err, out: '' });
});

test('without a Python the ways out are named, and the gate runs nowhere else', async () => {
  const { code, out, err } = await cli(['dev', '--port', '0'], {
    cwd,
    env: { COUNTERSIGN_PYTHON: join(cwd, 'no-python') },
  });
  expect({ code, out }).toEqual({ code: 1, out: '' });
  expect(err).toMatch(
    /^countersign: Python 3\.10 or newer is not installed: .+; or run the gate without an endpoint: countersign dev --memory\n$/,
  );
  expect(readdirSync(cwd)).toEqual(['countersign.yaml']);
});

test('a policy file with a mistake, or without an agent, is refused before anything starts', async () => {
  writeFileSync(join(cwd, 'countersign.yaml'), 'ruls: {}\n');
  expect((await dev()).err).toContain('countersign.yaml:1:1: ruls: unknown key');
  writeFileSync(join(cwd, 'countersign.yaml'), 'people: {}\nagents: {}\n');
  expect((await dev()).err).toContain('declares no agent');
});

test('a port in use is told with the option that gives another', async () => {
  const server = createServer();
  const port = await new Promise<number>((resolve) =>
    server.listen(0, '127.0.0.1', () => resolve((server.address() as { readonly port: number }).port)),
  );
  const { code, err } = await dev('--memory', '--port', String(port));
  server.close();
  expect(code).toBe(1);
  expect(err).toBe(
    `countersign: --port: port ${port} is in use; end what listens there, or give another: --port 0 takes any\n`,
  );
  expect(readdirSync(cwd)).toEqual(['countersign.yaml']);
});

test('a policy file with a mistake is told, and the one of before stays; the same file again changes nothing', () => {
  const first = loadPolicy(POLICY, 'countersign.yaml');
  const next = loadPolicy(POLICY.replaceAll('builder', 'other'), 'countersign.yaml');
  const [err, tell, usePolicy, read] = [vi.fn(), vi.fn(), vi.fn(), vi.fn()];
  const gate = { agents: () => ['other'], usePolicy };
  const reload = reloader(first, read, gate, { file: 'countersign.yaml', io: { err }, tell });
  read.mockImplementationOnce(() => {
    throw new Error('countersign.yaml:1:1: wrong\ncountersign.yaml:2:1: wrong too');
  });
  reload();
  expect(err.mock.calls.flat()).toEqual([
    'countersign: countersign.yaml:1:1: wrong\n',
    'countersign: countersign.yaml:2:1: wrong too\n',
    'countersign: the gate goes on by the policy file of before\n',
  ]);
  read.mockReturnValueOnce(first);
  reload();
  expect(usePolicy).not.toHaveBeenCalled();
  read.mockReturnValue(next);
  reload();
  reload();
  expect(usePolicy.mock.calls).toEqual([[next]]);
  expect(tell.mock.calls.flat()).toEqual(['countersign.yaml was read again; agents: other']);
});

test('a changed policy file is deployed; one with a mistake, or that does not deploy, leaves the one of before', async () => {
  const first = loadPolicy(POLICY, 'countersign.yaml');
  const next = loadPolicy(POLICY.replaceAll('builder', 'other'), 'countersign.yaml');
  const [err, tell, redeploy, read] = [vi.fn(), vi.fn(), vi.fn(), vi.fn()];
  const stopping = new AbortController();
  const telling = { file: 'countersign.yaml', folder: 'envs', io: { err }, tell, signal: stopping.signal };
  const files = vi.fn(() => ['builder.env']);
  const change = changer(first.policyVersion, read, { files, redeploy }, telling);
  read.mockReturnValueOnce(first).mockReturnValue(next);
  await change();
  expect(redeploy).not.toHaveBeenCalled();
  redeploy.mockRejectedValueOnce(new Error('cdk deploy failed'));
  await change();
  expect(err.mock.calls.flat()).toEqual([
    'countersign: cdk deploy failed\n',
    'countersign: the gate goes on by the policy file of before\n',
  ]);
  redeploy.mockImplementationOnce(async () => files.mockReturnValue(['other.env', 'operators/oncall.env']));
  await change();
  await change();
  expect(redeploy.mock.calls).toEqual([[next], [next]]);
  // Somebody who came with the change has a file that no line named before.
  expect(tell.mock.calls.flat().slice(-3)).toEqual([
    'countersign.yaml is deployed',
    'new: source envs/other.env',
    'new: source envs/operators/oncall.env',
  ]);
  // A deployment that Ctrl-C ended is no failure.
  read.mockReturnValue(first);
  redeploy.mockImplementationOnce(async () => {
    stopping.abort();
    throw new Error('aborted');
  });
  await change();
  expect(err).toHaveBeenCalledTimes(2);
});
