/** Sets the four examples up: a model, and one run of the agent over the escrow contract. */
import { fileURLToPath } from 'node:url';
import { AnthropicClient } from '../../../shared/adapters/llm/anthropic.ts';
import { type AgentPolicy, type LlmClient, runAgentLoop, type StageRecord } from '../../../shared/policies/index.ts';
import { ScriptedClient } from '../../../shared/testing/scripted-client.ts';
import type { EscrowContract } from '../escrow.ts';

export const MODEL = process.env['ANTHROPIC_MODEL'] ?? 'claude-sonnet-4-20250514';

/** Claude if `ANTHROPIC_API_KEY` is set; otherwise a script of the flows that it would pick (`null`: nothing). */
export function modelOr(...flows: readonly (string | null)[]): LlmClient {
  if (process.env['ANTHROPIC_API_KEY']) return AnthropicClient.fromEnv();
  const reply = (flow: string | null) => ({
    action: flow && { flow_id: flow, persona_id: 'ops', reasoning: 'scripted' },
    reasoning: 'scripted',
  });
  return new ScriptedClient(flows.map((flow) => JSON.stringify(reply(flow))));
}

/** Runs the agent until it has nothing to do; tells each stage of each choice as it goes. */
export async function runUntilIdle(contract: EscrowContract, policy: AgentPolicy): Promise<readonly string[]> {
  const stop = new AbortController();
  await runAgentLoop({
    actionSpace: () => contract.actionSpace('ops'),
    snapshot: () => contract.snapshot(),
    execute: (action) => contract.execute(action),
    policy,
    signal: stop.signal,
    idle: async () => stop.abort(),
    observe: ({ place, outcome, flowId, detail }: StageRecord) => {
      console.log([`${place}: ${outcome}`, flowId, detail].filter(Boolean).join(', '));
    },
  });
  console.log(`executed: ${contract.history.join(', ') || 'nothing'}`);
  return contract.history;
}

/** Runs an example when it is the program that was started, and not when a test imports it. */
export async function main(url: string, example: () => Promise<unknown>): Promise<void> {
  if (process.argv[1] === fileURLToPath(url)) await example();
}
