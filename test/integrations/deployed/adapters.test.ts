/** Runs the suite of adapters on the deployed gate: with the real queues, tables, permits and cards. */
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { describeAdapter } from '../contract.ts';
import { whyNotInstalled } from '../packages.ts';
import { openDeployed } from './world.ts';

const missing = await whyNotInstalled(join(import.meta.dirname, '..'));

test("the frameworks' packages are there", () => expect(missing).toBeUndefined());

// Loaded late: before they were installed nothing could load them.
if (missing === undefined) {
  const [{ vercelAi }, { langchain }, { openaiAgents }] = await Promise.all([
    import('../adapters/vercel-ai.ts'),
    import('../adapters/langchain.ts'),
    import('../adapters/openai-agents.ts'),
  ]);
  // How a wait ends unanswered is shown by expiry.test.ts: no adapter can hurry real time.
  for (const adapter of [vercelAi, langchain, openaiAgents])
    describeAdapter(adapter, { open: openDeployed, passesTime: false });
}
