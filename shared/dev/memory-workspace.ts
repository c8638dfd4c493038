/**
 * Runs a gate in memory behind a local Slack.
 *
 * Use cases, cards and listeners are those of AWS, without an endpoint.
 */
import { randomBytes, randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { WebClient } from '@slack/web-api';
import { respond, slackApp } from '../../functions/slack/app.ts';
import type { HomeDependencies } from '../../functions/slack/dependencies.ts';
import { drawHome } from '../../functions/slack/draw-home.ts';
import { MAX_SESSIONS } from '../../functions/slack/home-without-request.ts';
import { type LocalSlack, startLocalSlack } from '../../test/local/slack/server.ts';
import type { LocalSlackOptions } from '../../test/local/slack/types.ts';
import { memoryReplyStore } from '../adapters/memory/conversation.ts';
import { createMemoryGate } from '../adapters/memory/gate.ts';
import type { MemoryGate, MemoryGateOptions } from '../adapters/memory/gate-parts.ts';
import { memoryPendingApprovals } from '../adapters/memory/stores/pending-approvals.ts';
import { secretlintDetector } from '../adapters/secretlint/detector.ts';
import { slackDirectory } from '../adapters/slack/directory.ts';
import { clientOptions } from '../adapters/slack/posting/client-options.ts';
import { slackPoster } from '../adapters/slack/posting/poster.ts';
import { verifySignature } from '../adapters/slack/signature.ts';
import { slackSpeaker } from '../adapters/slack/task-speaker.ts';
import type { PolicyDocument } from '../config/document.ts';
import type { AskedInSlack } from '../contract/operation.ts';
import { loadShellParser } from '../permissions/shell/parser.ts';
import { type Clock, systemClock } from '../ports/clock.ts';
import type { ConversationMessage } from '../ports/conversation.ts';
import { systemTimers } from '../ports/timers.ts';
import { type ConversationDependencies, handleMessage } from '../use-cases/conversation/handle-message.ts';
import { workspaceOf } from './workspace.ts';

export interface MemoryWorkspace {
  readonly gate: MemoryGate;
  readonly slack: LocalSlack;
  /** Another policy file from now on, with the people and channels that it names. */
  usePolicy(document: PolicyDocument): void;
  stop(): Promise<void>;
}

const APP_ID = 'A0COUNTERSIGN';

/** `options.clock` is the gate's and Slack's; `settings` are the gate's own. */
export async function startMemoryWorkspace(
  document: PolicyDocument,
  options: Partial<LocalSlackOptions> = {},
  settings: Pick<MemoryGateOptions, 'deployment' | 'onFault' | 'hooks' | 'model' | 'models'> = {},
): Promise<MemoryWorkspace> {
  const secrets = {
    signingSecret: randomBytes(16).toString('hex'),
    botToken: `xoxb-${randomBytes(12).toString('hex')}`,
  };
  const clock: Clock = options.clock ? { now: options.clock } : systemClock;
  const slack = await startLocalSlack({ ...workspaceOf(document.policy, APP_ID, secrets), ...options });
  const client = new WebClient(secrets.botToken, clientOptions(slack.apiUrl));
  const gate: MemoryGate = createMemoryGate({
    ...settings,
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
    usePolicy(next) {
      slack.include(workspaceOf(next.policy, APP_ID, secrets));
      gate.usePolicy(next);
    },
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
  sessions: (agent) => gate.parts.sessions.list(agent, MAX_SESSIONS),
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
  const conversationDependencies: ConversationDependencies = {
    ...gate.parts,
    replies: memoryReplyStore(),
    speaker: slackSpeaker(botToken, slackApiUrl),
    after: systemTimers.after,
  };
  const conversations = {
    send: async (message: ConversationMessage) => void (await handleMessage(message, conversationDependencies)),
  };
  const ask = async (asked: AskedInSlack) => gate.askInSlack(asked);
  const app = slackApp(
    { ...homeOf(gate), deps: gate.parts, ask },
    { botToken, appId: APP_ID, slackApiUrl, conversation: conversations },
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
