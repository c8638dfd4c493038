/**
 * Runs tools of a Claude agent behind the gate, with the agent's own program.
 *
 * The model is played on loopback.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSdkMcpServer, query, tool } from '@anthropic-ai/claude-agent-sdk';
import { afterAll } from 'vitest';
import * as z from 'zod';
import { countersignHooks } from '../../../shared/client/integrations/claude-agent-sdk.ts';
import { type Adapter, describeAdapter, type Episode, type ModelCall } from '../contract.ts';
import type { Scene } from '../scene.ts';
import { fakeAnthropic } from './fake-anthropic.ts';

const homes: string[] = [];
afterAll(() => {
  for (const home of homes) rmSync(home, { recursive: true, force: true });
});

/** Each run has a home of its own, where no other one has taken this id. */
const SESSION = '11111111-1111-4111-8111-111111111111';

const toolsOf = (scene: Scene) => {
  const work = (name: string) => async (input: unknown) => ({
    content: [{ type: 'text' as const, text: scene.work(name, input) }],
  });
  const tools = [
    tool('Refund', 'Refund', { amount: z.number() }, work('Refund')),
    tool('Lookup', 'Lookup', { id: z.string() }, work('Lookup')),
    tool('Wipe', 'Wipe', {}, work('Wipe')),
  ];
  return createSdkMcpServer({ name: 't', tools });
};

async function run(scene: Scene, calls: readonly ModelCall[], mode: object, signal?: AbortSignal) {
  const api = await fakeAnthropic(calls.map(({ id, tool: name, input }) => ({ id, name: `mcp__t__${name}`, input })));
  const home = mkdtempSync(join(tmpdir(), 'countersign-claude-'));
  homes.push(home);
  const abortController = new AbortController();
  signal?.addEventListener('abort', () => abortController.abort(signal.reason));
  const env = {
    PATH: process.env['PATH'] ?? '',
    HOME: home,
    CLAUDE_CONFIG_DIR: home,
    ANTHROPIC_BASE_URL: api.url,
    ANTHROPIC_API_KEY: 'none',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    DISABLE_TELEMETRY: '1',
    ENABLE_TOOL_SEARCH: 'false',
    // Without it the program refuses to bypass permissions for root, as containers run tests.
    IS_SANDBOX: '1',
    DISABLE_AUTOUPDATER: '1',
  };
  const options = {
    sessionId: SESSION,
    cwd: home,
    env,
    settingSources: [],
    mcpServers: { t: toolsOf(scene) },
    abortController,
  };
  try {
    for await (const message of query({ prompt: 'go', options: { ...options, ...mode } as never }))
      if (message.type === 'result') break;
    return api.seen();
  } finally {
    api.close();
  }
}

const adapter: Adapter = {
  name: 'claude-agent-sdk',
  suspends: false,
  run: SESSION,
  refusal: (message, name) => `PreToolUse:mcp__t__${name} hook error: ${message}`,
  async start(scene, calls, { signal } = {}): Promise<Episode> {
    const mode = { hooks: countersignHooks(scene.client()) };
    return { waiting: [], state: '', seen: await run(scene, calls, mode, signal) };
  },
  async startAllowingAll(scene, calls): Promise<Episode> {
    const bypass = { permissionMode: 'bypassPermissions', allowDangerouslySkipPermissions: true };
    const mode = { hooks: countersignHooks(scene.client()), ...bypass };
    return { waiting: [], state: '', seen: await run(scene, calls, mode) };
  },
};

describeAdapter(adapter);
