/** The demo without an AWS endpoint: the same use cases on in-memory adapters, with the same page, card and click. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CountersignClient } from '../../../shared/client/index.ts';
import { loadPolicy } from '../../../shared/config/load.ts';
import { pidOf } from '../../../shared/domain/digest.ts';
import { CALLS } from '../../examples/calls.ts';
import { startMemoryWorkspace } from '../gate/memory-workspace.ts';
import { approveInBrowser } from './click.ts';
import { decision, heading, say, step } from './print.ts';

export interface InMemoryOptions {
  readonly byItself: boolean;
  readonly policyFile: string;
  readonly agent: string;
  readonly onStop: (stop: () => Promise<void> | void) => void;
}

export async function runInMemory({ byItself, policyFile, agent, onStop }: InMemoryOptions): Promise<void> {
  const document = loadPolicy(readFileSync(policyFile, 'utf8'), policyFile);
  const { gate, slack, stop } = await startMemoryWorkspace(document);
  onStop(stop);

  heading('The agent proposes three calls:');
  const channel = Object.values(document.policy.channels)[0]?.id ?? '';
  const client = new CountersignClient({ ...gate.agentSide(agent), queueUrl: 'memory', auditTable: 'memory' });
  const ids: string[] = [];
  const decided = CALLS.map(async (call) => {
    const began = performance.now();
    const proposalId = await client.propose(call);
    ids.push(proposalId);
    step(`proposed ${call.toolName} ${JSON.stringify(call.input)}`);
    const { outcome, decidedBy, message, calls } = await client.wait(proposalId);
    const effective = calls[0]?.effective?.input;
    const ms = Math.round(performance.now() - began);
    const proposed = { event: 'proposed', proposalId, tool: call.toolName, input: call.input } as const;
    decision({ event: 'decided', proposalId, outcome, decidedBy, message, effective, ms }, proposed);
  });
  if (byItself) await approveInBrowser(slack.url, 'U0ALICE', channel, join('.cache', 'screenshots', 'demo.png'));
  else
    say(
      `\n  The third call waits for you. Open ${slack.url}?user=U0ALICE&channel=${channel} and click Approve or Reject.`,
    );
  await Promise.all(decided);

  heading('What the record says of them:');
  for (const id of ids) {
    const records = await gate.parts.audit.ofProposal(agent, pidOf('memory', agent, id));
    for (const { entry } of records) {
      const by = entry.person ? `${entry.person.team}/${entry.person.user}` : (entry.decidedBy?.id ?? '');
      say(
        `  ${entry.recordedAt}  ${entry.type.padEnd(10)} ${(entry.outcome ?? entry.reasonCode ?? 'asks').padEnd(10)} ${by}`,
      );
    }
  }
}
