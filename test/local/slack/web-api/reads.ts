/** Answers users.*, usergroups.*, conversations.*, bots.*: what an app may look up. */
import { SlackApiError } from '../errors.ts';
import type { Dict, SlackChannel, StoredMessage } from '../types.ts';
import { changed, type World } from '../world.ts';
import { flag, optionalText, paged, requiredText } from './args.ts';
import { findMessage } from './chat.ts';
import { channelObject, findChannel, knownUser, messageObject, openDirect, userObject } from './directory.ts';

export function usersInfo(world: World, args: Dict): Dict {
  return { user: userObject(world, knownUser(world, requiredText(args, 'user'))) };
}

export function usersList(world: World, args: Dict): Dict {
  const { page, next } = paged(args, [...world.users.values()]);
  return { members: page.map((user) => userObject(world, user)), response_metadata: { next_cursor: next } };
}

export function usersConversations(world: World, args: Dict): Dict {
  const user = knownUser(world, optionalText(args, 'user') ?? world.app.botUserId);
  return listChannels(world, args, (channel) => channel.members.includes(user.id));
}

export function conversationsList(world: World, args: Dict): Dict {
  return listChannels(world, args, () => true);
}

function listChannels(world: World, args: Dict, wanted: (channel: SlackChannel) => boolean): Dict {
  const types = (optionalText(args, 'types') ?? 'public_channel').split(',').map((type) => type.trim());
  const kind = (channel: SlackChannel) =>
    channel.imUser !== undefined ? 'im' : channel.isPrivate === true ? 'private_channel' : 'public_channel';
  const shown = [...world.channels.values()].filter(
    (channel) =>
      wanted(channel) &&
      types.includes(kind(channel)) &&
      visible(world, channel) &&
      !(flag(args, 'exclude_archived') && channel.isArchived === true),
  );
  const { page, next } = paged(args, shown);
  return { channels: page.map((channel) => channelObject(world, channel)), response_metadata: { next_cursor: next } };
}

/** A private channel does not exist for an app that is not in it. */
const visible = (world: World, channel: SlackChannel): boolean =>
  (channel.isPrivate !== true && channel.imUser === undefined) || channel.members.includes(world.app.botUserId);

export function conversationsInfo(world: World, args: Dict): Dict {
  return { channel: channelObject(world, readableChannel(world, args)) };
}

export function conversationsMembers(world: World, args: Dict): Dict {
  const { page, next } = paged(args, readableChannel(world, args).members);
  return { members: page, response_metadata: { next_cursor: next } };
}

export function conversationsOpen(world: World, args: Dict): Dict {
  const known = optionalText(args, 'channel');
  const channel = known === undefined ? openDirect(world, oneUser(args)) : findChannel(world, known);
  changed(world);
  return { channel: flag(args, 'return_im') ? channelObject(world, channel) : { id: channel.id } };
}

function oneUser(args: Dict): string {
  const users = requiredText(args, 'users').split(',');
  if (users.length !== 1 || users[0] === undefined) throw new SlackApiError('not_enough_users');
  return users[0];
}

export function conversationsHistory(world: World, args: Dict): Dict {
  const channel = readableChannel(world, args);
  requireMember(world, channel);
  const shown = world.messages.filter(
    (one) =>
      one.channel === channel.id &&
      (one.thread_ts === undefined || one.thread_ts === one.ts || one.subtype === 'thread_broadcast') &&
      between(args, one),
  );
  return history(world, args, shown.reverse());
}

export function conversationsReplies(world: World, args: Dict): Dict {
  const channel = readableChannel(world, args);
  requireMember(world, channel);
  const ts = requiredText(args, 'ts');
  const asked = world.messages.find((one) => one.channel === channel.id && one.ts === ts);
  if (asked === undefined) throw new SlackApiError('thread_not_found');
  const root = findMessage(world, channel.id, asked.thread_ts ?? ts);
  const replies = world.messages.filter(
    (one) => one.channel === channel.id && one.thread_ts === root.ts && one.ts !== root.ts && between(args, one),
  );
  return history(world, args, [root, ...replies]);
}

function history(world: World, args: Dict, messages: StoredMessage[]): Dict {
  const { page, next } = paged(args, messages);
  return {
    messages: page.map((message) => withMetadata(args, messageObject(world, message))),
    has_more: next !== '',
    response_metadata: { next_cursor: next },
  };
}

function withMetadata(args: Dict, message: Dict): Dict {
  if (!flag(args, 'include_all_metadata')) delete message.metadata;
  return message;
}

function between(args: Dict, message: StoredMessage): boolean {
  const [ts, oldest, latest] = [message.ts, args.oldest ?? 0, args.latest ?? Infinity].map(Number) as [
    number,
    number,
    number,
  ];
  return flag(args, 'inclusive') ? ts >= oldest && ts <= latest : ts > oldest && ts < latest;
}

function readableChannel(world: World, args: Dict): SlackChannel {
  const channel = findChannel(world, requiredText(args, 'channel'));
  if (!visible(world, channel)) throw new SlackApiError('channel_not_found');
  return channel;
}

function requireMember(world: World, channel: SlackChannel): void {
  if (!channel.members.includes(world.app.botUserId)) throw new SlackApiError('not_in_channel');
}

export function userGroupsList(world: World, args: Dict): Dict {
  const groups = [...world.userGroups.values()].filter(
    (group) => group.disabled !== true || flag(args, 'include_disabled'),
  );
  return {
    usergroups: groups.map((group) => ({
      id: group.id,
      team_id: world.team.id,
      is_usergroup: true,
      name: group.name ?? group.handle,
      handle: group.handle,
      date_delete: group.disabled === true ? 1 : 0,
      user_count: group.users.length,
      ...(flag(args, 'include_users') && { users: group.users }),
    })),
  };
}

export function userGroupsUsersList(world: World, args: Dict): Dict {
  const group = world.userGroups.get(requiredText(args, 'usergroup'));
  if (group === undefined) throw new SlackApiError('no_such_subteam');
  if (group.disabled === true && !flag(args, 'include_disabled')) throw new SlackApiError('subteam_disabled');
  return { users: [...group.users] };
}

export function botsInfo(world: World, args: Dict): Dict {
  const bot = optionalText(args, 'bot') ?? world.app.botId;
  if (bot !== world.app.botId) throw new SlackApiError('bot_not_found');
  return {
    bot: { id: bot, deleted: false, name: world.app.name, app_id: world.app.id, user_id: world.app.botUserId },
  };
}
