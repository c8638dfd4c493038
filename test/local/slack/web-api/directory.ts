/** Tells of users, user groups, bots and conversations, as the Web API does. */
import { SlackApiError } from '../errors.ts';
import type { Dict, SlackChannel, SlackUser, StoredMessage } from '../types.ts';
import { newId, type World } from '../world.ts';

export function userObject(world: World, user: SlackUser): Dict {
  const isBot = user.isBot ?? false;
  return {
    id: user.id,
    team_id: user.teamId ?? world.team.id,
    name: user.name,
    deleted: user.deleted ?? false,
    real_name: user.realName,
    tz: user.zone ?? 'Etc/UTC',
    tz_offset: offsetOf(user.zone ?? 'Etc/UTC', world.clock()),
    is_admin: false,
    is_owner: false,
    is_bot: isBot,
    is_app_user: false,
    is_restricted: user.guest !== undefined,
    is_ultra_restricted: user.guest === 'of one channel',
    is_stranger: user.teamId !== undefined && user.teamId !== world.team.id,
    updated: 0,
    profile: {
      real_name: user.realName,
      display_name: user.name,
      team: user.teamId ?? world.team.id,
      ...(user.id === world.app.botUserId && { api_app_id: world.app.id, bot_id: world.app.botId }),
    },
  };
}

/** Seconds east of UTC at that time. */
function offsetOf(zone: string, at: number): number {
  const there = new Date(at).toLocaleString('sv-SE', { timeZone: zone });
  return Math.round((Date.parse(`${there.replace(' ', 'T')}Z`) - at) / 60_000) * 60;
}

export function knownUser(world: World, id: string): SlackUser {
  const user = world.users.get(id);
  if (user === undefined) throw new SlackApiError('user_not_found');
  return user;
}

/** By id, `#name`, or a user's id, which means the direct messages with that person. */
export function findChannel(world: World, name: string): SlackChannel {
  const channel =
    world.channels.get(name) ??
    [...world.channels.values()].find((one) => one.imUser === undefined && `#${one.name}` === name) ??
    (world.users.has(name) ? openDirect(world, name) : undefined);
  if (channel === undefined) throw new SlackApiError('channel_not_found');
  return channel;
}

export function openDirect(world: World, userId: string): SlackChannel {
  const user = knownUser(world, userId);
  if (user.deleted === true) throw new SlackApiError('user_disabled');
  const known = [...world.channels.values()].find((channel) => channel.imUser === userId);
  if (known !== undefined) return known;
  const members = [userId, world.app.botUserId];
  const channel = { id: newId('D'), name: user.name, members, imUser: userId };
  world.channels.set(channel.id, channel);
  return channel;
}

export function channelObject(world: World, channel: SlackChannel): Dict {
  if (channel.imUser !== undefined) {
    return { id: channel.id, is_im: true, user: channel.imUser, is_archived: false, is_open: true };
  }
  return {
    id: channel.id,
    name: channel.name,
    name_normalized: channel.name,
    is_channel: channel.isPrivate !== true,
    is_group: channel.isPrivate === true,
    is_im: false,
    is_mpim: false,
    is_private: channel.isPrivate === true,
    is_archived: channel.isArchived === true,
    is_member: channel.members.includes(world.app.botUserId),
    num_members: channel.members.length,
    context_team_id: world.team.id,
  };
}

/** A message as the history and interactions carry it: no channel, no private notes of the local Slack. */
export function messageObject(world: World, message: StoredMessage): Dict {
  const { channel: _channel, ephemeralTo: _reader, answersTo: _card, reactions, blocks, ...rest } = message;
  const replies = world.messages.filter((one) => one.thread_ts === message.ts && one.ts !== message.ts);
  return {
    ...rest,
    ...(blocks.length > 0 && { blocks }),
    ...(reactions.length > 0 && { reactions: reactions.map((one) => ({ ...one, count: one.users.length })) }),
    ...(replies.length > 0 && {
      thread_ts: message.ts,
      reply_count: replies.length,
      latest_reply: replies.at(-1)?.ts,
    }),
  };
}
