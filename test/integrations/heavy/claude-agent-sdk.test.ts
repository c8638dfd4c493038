/** Runs tools of a Claude agent behind the gate, with the agent's own program and a hook that waits. */
import { createSdkMcpServer, tool } from '@anthropic-ai/claude-agent-sdk';
import { afterAll } from 'vitest';
import * as z from 'zod';
import { countersignHooks } from '../../../shared/client/integrations/claude-agent-sdk.ts';
import { type Adapter, describeAdapter, type ModelCall } from '../contract.ts';
import type { World } from '../scene.ts';
import { refusalOf, removeHomes, runClaude, SESSION } from './claude-run.ts';

afterAll(removeHomes);

const toolsOf = (scene: World) => {
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

const bypass = { permissionMode: 'bypassPermissions', allowDangerouslySkipPermissions: true };
const run = (scene: World, calls: readonly ModelCall[], mode: object = {}, signal?: AbortSignal) =>
  runClaude(calls, { mode: { hooks: countersignHooks(scene.client()), ...mode }, tools: toolsOf(scene), signal });

const adapter: Adapter = {
  name: 'claude-agent-sdk',
  redeems: false,
  suspends: false,
  oneByOne: true,
  run: SESSION,
  refusal: refusalOf,
  start: (scene, calls, { signal } = {}) => run(scene, calls, {}, signal),
  startAllowingAll: (scene, calls) => run(scene, calls, bypass),
};

describeAdapter(adapter);
