/** Sends events as the Events API does: JSON to the app, with three retries without a 200. */
import { setTimeout as wait } from 'node:timers/promises';
import { notify } from '../notifications.ts';
import type { Dict, RequestLogEntry } from '../types.ts';
import { textOf } from '../values.ts';
import { changed, newId, nextTs, type World } from '../world.ts';
import { deliverSigned } from './deliver.ts';
import { VERIFICATION_TOKEN } from './payloads.ts';

const JSON_TYPE = 'application/json';

/** Gives the last attempt; nothing is sent while the app has no events URL of its own. */
export async function sendEvent(world: World, event: Dict): Promise<RequestLogEntry | undefined> {
  const url = world.urls.events;
  if (url === undefined) return undefined;
  const body = JSON.stringify({
    token: VERIFICATION_TOKEN,
    team_id: world.team.id,
    api_app_id: world.app.id,
    event,
    type: 'event_callback',
    event_id: newId('Ev'),
    event_time: Math.floor(world.clock() / 1_000),
    authorizations: [{ enterprise_id: null, team_id: world.team.id, user_id: world.app.botUserId, is_bot: true }],
    is_ext_shared_channel: false,
  });
  let entry = await deliverSigned(world, { kind: 'event', url, body }, JSON_TYPE);
  for (const [index, delay] of world.eventRetryDelaysMs.entries()) {
    if (entry.status === 200 || entry.responseHeaders?.['x-slack-no-retry'] === '1' || world.stopping.signal.aborted)
      break;
    await wait(delay, undefined, { ref: false, signal: world.stopping.signal }).catch(() => {});
    const reason =
      entry.failure === 'timeout' ? 'http_timeout' : entry.status === undefined ? 'connection_failed' : 'http_error';
    const extra = { 'x-slack-retry-num': String(index + 1), 'x-slack-retry-reason': reason };
    entry = await deliverSigned(world, { kind: 'event', url, body }, JSON_TYPE, extra);
  }
  return entry;
}

/** The hand-shake of a new events URL: true when the app gives the challenge back. */
export async function verifyUrl(world: World, url: string): Promise<boolean> {
  const challenge = newId('', 32);
  const body = JSON.stringify({ token: VERIFICATION_TOKEN, challenge, type: 'url_verification' });
  const entry = await deliverSigned(world, { kind: 'event', url, body }, JSON_TYPE);
  if (entry.status !== 200) return false;
  const answer = entry.responseBody ?? '';
  return answer.trim() === challenge || textOf(safeJson(answer).challenge) === challenge;
}

function safeJson(text: string): Dict {
  try {
    return JSON.parse(text) as Dict;
  } catch {
    return {};
  }
}

/** A person writes in a channel, a thread or to the app itself; `text` is what they typed, not yet escaped. */
export async function say(
  world: World,
  what: { user: string; channel: string; text: string; threadTs?: string },
): Promise<string> {
  const channel = world.channels.get(what.channel);
  if (channel === undefined) throw new Error(`no channel ${what.channel}`);
  const text = what.text
    .replaceAll('&', '&amp;')
    .replaceAll(/<(?![@#][A-Z0-9]+>)/g, '&lt;')
    .replaceAll(/(?<!<[@#][A-Z0-9]+)>/g, '&gt;');
  const ts = nextTs(world);
  const thread = what.threadTs === undefined ? {} : { thread_ts: what.threadTs };
  const message = { type: 'message' as const, channel: channel.id, ts, user: what.user, text, team: world.team.id };
  const stored = { ...message, blocks: [], reactions: [], ...thread };
  world.messages.push(stored);
  notify(world, stored);
  changed(world);
  const event = { ...message, ...thread, event_ts: ts };
  // Slack sends an event only to an app with its scope.
  const may = (scope: string): boolean => world.scopes.has(scope);
  if (channel.imUser !== undefined) {
    if (may('im:history')) await sendEvent(world, { ...event, channel_type: 'im' });
  } else if (text.includes(`<@${world.app.botUserId}>`) && may('app_mentions:read'))
    await sendEvent(world, { ...event, type: 'app_mention' });
  return ts;
}

export async function openHome(world: World, user: string, tab: 'home' | 'messages' = 'home'): Promise<void> {
  const direct = [...world.channels.values()].find((channel) => channel.imUser === user);
  const event = { type: 'app_home_opened', user, channel: direct?.id ?? '', tab, event_ts: nextTs(world) };
  await sendEvent(world, event);
}
