/** Tests the processes of `hook` and `serve`: a hook that fails blocks the call. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type FakeAws, fakeAws, sent } from '../../unit/cli/fake-aws.ts';
import { fateInClaude, fateInCodex } from '../../unit/client/hooks/fate.ts';

const MAIN = join(import.meta.dirname, '../../../shared/cli/main.ts');
const CALL = JSON.stringify({
  hook_event_name: 'PreToolUse',
  session_id: 's-1',
  cwd: '/tmp',
  tool_name: 'Bash',
  tool_input: { command: 'git push' },
  tool_use_id: 'toolu_1',
});

/** A gate that takes every proposal and decides none. */
let aws: FakeAws;
beforeAll(async () => {
  aws = await fakeAws({ SendMessage: sent, GetItem: () => ({}) });
});
afterAll(() => aws.close());

const AGENT = () => ({
  COUNTERSIGN_AGENT: 'coder',
  COUNTERSIGN_DEPLOYMENT: 'test',
  COUNTERSIGN_QUEUE_URL: `${aws.url}/000000000000/proposals`,
  COUNTERSIGN_AUDIT_TABLE: 'audit',
});

const AWAY = {
  AWS_ENDPOINT_URL: 'http://127.0.0.1:9',
  COUNTERSIGN_QUEUE_URL: 'http://127.0.0.1:9/000000000000/proposals',
};

function start(env: object, ...argv: readonly string[]) {
  const child = spawn(process.execPath, [MAIN, ...argv], { env: { ...process.env, ...env } });
  const texts = { out: '', err: '' };
  child.stdout.on('data', (chunk) => (texts.out += String(chunk)));
  child.stderr.on('data', (chunk) => (texts.err += String(chunk)));
  const ended = new Promise<{ code: number | null; out: string; err: string }>((resolve) =>
    child.on('close', (code) => resolve({ code, ...texts })),
  );
  return { child, ended };
}
const write = ({ stdin }: ChildProcess, text: string) => stdin?.on('error', () => undefined).end(text);
const messages = () =>
  aws.asked
    .filter(({ operation }) => operation === 'SendMessage')
    .map(({ body }) => JSON.parse(String(body['MessageBody'])) as { kind: string });

describe('hook: the exit code is 2, with the reason on standard error and nothing on standard output', () => {
  test.each<[string, string, RegExp, () => object, ...string[]]>([
    ['no input', '', /not JSON/, AGENT],
    ['garbled input', `${CALL}}`, /not JSON/, AGENT],
    ['no settings', CALL, /COUNTERSIGN_AGENT/, () => ({})],
    ['a gate that is away', CALL, /ECONNREFUSED|refused/i, () => ({ ...AGENT(), ...AWAY })],
    ['nobody answers in time', CALL, /nobody decided .* it is withdrawn/, AGENT, '--timeout', '200ms'],
    ['a time-out that is none', CALL, /timeout/, AGENT, '--timeout', 'soon'],
    ['an option that there is not', CALL, /--quick/, AGENT, '--quick'],
  ])('%s', async (_, input, why, env, ...argv) => {
    const { child, ended } = start(env(), 'hook', ...argv);
    write(child, input);
    const end = await ended;
    expect(end).toEqual({ code: 2, out: '', err: expect.stringMatching(why) });
    // Also in a Claude Code that knows no onFailure.
    expect([fateInClaude(end), fateInCodex(end)]).toEqual(['blocked', 'blocked']);
  });

  test('SIGTERM while people are asked, which withdraws the call', async () => {
    const before = messages().length;
    const { child, ended } = start(AGENT(), 'hook');
    write(child, CALL);
    await expect.poll(() => messages().length).toBe(before + 1);
    child.kill('SIGTERM');
    expect(await ended).toEqual({ code: 2, out: '', err: expect.stringContaining('SIGTERM') });
    expect(messages().at(-1)).toMatchObject({ kind: 'cancel', cancels: 's-1:toolu_1' });
  });
});

test('serve answers with the token of its file, and ends in order at SIGTERM', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-serve-'));
  try {
    const file = join(folder, 'token');
    const { child, ended } = start(AGENT(), 'serve', '--port', '0', '--token-file', file);
    const line = await new Promise<string>((resolve) => child.stdout.once('data', (chunk) => resolve(String(chunk))));
    const [url = ''] = line.split('\n');
    const headers = {
      authorization: `Bearer ${readFileSync(file, 'utf8').trim()}`,
      'content-type': 'application/json',
    };
    const body = JSON.stringify({ run: 'r', callId: 'c', tool: 'Bash', input: { command: 'ls' } });
    const waiting = fetch(`${url}/v1/calls`, { method: 'POST', headers, body });
    await expect.poll(() => messages().at(-1)).toMatchObject({ proposalId: 'r:c' });
    child.kill('SIGTERM');
    expect(await (await waiting).json()).toEqual({ id: 'r:c', state: 'proposed' });
    expect(await ended).toMatchObject({ code: 0, err: '' });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
