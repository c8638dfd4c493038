/**
 * Builds the request that a case describes, as Slack would send it.
 *
 * The case gives parts of it; the others are those of a real request.
 */
import { createHmac } from 'node:crypto';
import type { LambdaFunctionURLEvent } from 'aws-lambda';
import { INPUT, REASON, SCOPE, VIEWS } from '../../../shared/adapters/slack/cards/modals.ts';
import { ACTIONS } from '../../../shared/adapters/slack/elements/actions.ts';
import { type Fields, fieldsOf, isFields, listOf } from '../fields.ts';
import { Uninterpretable } from '../seeds/uninterpretable.ts';
import { type SlackWorld, slackIdOf } from './slack-world.ts';

const KNOWN_CLICK = new Set(
  'type api_app_id team user channel message actions substitute private_metadata trigger_id reason'.split(' '),
);
const KNOWN_HTTP = new Set('sig timestamp body method retryNum retryReason contentType isBase64Encoded'.split(' '));

const KNOWN_USER = new Set(
  'id team_id is_bot deleted deactivated is_stranger name username real_name role roles group groups'.split(' '),
);

const KNOWN_ACTION = new Set(['action_id', 'value', 'block_id', 'type']);
const KNOWN_MESSAGE = new Set(['ts']);
const KNOWN_PLACE = new Set(['id', 'name', 'domain']);

function known(fields: Fields, names: ReadonlySet<string>, what: string): void {
  const unread = Object.keys(fields).filter((key) => !names.has(key));
  if (unread.length) throw new Uninterpretable(`${what}: ${unread.join(', ')}`);
}

const idsIn = (value: unknown): Fields =>
  Object.fromEntries(
    Object.entries(fieldsOf(value)).map(([key, each]) => [
      key,
      /id$/.test(key) && typeof each === 'string' ? slackIdOf(each) : each,
    ]),
  );

/** The value that the card's button has; a case writes the approval's id, and behind it the digest where that matters. */
async function buttonValue(stated: unknown, world: SlackWorld): Promise<string> {
  const [id = '', digest] = String(stated).split(/[:|#]/);
  const view = await world.read(id);
  const other = digest !== undefined && digest !== String(world.approval.argsHash);
  const shown = other ? digest : (view?.approval.question.digest ?? '0'.repeat(64));
  return JSON.stringify({ approval: world.pid(id), digest: shown });
}

const ACTION_IDS: Readonly<Record<string, string>> = ACTIONS;

/** Payloads of one click: rejecting takes a form after the button. */
export async function payloadsOf(click: Fields, responseUrl: string, world: SlackWorld): Promise<Fields[]> {
  known(click, KNOWN_CLICK, 'click');
  known(fieldsOf(click['user']), KNOWN_USER, 'click.user');
  for (const action of listOf(click['actions'])) known(fieldsOf(action), KNOWN_ACTION, 'click.actions');
  for (const name of ['team', 'channel']) known(fieldsOf(click[name]), KNOWN_PLACE, `click.${name}`);
  known(fieldsOf(click['message']), KNOWN_MESSAGE, 'click.message');
  const { approval } = world;
  const actions = Array.isArray(click['actions']) ? click['actions'].map(fieldsOf) : [];
  const channel = idsIn(click['channel'] ?? { id: approval.channel });
  const ts = String(fieldsOf(click['message'] ?? { ts: approval.ts })['ts']);
  const user = idsIn(click['user']);
  const base = {
    api_app_id: click['api_app_id'] === null ? null : slackIdOf(click['api_app_id'] ?? approval.app),
    team: click['team'] === null ? null : idsIn(click['team'] ?? { id: approval.team }),
    user,
    trigger_id: String(click['trigger_id'] ?? `trigger.${String(user['id'])}`),
  };
  const place = { channel: String(channel['id']), ts };
  if (click['type'] === 'view_submission') return [await submission(click, base, place, world)];
  const buttons = await Promise.all(
    actions.map(async ({ action_id, value }) => ({
      type: 'button',
      block_id: 'countersign_vote',
      action_id: ACTION_IDS[String(action_id)] ?? action_id,
      value: await buttonValue(value, world),
    })),
  );
  const press = {
    type: click['type'],
    ...base,
    channel,
    response_url: responseUrl,
    container: { type: 'message', message_ts: ts, channel_id: place.channel },
    message: {
      app_id: approval.app,
      blocks: world.cards.get(`${place.channel}#${ts}`)?.blocks ?? [],
      ...fieldsOf(click['message']),
    },
    actions: buttons,
  };
  const rejects = actions.length === 1 && actions[0]?.['action_id'] === 'reject';
  return rejects ? [press, await submission(click, base, place, world)] : [press];
}

/** The form that follows from what the click says: an edit, a rejection, or an approval. */
async function submission(
  click: Fields,
  base: Fields,
  place: { readonly channel: string; readonly ts: string },
  world: SlackWorld,
): Promise<Fields> {
  const [action = {}] = Array.isArray(click['actions']) ? click['actions'].map(fieldsOf) : [];
  const value = JSON.parse(await buttonValue(action['value'] ?? world.approval.id, world)) as Fields;
  const asked = (await world.read(world.approval.id))?.approval.question;
  const call = asked?.kind === 'calls' ? asked.calls[0]?.id : undefined;
  const context = {
    ...value,
    ...place,
    shown: true,
    // Only the id: whoever turns a form to another approval saw nothing of that one.
    ...(click['private_metadata'] === undefined ? {} : { approval: world.pid(String(click['private_metadata'])) }),
  };
  const field = ({ block, action: id }: { block: string; action: string }, state: Fields) => ({
    [block]: { [id]: state },
  });
  const reason = field(REASON, { type: 'plain_text_input', value: String(click['reason'] ?? 'not today') });
  const form = () => {
    if (click['substitute'] !== undefined) {
      const input = field(INPUT, { type: 'plain_text_input', value: JSON.stringify(inputOf(click['substitute'])) });
      return { callback_id: VIEWS.edit, more: { call }, values: { ...input, ...reason } };
    }
    if (action['action_id'] === 'reject') return { callback_id: VIEWS.reject, more: {}, values: reason };
    const selected = { type: 'radio_buttons', selected_option: { value: 'session' } };
    return { callback_id: VIEWS.session, more: {}, values: field(SCOPE, selected) };
  };
  const { callback_id, more, values } = form();
  return {
    type: 'view_submission',
    ...base,
    view: {
      id: 'V1',
      hash: `${String(base['trigger_id'])}.${callback_id}`,
      type: 'modal',
      app_id: base['api_app_id'],
      callback_id,
      private_metadata: JSON.stringify({ ...context, ...more }),
      state: { values },
    },
  };
}

/** The form has a field for the arguments and none for the tool: every other field stands among the arguments. */
function inputOf(substitute: unknown): unknown {
  const { toolName, input, ...rest } = fieldsOf(substitute);
  return toolName === undefined && isFields(input) && !Object.keys(rest).length ? input : substitute;
}

const formOf = (payload: Fields): string => `payload=${encodeURIComponent(JSON.stringify(payload))}`;

const sign = (secret: string, timestamp: string, body: string): string =>
  `v0=${createHmac('sha256', secret).update(`v0:${timestamp}:${body}`).digest('hex')}`;

/** The bytes that are sent, and those that were signed. */
function bodiesOf(stated: unknown, payload: Fields): { readonly body: string; readonly signed: string } {
  const body = formOf(payload);
  if (stated === undefined || stated === 'raw-bytes-as-signed') return { body, signed: body };
  if (stated === 're-encoded') return { body, signed: JSON.stringify(payload) };
  const text = String(stated);
  // A letter stands for a payload: with a real one it is clear what is refused.
  return { body: text.replace(/payload=[A-Z](?=&|$)/g, body), signed: text.replace(/payload=[A-Z](?=&|$)/g, body) };
}

function signatureOf(stated: unknown, right: (secret: string) => string, secret: string): string | undefined {
  if (stated === undefined || stated === null || stated === 'missing') return undefined;
  // Lambda joins headers of one name.
  if (Array.isArray(stated)) return stated.map((one) => signatureOf(one, right, secret)).join(',');
  if (stated === 'valid') return right(secret);
  if (stated === 'valid-for-empty-secret') return right('');
  const text = String(stated);
  // The version alone is wrong.
  return text.endsWith('=...') ? `${text.slice(0, -3)}${right(secret).slice(3)}` : text;
}

/** A body that the case states as base64 already, or as it was before. */
function decoded(stated: unknown): unknown {
  if (typeof stated !== 'string') return stated;
  const text = Buffer.from(stated, 'base64').toString('utf8');
  return text.startsWith('payload=') ? text : stated;
}

/** The event of the function's URL. */
export function eventOf(http: Fields, payload: Fields, secret: string, now: number): LambdaFunctionURLEvent {
  known(http, KNOWN_HTTP, 'http');
  const timestamps = http['timestamp'] === undefined ? [now] : [http['timestamp']].flat();
  const timestamp = timestamps[0] === null ? undefined : timestamps.map(String).join(',');
  const isEncoded = http['isBase64Encoded'] === true;
  const { body, signed } = bodiesOf(isEncoded ? decoded(http['body']) : http['body'], payload);
  const signature = signatureOf(http['sig'], (with_) => sign(with_, timestamp ?? '', signed), secret);
  const headers = {
    'content-type': String(http['contentType'] ?? 'application/x-www-form-urlencoded'),
    ...(timestamp === undefined ? {} : { 'x-slack-request-timestamp': timestamp }),
    ...(signature === undefined ? {} : { 'x-slack-signature': signature }),
    ...(http['retryNum'] === undefined ? {} : { 'x-slack-retry-num': String(http['retryNum']) }),
  };
  const requestContext = { http: { method: String(http['method'] ?? 'POST') } };
  const sent = isEncoded ? Buffer.from(body).toString('base64') : body;
  return { requestContext, headers, body: sent, isBase64Encoded: isEncoded } as unknown as LambdaFunctionURLEvent;
}
