/** Has the gate run a tool, as an agent that holds no credentials of its own. */
import { dynamoResultStore } from '../../../shared/adapters/dynamodb/proposals/result-store.ts';
import { sqsProposalQueue } from '../../../shared/adapters/sqs/proposal-queue.ts';
import { e2eGate } from '../gate.ts';
import { agentNamed, newId } from './agents.ts';

/** Calls of a tool that the gate runs, one after another; their ids. */
export async function runs(
  toolName: string,
  times: number,
  input: (index: number) => Record<string, unknown>,
): Promise<readonly string[]> {
  const ids: string[] = [];
  const { outputs } = await e2eGate();
  const runner = await agentNamed('runner');
  const client = runner.clientWith({
    executions: sqsProposalQueue(runner.sqs, outputs['ExecutionsQueueUrl'] ?? ''),
    results: dynamoResultStore(runner.dynamodb, { state: outputs.StateTable }),
  });
  for (let index = 0; index < times; index++) {
    const proposalId = newId();
    ids.push(proposalId);
    const given = { toolName, input: input(index) };
    await client.propose({ proposalId, ...given });
    const decision = await client.wait(proposalId, { timeout: 60_000 });
    await client.runApproved(decision, proposalId, given, { timeout: 60_000 });
  }
  return ids;
}
