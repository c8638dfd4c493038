/**
 * Proposes three calls, runs what is approved, and reports how it went: a sample agent.
 *
 * Run it with the environment that the stack's outputs give: COUNTERSIGN_AGENT, COUNTERSIGN_DEPLOYMENT,
 * COUNTERSIGN_QUEUE_URL, COUNTERSIGN_AUDIT_TABLE and AWS credentials of the agent's role; with
 * COUNTERSIGN_REDEEM_FUNCTION and COUNTERSIGN_OUTCOMES_QUEUE_URL as well it redeems permits and reports runs.
 */
import { randomUUID } from 'node:crypto';
import { CountersignClient, NotApprovedError, type ProposedCall } from '../../shared/client/index.ts';
import { CALLS } from './calls.ts';

const client = CountersignClient.fromEnvironment();

/** One line of JSON for each step, so that another program can follow. */
const tell = (event: string, rest: object): void => console.log(JSON.stringify({ event, ...rest }));

/** Stands in for a shell: says what it would run, and changes nothing on this machine. */
const runCommand = ({ command }: { readonly command?: unknown }): string => `(played, not run) ${String(command)}`;

async function work({ toolName, input, ...words }: ProposedCall): Promise<void> {
  const began = performance.now();
  const elapsed = () => Math.round(performance.now() - began);
  const proposalId = randomUUID();
  const ran = client.gate(toolName, runCommand)(input, { ...words, id: proposalId });
  tell('proposed', { proposalId, tool: toolName, input });
  // The result is told below, also if the call fails before the decision is read.
  ran.catch(() => undefined);
  const { outcome, decidedBy, message, reasonCode, calls } = await client.wait(proposalId);
  const effective = calls[0]?.effective?.input;
  tell('decided', { proposalId, outcome, decidedBy, reasonCode, message, effective, ms: elapsed() });
  try {
    tell('ran', { proposalId, output: await ran, ms: elapsed() });
  } catch (error) {
    // The decision was told; its message is for the model.
    if (!(error instanceof NotApprovedError)) throw error;
  }
}

await Promise.all(CALLS.map(work));
