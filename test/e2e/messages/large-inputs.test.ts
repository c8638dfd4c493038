/** Checks that whoever works on an approved call after people reads a large input from its bucket. */
import { text } from 'node:stream/consumers';
import { beforeAll, expect, it } from 'vitest';
import { dynamoResultStore } from '../../../shared/adapters/dynamodb/proposals/result-store.ts';
import { sqsProposalQueue } from '../../../shared/adapters/sqs/proposal-queue.ts';
import { e2eGate } from '../gate.ts';
import { type Agent, agentNamed, newId, operatorNamed } from '../harness/agents.ts';
import { invoke } from '../harness/functions.ts';
import { ALICE, cardOf, viewAll } from '../harness/slack.ts';

/** Over the 8 KB that a row holds. */
const LONG = 'y'.repeat(9_000);

let builder: Agent;
beforeAll(async () => {
  builder = await agentNamed('builder');
});

it('an operator decides on it, and its permit is redeemed', async () => {
  const input = { command: `git push origin ${newId()} ${LONG}` };
  const proposalId = await builder.run(input.command);
  await cardOf(builder.pid(proposalId));
  const oncall = await operatorNamed('oncall');
  await oncall.say({ kind: 'decide', agent: 'builder', proposalId, choice: 'approve' });
  const decision = await builder.wait(proposalId);
  expect(decision).toMatchObject({ outcome: 'approved', decidedBy: { id: 'T0E2E/U0BOB' } });
  const permitId = decision.calls[0]?.permit?.permitId;
  const call = { agent: 'builder', proposalId, callId: 'call', permitId, toolName: 'Bash', input };
  expect((await invoke('redeem', call)).answer).toMatchObject({ granted: true });
});

it('the gate runs it whole', async () => {
  const { tools, outputs } = await e2eGate();
  const bodies: string[] = [];
  tools.serve('/echo', async (request, response) => {
    bodies.push(await text(request));
    response.writeHead(200).end('{}');
  });
  const runner = await agentNamed('runner');
  const client = runner.clientWith({
    executions: sqsProposalQueue(runner.sqs, outputs['ExecutionsQueueUrl'] ?? ''),
    results: dynamoResultStore(runner.dynamodb, { state: outputs.StateTable }),
  });
  const proposalId = newId();
  const call = { toolName: 'RunSecret', input: { text: LONG, id: proposalId } };
  await client.propose({ proposalId, ...call });
  await viewAll(ALICE, await cardOf(runner.pid(proposalId)), 'approve');
  const result = await client.runApproved(await client.wait(proposalId), proposalId, call);
  expect(result).toMatchObject({ status: 'succeeded' });
  expect(bodies.map((body) => JSON.parse(body))).toEqual([call.input]);
});
