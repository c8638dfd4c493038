/** Runs tools of a Claude agent behind the gate, with `defer`: the run ends while people are asked. */
import { afterAll } from 'vitest';
import { countersignHooks } from '../../../shared/client/integrations/claude-agent-sdk.ts';
import { type Adapter, describeAdapter, type ModelCall } from '../contract.ts';
import type { World } from '../scene.ts';
import { type ClaudeRun, refusalOf, removeHomes, runClaude, SESSION } from './claude-run.ts';
import { fakeMcp } from './fake-mcp.ts';

afterAll(removeHomes);

const bypass = { permissionMode: 'bypassPermissions', allowDangerouslySkipPermissions: true };

/** The program runs a deferred call as it starts, when tools within this process are not connected: these are a server's. */
async function run(scene: World, calls: readonly ModelCall[], { mode = {}, ...options }: Partial<ClaudeRun> = {}) {
  const server = await fakeMcp(scene);
  try {
    return await runClaude(calls, {
      mode: { hooks: countersignHooks(scene.client(), { defer: true }), allowedTools: ['mcp__t__*'], ...mode },
      tools: { type: 'http', url: server.url, alwaysLoad: true },
      ...options,
    });
  } finally {
    server.close();
  }
}

const deferring: Adapter = {
  name: 'claude-agent-sdk with defer',
  redeems: false,
  suspends: true,
  single: true,
  leavesOpen: true,
  run: SESSION,
  refusal: refusalOf,
  start: run,
  resume: (scene, home, _calls, { signal } = {}) => run(scene, [], { home, signal }),
  startAllowingAll: (scene, calls) => run(scene, calls, { mode: bypass }),
};

describeAdapter(deferring);
