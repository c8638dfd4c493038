/**
 * A sample agent: proposes three calls, runs what is approved, and heeds the rest. Run it with the environment that the stack's outputs
 * give: COUNTERSIGN_AGENT, COUNTERSIGN_DEPLOYMENT, COUNTERSIGN_QUEUE_URL, COUNTERSIGN_AUDIT_TABLE and AWS credentials of the agent's role.
 */
import { CountersignClient, type ProposedCall } from '../../shared/client/index.ts';
import { CALLS } from './calls.ts';

const client = CountersignClient.fromEnvironment();

/** One line of JSON for each step, so that another program can follow. */
async function propose(call: ProposedCall): Promise<{ readonly proposalId: string; readonly began: number }> {
  const began = performance.now();
  const proposalId = await client.propose(call);
  console.log(JSON.stringify({ event: 'proposed', proposalId, tool: call.toolName, input: call.input }));
  return { proposalId, began };
}

async function heed({ proposalId, began }: Awaited<ReturnType<typeof propose>>): Promise<void> {
  const { outcome, decidedBy, message, reasonCode, calls } = await client.wait(proposalId);
  const ms = Math.round(performance.now() - began);
  const effective = calls[0]?.effective?.input;
  console.log(JSON.stringify({ event: 'decided', proposalId, outcome, decidedBy, reasonCode, message, effective, ms }));
}

const proposed = [];
for (const call of CALLS) proposed.push(await propose(call));
await Promise.all(proposed.map(heed));
