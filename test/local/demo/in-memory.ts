/** The demo without an AWS endpoint: the same use cases on in-memory adapters, with the same page, card and click. */

import { randomBytes, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { respond, slackApp } from '../../../functions/slack/app.ts';
import { createMemoryGate } from '../../../shared/adapters/memory/gate.ts';
import { memoryPendingApprovals } from '../../../shared/adapters/memory/pending-approvals.ts';
import { memoryReplyStore } from '../../../shared/adapters/memory/talk.ts';
import { systemTimers } from '../../../shared/adapters/memory/timers.ts';
import { secretlintDetector } from '../../../shared/adapters/secretlint/detector.ts';
import { slackPoster } from '../../../shared/adapters/slack/poster.ts';
import { verifySignature } from '../../../shared/adapters/slack/signature.ts';
import { slackSpeaker } from '../../../shared/adapters/slack/task-speaker.ts';
import { CountersignClient } from '../../../shared/client/index.ts';
import { loadPolicy } from '../../../shared/config/load.ts';
import { pidOf } from '../../../shared/domain/digest.ts';
import { loadShellParser } from '../../../shared/permissions/shell/parser.ts';
import { type TalkGate, talk } from '../../../shared/pipeline/talk.ts';
import { systemClock } from '../../../shared/ports/clock.ts';
import type { Said } from '../../../shared/ports/task-talk.ts';
import { CALLS } from '../../examples/calls.ts';
import { workspaceOf } from '../gate/workspace.ts';
import { startLocalSlack } from '../slack/server.ts';
import { approveInBrowser } from './click.ts';
import { decision, heading, say, step } from './print.ts';

export interface InMemoryOptions {
  readonly byItself: boolean;
  readonly policyFile: string;
  readonly agent: string;
  readonly onStop: (stop: () => Promise<void> | void) => void;
}

const APP_ID = 'A0COUNTERSIGN';

export async function runInMemory({ byItself, policyFile, agent, onStop }: InMemoryOptions): Promise<void> {
  const document = loadPolicy(readFileSync(policyFile, 'utf8'), policyFile);
  const secrets = {
    signingSecret: randomBytes(16).toString('hex'),
    botToken: `xoxb-${randomBytes(12).toString('hex')}`,
  };
  const slack = await startLocalSlack(workspaceOf(document.policy, APP_ID, secrets));
  onStop(() => slack.stop());
  const gate = createMemoryGate({
    document,
    clock: systemClock,
    timers: systemTimers,
    ids: { next: randomUUID },
    detector: async () => secretlintDetector(),
    shell: () => loadShellParser(),
    poster: slackPoster(secrets.botToken, slack.apiUrl),
  });
  onStop(() => gate.stop());
  slack.setRequestUrl(await serveClicks(gate, slack.apiUrl, secrets, onStop));

  heading('The agent proposes three calls:');
  const channel = Object.values(document.policy.channels)[0]?.id ?? '';
  const client = new CountersignClient({ ...gate.agentSide(agent), queueUrl: 'memory', auditTable: 'memory' });
  const ids: string[] = [];
  const decided = CALLS.map(async (call) => {
    const began = performance.now();
    const proposalId = await client.propose(call);
    ids.push(proposalId);
    step(`proposed ${call.toolName} ${JSON.stringify(call.input)}`);
    const { outcome, decidedBy, message } = await client.wait(proposalId);
    const ms = Math.round(performance.now() - began);
    const proposed = { event: 'proposed', proposalId, tool: call.toolName, input: call.input } as const;
    decision({ event: 'decided', proposalId, outcome, decidedBy, message, ms }, proposed);
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

/** The endpoint that Slack's requests reach: verified as in the function, answered by the same listeners. */
async function serveClicks(
  gate: ReturnType<typeof createMemoryGate>,
  slackApiUrl: string,
  { signingSecret, botToken }: { readonly signingSecret: string; readonly botToken: string },
  onStop: InMemoryOptions['onStop'],
): Promise<string> {
  const talking: TalkGate = {
    ...gate.parts,
    said: memoryReplyStore(),
    speaker: slackSpeaker(botToken, slackApiUrl),
    after: systemTimers.after,
  };
  const talked = { send: async (said: Said) => void (await talk(said, talking)) };
  const pending = async () => memoryPendingApprovals(gate.parts.state);
  const app = slackApp(
    { gate: gate.parts, pending, history: gate.parts.history },
    { botToken, appId: APP_ID, slackApiUrl, talk: talked },
  );
  const server = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray());
    const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
    const verified = verifySignature(headers, body, [signingSecret], systemClock.now());
    const result = verified.ok
      ? await respond({ body: body.toString('utf8'), headers }, app)
      : { statusCode: 401, body: '' };
    const answer = typeof result === 'string' ? { statusCode: 200, body: result } : result;
    response.writeHead(answer.statusCode ?? 200, answer.headers as Record<string, string> | undefined);
    response.end(answer.body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onStop(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}
