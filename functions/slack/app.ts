/** Routes Slack's requests to the listeners by Bolt; loaded once the signature was checked. */
import { type AckFn, App, type Receiver, type ReceiverEvent } from '@slack/bolt';
import { WebClient } from '@slack/web-api';
import type { LambdaFunctionURLResult } from 'aws-lambda';
import { slackDirectory } from '../../shared/adapters/slack/directory.ts';
import { clientOptions, type OnTokenRefused } from '../../shared/adapters/slack/posting/client-options.ts';
import { sqsConversationQueue } from '../../shared/adapters/sqs/conversation-queue.ts';
import { sendOperation } from '../../shared/adapters/sqs/operators-queue.ts';
import { sqsCardQueue } from '../../shared/adapters/sqs/outbox.ts';
import type { AskedInSlack } from '../../shared/contract/operation.ts';
import { systemClock } from '../../shared/ports/clock.ts';
import type { ConversationQueue } from '../../shared/ports/conversation.ts';
import type { VotingDependencies } from '../../shared/use-cases/approvals/voting/cast-vote.ts';
import { sqs } from '../runtime/clients/sqs.ts';
import type { Env } from '../runtime/env.ts';
import { pidIn } from '../runtime/queues/record-ids.ts';
import { aboutMessage } from '../runtime/telemetry/message-in-work.ts';
import { logFault } from '../runtime/telemetry/observe.ts';
import { baseOf } from '../runtime/wiring/base.ts';
import { lazyResumer } from '../runtime/wiring/lazy-resumer.ts';
import { storesOf } from '../runtime/wiring/stores.ts';
import type { ListenerDependencies } from './dependencies.ts';
import { homeReadersOf } from './home-without-request.ts';
import { listen } from './listeners.ts';
import { shownStore } from './shown-store.ts';
import { listenToTasks } from './task-events.ts';

export interface VerifiedRequest {
  readonly body: string;
  readonly headers: Readonly<Record<string, string | undefined>>;
}

let apps: { readonly token: string; readonly app: Promise<App> } | undefined;

/** Answers one request with the app of this process; a rotated bot token makes a new one. */
export async function answer(
  request: VerifiedRequest,
  env: Env<'slack'>,
  botToken: string,
  onTokenRefused: OnTokenRefused,
): Promise<LambdaFunctionURLResult> {
  if (apps?.token !== botToken) {
    const conversation = sqsConversationQueue(sqs(), env.TALK_QUEUE_URL);
    const settings = {
      botToken,
      appId: env.SLACK_APP_ID,
      slackApiUrl: env.SLACK_API_URL,
      onTokenRefused,
      conversation,
    };
    const control = () => storesOf(env).control.read();
    const ask = (asked: AskedInSlack) => sendOperation(sqs(), env.OPERATORS_QUEUE_URL, asked);
    const listenerDependencies = { ...homeReadersOf(env), control, ask };
    const app = gateOf(env, botToken, onTokenRefused).then((deps) =>
      slackApp({ deps, ...listenerDependencies }, settings),
    );
    app.catch(() => {
      apps = undefined;
    });
    apps = { token: botToken, app };
  }
  return respond(request, await apps.app);
}

/** Everything a listener does is awaited: work left behind is frozen when the handler returns. */
export async function respond(request: VerifiedRequest, app: App): Promise<LambdaFunctionURLResult> {
  const body = parseBody(request);
  if (body === undefined) return { statusCode: 400, body: '' };
  if (body['type'] === 'url_verification') return json({ challenge: String(body['challenge'] ?? '') });
  let acknowledged: LambdaFunctionURLResult | undefined;
  const ack: AckFn<unknown> = async (response) => {
    acknowledged ??= response === undefined || response === '' ? { statusCode: 200, body: '' } : json(response);
  };
  const retryNum = retryOf(request);
  const event: ReceiverEvent = { body, ack, ...(retryNum === undefined ? {} : { retryNum }) };
  await app.processEvent(event);
  return acknowledged ?? { statusCode: 404, body: '' };
}

async function gateOf(
  env: Env<'slack'>,
  botToken: string,
  onTokenRefused: OnTokenRefused,
): Promise<VotingDependencies> {
  const { approvals, audit, delegations, inputs } = storesOf(env);
  return {
    ...(await baseOf(env)),
    approvals,
    audit,
    delegations,
    inputs: shownStore(inputs),
    resumer: lazyResumer(env.RESUME_FUNCTION),
    people: slackDirectory(botToken, env.SLACK_API_URL, systemClock, onTokenRefused),
    cards: sqsCardQueue(sqs(), env.CARD_QUEUE_URL),
  };
}

interface SlackAppSettings {
  readonly botToken: string;
  readonly appId: string;
  readonly slackApiUrl: string | undefined;
  readonly onTokenRefused?: OnTokenRefused;
  /** Where what people say to the task agent waits for its answer. */
  readonly conversation: ConversationQueue;
}

/** A Bolt app whose listeners vote at the gate. */
export function slackApp(
  listenerDependencies: Omit<ListenerDependencies, 'appId' | 'client'>,
  { botToken, appId, slackApiUrl, onTokenRefused, conversation }: SlackAppSettings,
): App {
  const app = new App({
    receiver: silent,
    authorize: async () => ({ botToken }),
    clientOptions: clientOptions(slackApiUrl, onTokenRefused),
    logger: quiet,
    extendedErrorHandler: true,
  });
  app.error(async ({ error, body }: { readonly error: unknown; readonly body: unknown }) => {
    const pid = pidIn(JSON.stringify(body));
    logFault('a listener failed', error, pid === '' ? { run: true } : { pid });
    throw error;
  });
  const process = app.processEvent.bind(app);
  app.processEvent = (event) => {
    const pid = pidIn(JSON.stringify(event.body));
    const work = () => process({ ...event, body: withoutForeignAddress(event.body, slackApiUrl) });
    return pid === '' ? work() : aboutMessage({ pid }, work);
  };
  const client = new WebClient(botToken, clientOptions(slackApiUrl, onTokenRefused));
  listen(app, { ...listenerDependencies, appId, client });
  listenToTasks(app, { ...listenerDependencies.deps, queue: conversation, appId });
  return app;
}

/** Slack takes answers at its own hosts. An address elsewhere is left out: nothing that people are told goes there. */
function withoutForeignAddress({ response_url: address, ...body }: ReceiverEvent['body'], slackApiUrl = SLACK_API_URL) {
  const api = new URL(slackApiUrl);
  const given = typeof address === 'string' && URL.canParse(address) ? new URL(address) : undefined;
  const isSlack = given?.protocol === api.protocol && [api.host, `hooks.${api.host}`].includes(given.host);
  return isSlack ? { ...body, response_url: address } : body;
}

const SLACK_API_URL = 'https://slack.com/api/';

/**
 * Slack posts forms, with a `payload` or the fields of a command, or JSON for events. The signed bytes tell which: nobody signs the content type,
 * and the text of a message within an event reads as a form.
 */
function parseBody({ body }: VerifiedRequest): Record<string, unknown> | undefined {
  try {
    if (/^\s*[[{]/.test(body)) return objectOf(JSON.parse(body));
    const form = new URLSearchParams(body);
    const [payload = null, ...others] = form.getAll('payload');
    // Two payloads make a signed request ambiguous.
    if (others.length) return undefined;
    return payload === null ? Object.fromEntries(form) : objectOf(JSON.parse(payload));
  } catch {
    return undefined;
  }
}

const objectOf = (value: unknown): Record<string, unknown> | undefined =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : undefined;

const json = (value: unknown): LambdaFunctionURLResult => ({
  statusCode: 200,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(value),
});

function retryOf({ headers }: VerifiedRequest): number | undefined {
  const count = headers['x-slack-retry-num'];
  return count === undefined ? undefined : Number(count);
}

/** Requests come from the function's handler, so there is nothing to start or stop. */
const silent: Receiver = {
  init: () => undefined,
  start: async () => undefined,
  stop: async () => undefined,
};

/** Bolt's own log lines may quote what was sent; ours do not. */
const quiet = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
  setLevel: () => undefined,
  getLevel: () => 'error' as never,
  setName: () => undefined,
};
