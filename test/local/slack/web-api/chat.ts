/** Answers chat.*: posting, changing and deleting messages and ephemerals. */
import { checkBlocks } from '../block-kit/check.ts';
import { escapeLooseAmpersands, fillBlocks } from '../block-kit/find.ts';
import { LIMITS } from '../block-kit/limits.ts';
import { invalid, SlackApiError } from '../errors.ts';
import { sendEvent } from '../interactions/events.ts';
import { notify } from '../notifications.ts';
import type { Dict, SlackChannel, StoredMessage } from '../types.ts';
import { isDict, listOf, textOf } from '../values.ts';
import { changed, nextTs, type World } from '../world.ts';
import { flag, optionalText, requiredText, structured } from './args.ts';
import { findChannel, knownUser, messageObject } from './directory.ts';

export function postMessage(world: World, args: Dict): Dict {
  const channel = writableChannel(world, args);
  const message = draft(world, args, channel, readContent(args, LIMITS.messageText));
  world.messages.push(message);
  notify(world, message);
  changed(world);
  // The app hears its own direct messages, too.
  if (channel.imUser !== undefined) {
    const event = { ...messageObject(world, message), channel: channel.id, event_ts: message.ts, channel_type: 'im' };
    void sendEvent(world, event);
  }
  return { channel: channel.id, ts: message.ts, message: messageObject(world, message) };
}

export function postEphemeral(world: World, args: Dict): Dict {
  const channel = writableChannel(world, args);
  const user = knownUser(world, requiredText(args, 'user'));
  if (!channel.members.includes(user.id)) throw new SlackApiError('user_not_in_channel');
  const message: StoredMessage = {
    ...draft(world, args, channel, readContent(args, LIMITS.messageText)),
    ephemeralTo: user.id,
  };
  world.ephemerals.push(message);
  changed(world);
  return { message_ts: message.ts };
}

export function update(world: World, args: Dict): Dict {
  const { channel, message } = ownMessage(world, args, 'cant_update_message');
  applyContent(world, message, readContent(args, LIMITS.updateText));
  message.edited = { user: world.app.botUserId, ts: nextTs(world) };
  changed(world);
  return { channel: channel.id, ts: message.ts, text: message.text, message: messageObject(world, message) };
}

export function remove(world: World, args: Dict): Dict {
  const { channel, message } = ownMessage(world, args, 'cant_delete_message');
  world.messages = world.messages.filter((one) => one !== message);
  changed(world);
  return { channel: channel.id, ts: message.ts };
}

export function getPermalink(world: World, args: Dict): Dict {
  const channel = findChannel(world, requiredText(args, 'channel'));
  const message = findMessage(world, channel.id, requiredText(args, 'message_ts'));
  const thread = message.thread_ts === undefined ? '' : `?thread_ts=${message.thread_ts}&cid=${channel.id}`;
  const permalink = `${world.url}/archives/${channel.id}/p${message.ts.replace('.', '')}${thread}`;
  return { channel: channel.id, permalink };
}

export function addReaction(world: World, args: Dict): Dict {
  const channel = findChannel(world, requiredText(args, 'channel'));
  const message = findMessage(world, channel.id, requiredText(args, 'timestamp'));
  const name = requiredText(args, 'name');
  const known = message.reactions.find((reaction) => reaction.name === name);
  if (known?.users.includes(world.app.botUserId)) throw new SlackApiError('already_reacted');
  if (known === undefined) message.reactions.push({ name, users: [world.app.botUserId] });
  else known.users.push(world.app.botUserId);
  changed(world);
  return {};
}

export function findMessage(world: World, channel: string, ts: string): StoredMessage {
  const message = world.messages.find((one) => one.channel === channel && one.ts === ts);
  if (message === undefined) throw new SlackApiError('message_not_found');
  return message;
}

type Content = { text?: string; blocks?: Dict[]; metadata?: Dict };

/** Text, blocks and metadata of a message, checked. Fields that the app did not send are left out. */
export function readContent(args: Dict, maxText: number, maxBlocks: number = LIMITS.messageBlocksLength): Content {
  if (optionalText(args, 'attachments') !== undefined) {
    throw invalid('invalid_attachments', ['the local Slack does not play attachments']);
  }
  const text = optionalText(args, 'text');
  if (text !== undefined && text.length > maxText) throw new SlackApiError('msg_too_long');
  const sent = structured(args, 'blocks', 'invalid_blocks_format');
  if (sent !== undefined && !Array.isArray(sent)) throw new SlackApiError('invalid_blocks_format');
  const problems = sent === undefined ? [] : checkBlocks(sent, 'message', '/blocks');
  if (problems.length > 0) throw invalid('invalid_blocks', problems);
  if (JSON.stringify(sent ?? []).length > maxBlocks) throw new SlackApiError('msg_blocks_too_long');
  const metadata = structured(args, 'metadata', 'invalid_metadata_format');
  if (metadata !== undefined && !wellFormedMetadata(metadata)) throw new SlackApiError('invalid_metadata_schema');
  if (text === undefined && (sent === undefined || sent.length === 0)) throw new SlackApiError('no_text');
  return {
    ...(text !== undefined && { text: escapeLooseAmpersands(text) }),
    ...(sent !== undefined && { blocks: fillBlocks(listOf(sent)) }),
    ...(isDict(metadata) && { metadata }),
  };
}

const wellFormedMetadata = (value: unknown): boolean =>
  isDict(value) &&
  (Object.keys(value).length === 0 || (typeof value.event_type === 'string' && isDict(value.event_payload)));

export function applyContent(world: World, message: StoredMessage, content: Content): void {
  world.pastBlocks.set(message.ts, [message.blocks, ...(world.pastBlocks.get(message.ts) ?? [])]);
  message.text = content.text ?? message.text;
  message.blocks = content.blocks ?? message.blocks;
  if (content.metadata === undefined) return;
  if (Object.keys(content.metadata).length === 0) delete message.metadata;
  else message.metadata = content.metadata;
}

/** A message of the app, not yet shown anywhere. */
export function draft(world: World, args: Dict, channel: SlackChannel, content: Content): StoredMessage {
  const thread = optionalText(args, 'thread_ts');
  if (thread !== undefined && !world.messages.some((one) => one.channel === channel.id && one.ts === thread)) {
    throw new SlackApiError('thread_not_found');
  }
  return {
    type: 'message',
    channel: channel.id,
    ts: nextTs(world),
    user: world.app.botUserId,
    bot_id: world.app.botId,
    app_id: world.app.id,
    team: world.team.id,
    text: content.text ?? '',
    blocks: content.blocks ?? [],
    reactions: [],
    ...(content.metadata !== undefined && { metadata: content.metadata }),
    ...(thread !== undefined && { thread_ts: thread }),
    ...(thread !== undefined && flag(args, 'reply_broadcast') && { subtype: 'thread_broadcast' as const }),
  };
}

function writableChannel(world: World, args: Dict): SlackChannel {
  const channel = findChannel(world, requiredText(args, 'channel'));
  if (channel.isArchived === true) throw new SlackApiError('is_archived');
  if (!channel.members.includes(world.app.botUserId)) {
    throw new SlackApiError(channel.isPrivate === true ? 'channel_not_found' : 'not_in_channel');
  }
  return channel;
}

function ownMessage(world: World, args: Dict, refusal: string): { channel: SlackChannel; message: StoredMessage } {
  const channel = findChannel(world, requiredText(args, 'channel'));
  const message = findMessage(world, channel.id, textOf(args.ts) ?? requiredText(args, 'ts'));
  if (message.bot_id !== world.app.botId) throw new SlackApiError(refusal);
  return { channel, message };
}
