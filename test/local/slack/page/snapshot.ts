/** Shows the page of one person at one moment as data, every text of it already a safe tree. */
import { pushOf } from '../notifications.ts';
import type { Dict, SlackChannel, StoredMessage, StoredView } from '../types.ts';
import { dictOf, isDict, listOf } from '../values.ts';
import type { World } from '../world.ts';
import { mrkdwnTree, plainTree } from './mrkdwn.ts';
import { richTextTree } from './rich-text.ts';
import { plainOf } from './tree.ts';

/** `zone`: of the browser. `window`: which of a person's windows it is; a modal is shown in the one that it was opened from. */
export type Looking = {
  user: string;
  channel?: string;
  thread?: string;
  home: boolean;
  zone?: string;
  window?: string;
};

export function snapshot(world: World, looking: Looking): Dict {
  const drawn = drawnOf(world);
  const mine = [...world.channels.values()].filter((channel) => channel.members.includes(looking.user));
  const channel = mine.find((one) => one.id === looking.channel) ?? (looking.home ? undefined : mine[0]);
  const home = world.homes.get(looking.user);
  const modal = world.views.get(world.stacks.get(looking.user)?.at(-1) ?? '');
  return {
    workspace: world.team.name,
    app: { name: world.app.name, commands: world.app.commands },
    me: looking.user,
    now: world.clock(),
    users: [...world.users.values()]
      .filter((user) => user.isBot !== true)
      .map(({ id, realName, name, deleted }) => ({ id, realName, name, deleted: deleted === true })),
    channels: mine.map((one) => ({ ...channelItem(world, one), ...newsOf(world, looking.user, one) })),
    ...(looking.home && { home: home === undefined ? null : viewItem(world, home) }),
    ...(channel !== undefined && {
      channel: channelItem(world, channel),
      messages: messagesIn(world, looking, channel).map((one) => messageItem(world, looking, one, drawn)),
      ...threadPart(world, looking, channel, drawn),
    }),
    ...(modal !== undefined && isShownIn(modal, looking) && { modal: viewItem(world, modal) }),
  };
}

/** A modal that no window opened, as where a test opened it, is shown in every one. */
const isShownIn = ({ window }: StoredView, looking: Looking): boolean =>
  window === undefined || window === looking.window;

function channelItem(world: World, channel: SlackChannel): Dict {
  const direct = channel.imUser !== undefined;
  return {
    id: channel.id,
    name: direct ? world.app.name : channel.name,
    direct,
    isPrivate: channel.isPrivate === true,
    archived: channel.isArchived === true,
  };
}

/** For the marks beside a channel: when it last had news, and when this person was pinged there. */
function newsOf(world: World, user: string, channel: SlackChannel): Dict {
  const there = world.messages.filter((one) => one.channel === channel.id);
  const pings = there.filter(({ ts }) => world.notices.get(ts)?.pinged.some((one) => one.user === user));
  return { latest: there.at(-1)?.ts, pings: pings.slice(-MAX_PINGS).map(({ ts }) => ts) };
}

/** The channel itself: no replies, but what only this person sees, in the order of time. */
function messagesIn(world: World, looking: Looking, channel: SlackChannel): StoredMessage[] {
  return seenBy(world, looking.user, channel).filter(
    (one) => one.thread_ts === undefined || one.thread_ts === one.ts || one.subtype === 'thread_broadcast',
  );
}

function threadPart(world: World, looking: Looking, channel: SlackChannel, drawn: Drawn): Dict {
  const root = world.messages.find((one) => one.channel === channel.id && one.ts === looking.thread);
  if (root === undefined) return {};
  const replies = seenBy(world, looking.user, channel).filter((one) => one.thread_ts === root.ts && one.ts !== root.ts);
  return {
    thread: { ts: root.ts, messages: [root, ...replies].map((one) => messageItem(world, looking, one, drawn)) },
  };
}

function seenBy(world: World, user: string, channel: SlackChannel): StoredMessage[] {
  return [...world.messages, ...world.ephemerals.filter((one) => one.ephemeralTo === user)]
    .filter((one) => one.channel === channel.id)
    .sort((one, other) => Number(one.ts) - Number(other.ts));
}

/** How much of the message that began a thread stands above a reply that the channel shows as well. */
const QUOTED_LENGTH = 120;
const MAX_PINGS = 99;

function messageItem(world: World, looking: Looking, message: StoredMessage, drawn: Drawn): Dict {
  const replies = world.messages.filter((one) => one.thread_ts === message.ts && one.ts !== message.ts);
  const notice = world.notices.get(message.ts);
  const root = message.subtype === 'thread_broadcast' ? rootOf(world, message) : undefined;
  return {
    ts: message.ts,
    channel: message.channel,
    author: nameOf(world, message.user),
    ...(root !== undefined && {
      thread: { ts: root.ts, quote: plainOf(mrkdwnTree(world, root.text)).slice(0, QUOTED_LENGTH) },
    }),
    ...(notice !== undefined && {
      notice: {
        pinged: notice.pinged.map((one) => ({ ...one, name: nameOf(world, one.user) })),
        push: pushOf(world, message, looking.zone),
      },
    }),
    ...(replies.length > 0 && { lastReply: replies.at(-1)?.ts }),
    isApp: message.bot_id !== undefined,
    ephemeral: message.ephemeralTo !== undefined,
    edited: message.edited !== undefined && message.ephemeralTo === undefined,
    replies: replies.length,
    broadcast: message.subtype === 'thread_broadcast',
    inThread: message.thread_ts !== undefined && message.thread_ts !== message.ts,
    reactions: message.reactions.map(({ name, users }) => ({
      tree: plainTree(`:${name}:`),
      count: users.length,
      name,
    })),
    ...(message.blocks.length > 0 ? { blocks: drawn(message.blocks) } : { tree: mrkdwnTree(world, message.text) }),
  };
}

const nameOf = (world: World, user: string): string => world.users.get(user)?.realName ?? user;

const rootOf = (world: World, { channel, thread_ts }: StoredMessage): StoredMessage | undefined =>
  world.messages.find((one) => one.channel === channel && one.ts === thread_ts);

function viewItem(world: World, view: StoredView): Dict {
  const { title, submit, close, blocks } = dictOf(withTrees(world, view.content));
  return {
    id: view.id,
    hash: view.hash,
    title,
    submit,
    close,
    stacked: view.previousId !== null,
    blocks: listOf(blocks),
  };
}

type Drawn = (blocks: Dict[]) => Dict[];

const known = new WeakMap<World, { readonly names: string; readonly drawn: Drawn }>();

/**
 * Blocks with their trees. A message's blocks are replaced and never changed, so that each is read once for the names that people, channels and
 * groups have: every window asks for all messages of its channel after each change.
 */
function drawnOf(world: World): Drawn {
  const names = JSON.stringify([world.users, world.channels, world.userGroups].map((all) => [...all.values()]));
  const before = known.get(world);
  if (before?.names === names) return before.drawn;
  const trees = new WeakMap<Dict[], Dict[]>();
  const drawn: Drawn = (blocks) => {
    const made = trees.get(blocks) ?? blocks.map((block) => dictOf(withTrees(world, block)));
    trees.set(blocks, made);
    return made;
  };
  known.set(world, { names, drawn });
  return drawn;
}

/** A copy in which every text object, rich text and markdown block carries its tree. */
function withTrees(world: World, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => withTrees(world, item));
  if (!isDict(value)) return value;
  const text = String(value.text ?? '');
  if (value.type === 'rich_text') return { ...value, elements: [], tree: richTextTree(world, listOf(value.elements)) };
  if (value.type === 'mrkdwn')
    return { ...value, tree: mrkdwnTree(world, text, { verbatim: value.verbatim === true }) };
  if (value.type === 'plain_text') return { ...value, tree: plainTree(text, value.emoji !== false) };
  if (value.type === 'markdown' || value.type === 'raw_text' || value.type === 'raw_number') {
    return { ...value, tree: [{ kind: 'text', text }] };
  }
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, withTrees(world, inner)]));
}
