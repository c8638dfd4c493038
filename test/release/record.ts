/**
 * Writes what the previous release leaves on a deployed gate: `node test/release/record.ts`.
 *
 * The rows of approvals that wait, their cards, and messages as its client writes them. Run once for each release;
 * `test/e2e/operations/previous-release.test.ts` reads the file.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DynamoDBClient, paginateScan } from '@aws-sdk/client-dynamodb';
import { clientConfig } from '../local/endpoint/index.ts';
import { startLocalGate } from '../local/gate/gate.ts';
import { previousRelease } from './previous.ts';
import { agentOf, cardIn, shellCall } from './upgrade-world.ts';

const FILE = join(import.meta.dirname, '../contract/releases/0.1.0-deployed.json');
const previous = previousRelease();
if (previous === undefined) throw new Error('this clone does not hold the previous release');
const policyFile = join(previous, 'test/e2e/policy.yaml');
// The name of the end-to-end tests' stack: approvals and digests belong to one deployment.
const gate = await startLocalGate({ policyFile, release: previous, stackName: 'E2e', slackPostIntervalMs: 20 });
try {
  const messages: { readonly agent: string; readonly body: string }[] = [];
  const recordFor = (agent: string) => (body: string) => void messages.push({ agent, body });
  const builder = await agentOf(gate, 'builder', previous, recordFor('builder'));
  const crafter = await agentOf(gate, 'crafter', previous, recordFor('crafter'));
  const asked = [
    { agent: builder, proposalId: 'waiting', ...shellCall('git push origin previous') },
    { agent: builder, proposalId: 'refused', ...shellCall('git push origin refused-later') },
    { agent: builder, proposalId: 'question', kind: 'input-request', question: 'Which branch?', choices: ['a', 'b'] },
    {
      agent: builder,
      proposalId: 'batch',
      calls: ['one', 'two'].map((id) => ({ id, toolName: 'Bash', input: { command: `git push origin ${id}` } })),
    },
    { agent: crafter, proposalId: 'two-stages', ...shellCall('alembic upgrade head') },
  ];
  for (const { agent, ...body } of asked) {
    await agent.send(body);
    await cardIn(gate, agent.name, body.proposalId);
  }
  await builder.send({ proposalId: 'follower', ...shellCall('git push origin previous') });
  await builder.send({ proposalId: 'allowed', ...shellCall('git status') });
  await builder.wait('allowed');
  // The file is written once the follower was taken in, which asks for no card.
  await new Promise((resolve) => setTimeout(resolve, 3_000));
  const dynamo = new DynamoDBClient(clientConfig(gate.endpoint));
  const rowsOf = async (TableName: string) => {
    const rows: unknown[] = [];
    for await (const { Items = [] } of paginateScan({ client: dynamo }, { TableName, ConsistentRead: true }))
      rows.push(...Items);
    return rows;
  };
  const { slack, outputs } = gate;
  const data = {
    release: '0.1.0',
    deployment: outputs.Deployment,
    writtenAt: Date.now(),
    state: await rowsOf(outputs.StateTable),
    audit: await rowsOf(outputs.AuditTable),
    cards: ['C0APPROVALS', 'C0CREW'].flatMap((channel) =>
      slack.messages(channel).map(({ ts, text, blocks }) => ({ channel, ts, text, blocks })),
    ),
    messages,
  };
  writeFileSync(FILE, `${JSON.stringify(data, null, 2)}\n`);
  console.log(
    `${data.state.length} and ${data.audit.length} rows, ${data.cards.length} cards, ${messages.length} messages`,
  );
} finally {
  await gate.stop();
}
