/**
 * Takes an app's later answers to an interaction at its response_url, without a token.
 *
 * An app may answer five times within 30 minutes.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { LIMITS } from '../block-kit/limits.ts';
import { SlackApiError } from '../errors.ts';
import { notify } from '../notifications.ts';
import type { Dict, StoredMessage } from '../types.ts';
import { dictOf } from '../values.ts';
import { readBody } from '../web-api/args.ts';
import { applyContent, draft, readContent } from '../web-api/chat.ts';
import { type Answerable, changed, nextTs, type World } from '../world.ts';

const MAX_USES = 5;

export async function serveResponseUrl(
  world: World,
  request: IncomingMessage,
  response: ServerResponse,
  key: string,
): Promise<void> {
  const answer = (status: number, body: string) =>
    response.writeHead(status, { 'Content-Type': 'text/plain; charset=utf-8' }).end(body);
  const known = world.responseUrls.get(key);
  const raw = await readBody(request);
  if (known === undefined) return void answer(404, 'no_service');
  if (world.clock() > known.expiresAt) return void answer(404, 'expired_url');
  if (known.uses >= MAX_USES) return void answer(404, 'used_url');
  known.uses += 1;
  try {
    postAnswer(world, known, dictOf(JSON.parse(raw)));
    answer(200, 'ok');
  } catch (error) {
    if (error instanceof SlackApiError) answer(error.code === 'message_not_found' ? 404 : 400, error.code);
    else if (error instanceof SyntaxError) answer(400, 'invalid_payload');
    else throw error;
  }
}

/** Ephemeral unless the app says otherwise; may replace or delete what was clicked. */
export function postAnswer(world: World, target: Answerable, answer: Dict): void {
  const source = target.ts === undefined ? undefined : clicked(world, target);
  if (answer.delete_original === true || answer.delete_original === 'true') {
    world.messages = world.messages.filter((one) => one !== source);
    world.ephemerals = world.ephemerals.filter((one) => one !== source);
  } else if (answer.replace_original === true || answer.replace_original === 'true') {
    if (source === undefined) throw new SlackApiError('message_not_found');
    applyContent(world, source, content(answer));
    if (source.ephemeralTo === undefined) source.edited = { user: world.app.botUserId, ts: nextTs(world) };
  } else {
    postNew(world, target, answer);
  }
  changed(world);
}

function postNew(world: World, target: Answerable, answer: Dict): void {
  const channel = world.channels.get(target.channel);
  if (channel === undefined) throw new SlackApiError('channel_not_found');
  const message = draft(world, answer, channel, content(answer));
  if (answer.response_type === 'in_channel') {
    world.messages.push(message);
    notify(world, message);
  } else {
    const of = target.trigger === undefined ? {} : { answersTo: target.trigger };
    world.ephemerals.push({ ...message, ephemeralTo: target.user, ...of });
  }
}

function clicked(world: World, target: Answerable): StoredMessage | undefined {
  const same = (one: StoredMessage) => one.channel === target.channel && one.ts === target.ts;
  return world.messages.find(same) ?? world.ephemerals.find(same);
}

/** The sum of all blocks is not limited here. */
const content = (answer: Dict) => readContent(answer, LIMITS.messageText, Number.POSITIVE_INFINITY);
