/** Tests Claude Code with the settings that `countersign install` writes. */
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSdkMcpServer, query, tool } from '@anthropic-ai/claude-agent-sdk';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { type LoopbackServer, openServer } from '../../../shared/cli/serve/loopback-server.ts';
import { routesOf } from '../../../shared/cli/serve/routes.ts';
import { CountersignClient } from '../../../shared/client/index.ts';
import { type GateServer, startGateServer } from '../../python/gate-server.ts';
import { cli } from '../../unit/cli/run-cli.ts';
import { type Fate, fateInClaude, type HookEnd } from '../../unit/client/hooks/fate.ts';
import { fakeAnthropic } from './fake-anthropic.ts';

const POLICY = `
people:
  olga: { team: T1, user: U1, name: Olga }
  alice: { team: T1, user: U2, name: Alice }
agents: { coder: { owner: olga } }
channels: { approvals: { team: T1, id: C1 } }
approvers: { platform: { members: [olga, alice], channel: approvals } }
approvals: { approvers: platform, timeout: 1h }
rules:
  deny: [{ rule: mcp__t__Wipe, reason: Nothing is wiped. }]
  ask: [mcp__t__Refund]
  allow: [mcp__t__Lookup]
`;
const MAIN = join(import.meta.dirname, '../../../shared/cli/main.ts');
const TOKEN = 'a-token-of-the-tests-0123456789-abcdef';

const folder = mkdtempSync(join(tmpdir(), 'countersign-settings-'));
let server: GateServer;
let door: LoopbackServer;
beforeAll(async () => {
  server = await startGateServer({
    policy: POLICY,
    approver: ({ round }) => (round === 1 ? { choice: 'edit', input: { amount: 5 } } : { choice: 'approve' }),
  });
  const client = new CountersignClient(server.gate.clientOptions('coder'));
  door = await openServer({ respond: routesOf(client, TOKEN), port: 0, report: () => undefined });
});
afterAll(async () => {
  await door.close();
  await server.close();
  rmSync(folder, { recursive: true, force: true });
});

interface Run {
  readonly ran: readonly unknown[];
  readonly seen: string;
}

let runs = 0;
/** One turn in bypass mode, in which only hooks stand between the model and a tool. */
async function turn(name: string, input: object, settings: string): Promise<Run> {
  const home = join(folder, `home-${++runs}`);
  mkdirSync(join(home, '.claude'), { recursive: true });
  writeFileSync(join(home, '.claude', 'settings.json'), settings);
  const ran: unknown[] = [];
  const work = async (given: unknown) => {
    ran.push(given);
    return { content: [{ type: 'text' as const, text: 'done' }] };
  };
  const tools = [
    tool('Refund', 'Refund', { amount: z.number() }, work),
    tool('Lookup', 'Lookup', { id: z.string() }, work),
    tool('Wipe', 'Wipe', {}, work),
  ];
  const api = await fakeAnthropic([{ id: 'call_50', name: `mcp__t__${name}`, input }]);
  const env = {
    ...server.environmentOf('coder'),
    PATH: process.env['PATH'] ?? '',
    HOME: home,
    CLAUDE_CONFIG_DIR: join(home, 'config'),
    ANTHROPIC_BASE_URL: api.url,
    ANTHROPIC_API_KEY: 'none',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    COUNTERSIGN_TOKEN: TOKEN,
    DISABLE_AUTOUPDATER: '1',
    DISABLE_TELEMETRY: '1',
    ENABLE_TOOL_SEARCH: 'false',
    IS_SANDBOX: '1',
  };
  const options = {
    cwd: home,
    env,
    settingSources: ['project' as const],
    mcpServers: { t: createSdkMcpServer({ name: 't', tools }) },
    permissionMode: 'bypassPermissions' as const,
    allowDangerouslySkipPermissions: true,
  };
  try {
    for await (const message of query({ prompt: 'go', options })) if (message.type === 'result') break;
    return { ran, seen: api.seen()['call_50'] ?? '' };
  } finally {
    api.close();
  }
}

/** The settings that the command writes for this repository's program. */
async function installed(...argv: readonly string[]): Promise<string> {
  const file = join(folder, `settings-${++runs}.json`);
  const program = `'${process.execPath}' '${MAIN}'`;
  const ran = await cli(['install', 'claude-code', '--file', file, '--program', program, ...argv]);
  expect(ran.code, ran.err).toBe(0);
  return readFileSync(file, 'utf8');
}

describe('with the settings that are installed', () => {
  test('a call that a rule allows runs', async () => {
    expect((await turn('Lookup', { id: 'a' }, await installed())).ran).toEqual([{ id: 'a' }]);
  });

  test('a call that a rule denies does not, and the model reads why', async () => {
    const { ran, seen } = await turn('Wipe', {}, await installed());
    expect([ran, seen]).toEqual([[], expect.stringContaining('Nothing is wiped.')]);
  });

  test('an edit runs, and the model is told', async () => {
    const { ran, seen } = await turn('Refund', { amount: 50 }, await installed());
    expect([ran, seen]).toEqual([[{ amount: 5 }], expect.stringContaining('This call ran with {"amount":5}')]);
  });

  test('a program that is not there blocks the call', async () => {
    const settings = (await installed()).replaceAll(MAIN, '/nowhere/main.js');
    expect((await turn('Lookup', { id: 'a' }, settings)).ran).toEqual([]);
  });
});

const hooked = (hook: object): string =>
  JSON.stringify({ hooks: { PreToolUse: [{ matcher: '*', hooks: [{ timeout: 60, ...hook }] }] } });
const http = (token: string) =>
  hooked({
    type: 'http',
    url: `${door.url}/hooks/claude`,
    headers: { Authorization: `Bearer ${token}` },
    allowedEnvVars: ['COUNTERSIGN_TOKEN'],
  });

describe('with an HTTP hook to the door, and no onFailure', () => {
  test('a call that a rule allows runs, and one that a rule denies does not', async () => {
    expect((await turn('Lookup', { id: 'a' }, http('$COUNTERSIGN_TOKEN'))).ran).toEqual([{ id: 'a' }]);
    expect((await turn('Wipe', {}, http('$COUNTERSIGN_TOKEN'))).ran).toEqual([]);
  });

  test('a wrong token blocks the call', async () => {
    expect((await turn('Lookup', { id: 'a' }, http('wrong'))).ran).toEqual([]);
  });
});

/** The table that the doors are built on: they never end in a way that runs the call. */
describe('Claude Code, as the model of it says', () => {
  const script = join(folder, 'hook.sh');
  test.each<[string, string, HookEnd]>([
    ['exit 1', 'exit 1', { code: 1, out: '', err: '' }],
    ['a missing file', '/nowhere/hook', { code: 127, out: '', err: '' }],
    ['an end by a signal', 'kill -KILL $$', { code: null, out: '', err: '' }],
    ['garbled JSON with exit 0', `printf '{"hookSpec'`, { code: 0, out: '{"hookSpec', err: '' }],
    ['exit 2', 'echo no >&2; exit 2', { code: 2, out: '', err: 'no' }],
  ])('%s', async (_, lines, end) => {
    const fates: Fate[] = [];
    for (const onFailure of [undefined, 'block'] as const) {
      writeFileSync(script, `#!/bin/sh\n${lines}\n`);
      chmodSync(script, 0o755);
      const settings = hooked({ type: 'command', command: script, ...(onFailure ? { onFailure } : {}) });
      const { ran } = await turn('Lookup', { id: 'a' }, settings);
      fates.push(ran.length > 0 ? 'runs' : 'blocked');
    }
    expect(fates).toEqual([fateInClaude(end), fateInClaude(end, 'block')]);
  });
});
