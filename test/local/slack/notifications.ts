/** Works out whom a new message notifies, and the text that their phones would show. */
import { dateText } from './page/assets/dates.js';
import { mrkdwnTree } from './page/mrkdwn.ts';
import { richTextTree } from './page/rich-text.ts';
import { type Named, plainOf, type TextTree } from './page/tree.ts';
import type { Notice, Push, SlackChannel, StoredMessage } from './types.ts';
import { isDict, listOf } from './values.ts';
import type { World } from './world.ts';

/** Characters that a locked phone shows of a text before it cuts; Slack documents no figure. */
const PUSH_LENGTH = 178;

/**
 * Notes whom a message that was just posted notifies; changing a message notifies nobody, as in Slack. People who were named in a thread,
 * began it or wrote in it follow it, and hear of its replies.
 */
export function notify(world: World, message: StoredMessage): void {
  const channel = world.channels.get(message.channel);
  if (channel === undefined || message.ephemeralTo !== undefined) return;
  const pinged = new Map<string, Notice['pinged'][number]['why']>();
  const hears = (user: string, why: Notice['pinged'][number]['why']) => {
    const isThere = channel.members.includes(user) && user !== message.user;
    const { isBot, deleted } = world.users.get(user) ?? { isBot: true };
    if (isThere && isBot !== true && deleted !== true && !pinged.has(user)) pinged.set(user, why);
  };
  if (channel.imUser !== undefined) hears(channel.imUser, 'direct');
  for (const named of namesIn(world, message))
    for (const [user, why] of usersOf(world, channel, named)) hears(user, why);
  for (const user of followersOf(world, message)) hears(user, 'thread');
  world.notices.set(message.ts, { pinged: [...pinged].map(([user, why]) => ({ user, why })) });
}

function usersOf(world: World, channel: SlackChannel, named: Named): [string, 'mention' | 'group' | 'channel'][] {
  if ('user' in named) return [[named.user, 'mention']];
  if ('range' in named) return channel.members.map((user) => [user, 'channel']);
  const group = world.userGroups.get(named.group);
  return group === undefined || group.disabled === true ? [] : group.users.map((user) => [user, 'group']);
}

/** Everybody who wrote in the thread of a reply so far, or was named there one by one. */
function followersOf(world: World, reply: StoredMessage): string[] {
  if (reply.thread_ts === undefined || reply.thread_ts === reply.ts) return [];
  const before = world.messages.filter(
    (one) => one.channel === reply.channel && one.ts !== reply.ts && [one.ts, one.thread_ts].includes(reply.thread_ts),
  );
  const named = before.flatMap(({ ts }) => world.notices.get(ts)?.pinged ?? []).filter(({ why }) => why === 'mention');
  return [...before.map(({ user }) => user), ...named.map(({ user }) => user)];
}

function namesIn(world: World, message: StoredMessage): Named[] {
  const trees = [mrkdwnTree(world, message.text), ...message.blocks.flatMap((block) => treesIn(world, block))];
  return trees.flatMap(namesOf);
}

/** Every text of a block in which a mention takes effect. */
function treesIn(world: World, value: unknown): TextTree[] {
  if (Array.isArray(value)) return value.flatMap((item) => treesIn(world, item));
  if (!isDict(value)) return [];
  if (value.type === 'mrkdwn') return [mrkdwnTree(world, String(value.text ?? ''))];
  if (value.type === 'rich_text') return [richTextTree(world, listOf(value.elements))];
  return Object.values(value).flatMap((inner) => treesIn(world, inner));
}

const namesOf = (tree: TextTree): Named[] =>
  tree.flatMap((node) => {
    if (node.kind === 'mention') return node.names ?? [];
    if ('items' in node) return node.items.flatMap(namesOf);
    return 'children' in node ? namesOf(node.children) : [];
  });

/** Slack's phones show `text` alone, whatever the blocks hold. */
export function pushOf(world: World, message: StoredMessage, zone: string | undefined): Push {
  const channel = world.channels.get(message.channel);
  const author = world.users.get(message.user)?.realName ?? message.user;
  const now = world.clock();
  const words = plainOf(mrkdwnTree(world, message.text), ({ seconds, format, fallback }) =>
    dateText(seconds, format, { now, zone: zone ?? 'UTC', fallback }),
  );
  const text = words.replaceAll(/\s+/g, ' ').trim();
  const cut = [...text].length > PUSH_LENGTH ? `${[...text].slice(0, PUSH_LENGTH - 1).join('')}…` : text;
  return channel?.imUser === undefined
    ? { title: `#${channel?.name ?? message.channel}`, text: `${author}: ${cut}` }
    : { title: author, text: cut };
}

/** Every notice that reached the person, oldest first. */
export function pushesTo(world: World, user: string): (Push & { channel: string; ts: string })[] {
  const zone = world.users.get(user)?.zone;
  return world.messages.flatMap((message) => {
    const { channel, ts } = message;
    const isPinged = world.notices.get(ts)?.pinged.some((one) => one.user === user);
    return isPinged ? [{ channel, ts, ...pushOf(world, message, zone) }] : [];
  });
}
