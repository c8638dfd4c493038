/**
 * Runs the model policies against Anthropic's real API: `npm run test:release`.
 *
 * The run needs `ANTHROPIC_API_KEY` (and takes `ANTHROPIC_MODEL`), costs a few cents, and reports it when it does not
 * run. The same paths run against a local server in `npm test`.
 */
import assert from 'node:assert/strict';
import { AnthropicClient } from '../../shared/adapters/llm/anthropic.ts';
import { ApiError, LlmPolicy, type StageRecord } from '../../shared/policies/index.ts';
import { EscrowContract } from '../examples/escrow.ts';

const key = process.env['ANTHROPIC_API_KEY'];
const model = process.env['ANTHROPIC_MODEL'] ?? 'claude-sonnet-4-20250514';
if (!key) {
  console.log('not run: export ANTHROPIC_API_KEY to test against the real API');
  process.exit(2);
}

const contract = new EscrowContract({ Order: 'delivered', Escrow: 'held' }, { carrier_scan: 'delivered' });
const space = contract.actionSpace('ops');

await check('a model picks an action of the space, and says what it took', async () => {
  const stages: StageRecord[] = [];
  const policy = new LlmPolicy(new AnthropicClient(key), model);
  const action = await policy.choose(space, contract.snapshot(), { observe: (record) => stages.push(record) });
  assert.ok(action === null || space.actions.includes(action));
  assert.ok((stages[0]?.usage?.inputTokens ?? 0) > 0 && (stages[0]?.usage?.outputTokens ?? 0) > 0);
  console.log(`  ${model}: ${action?.flow_id ?? 'none'}, ${JSON.stringify(stages[0]?.usage)}`);
});

await check('a wrong key is an API error, and chooses none', async () => {
  const client = new AnthropicClient('sk-ant-wrong');
  await assert.rejects(client.complete([{ role: 'user', content: 'hello' }], model), ApiError);
  assert.equal(await new LlmPolicy(client, model).choose(space, contract.snapshot()), null);
});

async function check(name: string, work: () => Promise<void>): Promise<void> {
  await work();
  console.log(`ok: ${name}`);
}
