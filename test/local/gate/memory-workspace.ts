/**
 * Runs a gate in memory behind a local Slack.
 *
 * Use cases, cards and listeners are those of AWS, without an endpoint.
 */

import { randomBytes, randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { WebClient } from '@slack/web-api';
import { respond, slackApp } from '../../../functions/slack/app.ts';
import { drawHome } from '../../../functions/slack/draw-home.ts';
import type { HomeDependencies } from '../../../functions/slack/listening.ts';
import { memoryReplyStore } from '../../../shared/adapters/memory/conversation.ts';
import { createMemoryGate } from '../../../shared/adapters/memory/gate.ts';
import type { MemoryGate } from '../../../shared/adapters/memory/gate-parts.ts';
import { memoryPendingApprovals } from '../../../shared/adapters/memory/pending-approvals.ts';
import { secretlintDetector } from '../../../shared/adapters/secretlint/detector.ts';
import { slackDirectory } from '../../../shared/adapters/slack/directory.ts';
import { clientOptions, slackPoster } from '../../../shared/adapters/slack/poster.ts';
import { verifySignature } from '../../../shared/adapters/slack/signature.ts';
import { slackSpeaker } from '../../../shared/adapters/slack/task-speaker.ts';
import type { PolicyDocument } from '../../../shared/config/document.ts';
import type { AskedInSlack } from '../../../shared/contract/operation.ts';
import { loadShellParser } from '../../../shared/permissions/shell/parser.ts';
import { type Clock, systemClock } from '../../../shared/ports/clock.ts';
import type { ConversationMessage } from '../../../shared/ports/conversation.ts';
import { systemTimers } from '../../../shared/ports/timers.ts';
import { type ConversationDependencies, handleMessage } from '../../../shared/use-cases/conversation/handle-message.ts';
import { type LocalSlack, startLocalSlack } from '../slack/server.ts';
import type { LocalSlackOptions } from '../slack/types.ts';
import { workspaceOf } from './workspace.ts';

export interface MemoryWorkspace {
  readonly gate: MemoryGate;
  readonly slack: LocalSlack;
  stop(): Promise<void>;
}

const APP_ID = 'A0COUNTERSIGN';

/** `options.clock` is the gate's and Slack's. */
export async function startMemoryWorkspace(
  document: PolicyDocument,
  options: Partial<LocalSlackOptions> = {},
): Promise<MemoryWorkspace> {
  const secrets = {
    signingSecret: randomBytes(16).toString('hex'),
    botToken: `xoxb-${randomBytes(12).toString('hex')}`,
  };
  const clock: Clock = options.clock ? { now: options.clock } : systemClock;
  const slack = await startLocalSlack({ ...workspaceOf(document.policy, APP_ID, secrets), ...options });
  const client = new WebClient(secrets.botToken, clientOptions(slack.apiUrl));
  const gate: MemoryGate = createMemoryGate({
    document,
    clock,
    timers: systemTimers,
    ids: { next: randomUUID },
    detector: async () => secretlintDetector(),
    shell: () => loadShellParser(),
    poster: slackPoster(secrets.botToken, slack.apiUrl),
    people: slackDirectory(secrets.botToken, slack.apiUrl, clock),
    drawHome: (person) => drawHome(person, { client, listening: homeOf(gate) }),
  });
  const endpoint = await serve(gate, slack.apiUrl, secrets, clock);
  slack.setRequestUrl(endpoint.url);
  slack.setCommandsUrl(endpoint.url);
  await slack.setEventsUrl(endpoint.url);
  return {
    gate,
    slack,
    async stop() {
      endpoint.stop();
      gate.stop();
      await slack.stop();
    },
  };
}

/** Reads what App Home shows, as the functions do. */
const homeOf = (gate: MemoryGate): HomeDependencies => ({
  deps: gate.parts,
  pending: async () => memoryPendingApprovals(gate.parts.state),
  sessions: (agent) => gate.parts.sessions.list(agent, 100),
  control: () => gate.parts.control.read(),
  history: gate.parts.history,
});

/** The endpoint that Slack's requests reach: verified as in the function, answered by the same listeners. */
async function serve(
  gate: MemoryGate,
  slackApiUrl: string,
  { signingSecret, botToken }: { readonly signingSecret: string; readonly botToken: string },
  clock: Clock,
): Promise<{ readonly url: string; stop(): void }> {
  const talking: ConversationDependencies = {
    ...gate.parts,
    replies: memoryReplyStore(),
    speaker: slackSpeaker(botToken, slackApiUrl),
    after: systemTimers.after,
  };
  const talked = { send: async (message: ConversationMessage) => void (await handleMessage(message, talking)) };
  const ask = async (asked: AskedInSlack) => gate.askInSlack(asked);
  const app = slackApp(
    { ...homeOf(gate), deps: gate.parts, ask },
    { botToken, appId: APP_ID, slackApiUrl, conversation: talked },
  );
  const server = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray());
    const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
    const verified = verifySignature(headers, body, [signingSecret], clock.now());
    const result = verified.ok
      ? await respond({ body: body.toString('utf8'), headers }, app).catch(() => ({ statusCode: 500, body: '' }))
      : { statusCode: 401, body: '' };
    const answer = typeof result === 'string' ? { statusCode: 200, body: result } : result;
    response.writeHead(answer.statusCode ?? 200, 'headers' in answer ? (answer.headers as Record<string, string>) : {});
    response.end(answer.body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    stop() {
      server.closeAllConnections();
      server.close();
    },
  };
}
