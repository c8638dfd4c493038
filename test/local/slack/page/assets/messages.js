/** Draws messages of a channel or thread, and the field to write one. */
import { blockNodes } from './blocks.js';
import { h } from './dom.js';
import { act } from './net.js';
import { timeNode } from './reader.js';
import { treeNodes } from './tree.js';

/** @param context who looks, whom they can choose, and how to open a thread (`openThread`, absent inside one) */
export function messageNode(message, context) {
  const { user, directory, openThread } = context;
  const surface = {
    name: message.ts,
    readers: new Map(),
    directory,
    click: (what) => act({ act: 'click', user, channel: message.channel, ts: message.ts, ...what }),
  };
  const content = message.blocks
    ? blockNodes(surface, message.blocks)
    : [h('div', { class: 'text' }, ...treeNodes(message.tree))];
  return h(
    'div',
    { class: message.ephemeral ? 'message ephemeral' : 'message', 'data-ts': message.ts },
    h('span', { class: message.isApp ? 'face app' : 'face', 'aria-hidden': 'true' }, message.author.slice(0, 1)),
    h(
      'article',
      { 'aria-label': `Message from ${message.author}`, tabindex: '-1' },
      message.ephemeral && h('p', { class: 'private' }, 'Only visible to you'),
      message.thread && openThread && repliedTo(message.thread, openThread),
      h(
        'p',
        { class: 'byline' },
        h('strong', {}, message.author),
        message.isApp && h('span', { class: 'badge' }, 'APP'),
        timeNode(Number(message.ts), '{time}'),
        message.edited && h('span', { class: 'edited' }, '(edited)'),
      ),
      ...content,
      reactionNodes(message),
      message.ephemeral ? dismissNode(message, user) : openThread && threadNode(message, openThread),
    ),
    message.notice && noticeNode(message),
  );
}

/** A reply that the channel shows as well says to what it replies, and leads there. */
function repliedTo({ ts, quote }, openThread) {
  const link = h(
    'button',
    { type: 'button', class: 'plain link', onclick: () => openThread(ts) },
    quote || 'a message',
  );
  return h('p', { class: 'private' }, 'replied to a thread: ', link);
}

/** Open previews, which stay open when their message is drawn anew. */
const previewed = new Set();

/** Not Slack's: whom the message notified when it was posted, and, opened, what their phones show. */
function noticeNode({ ts, isApp, notice: { pinged, push } }) {
  if (!isApp && pinged.length === 0) return undefined;
  const names = pinged.map(({ name, why }) => (why === 'thread' ? `@${name} (follows the thread)` : `@${name}`));
  const summary = h('summary', {}, names.length === 0 ? 'would ping nobody' : `would ping ${names.join(', ')}`);
  const node = h('details', { class: names.length === 0 ? 'notice quiet-notice' : 'notice' }, summary);
  const preview = h('div', { class: 'push' }, h('strong', {}, push.title), h('span', {}, push.text || '(no text)'));
  node.open = previewed.has(ts);
  if (node.open) node.append(preview);
  node.addEventListener('toggle', () => {
    if (node.open) previewed.add(ts);
    else previewed.delete(ts);
    if (node.open) node.append(preview);
    else preview.remove();
  });
  return node;
}

function reactionNodes(message) {
  if (message.reactions.length === 0) return undefined;
  const items = message.reactions.map(({ tree, count }) =>
    h('span', { class: 'reaction' }, ...treeNodes(tree), ` ${count}`),
  );
  return h('p', { class: 'reactions' }, ...items);
}

function dismissNode(message, user) {
  const dismiss = () => act({ act: 'dismiss', user, channel: message.channel, ts: message.ts });
  return h('button', { type: 'button', class: 'plain link', onclick: dismiss }, 'Dismiss message');
}

function threadNode(message, openThread) {
  const count = message.replies;
  const text = count === 0 ? 'Reply in thread' : count === 1 ? '1 reply' : `${count} replies`;
  const style = count === 0 ? 'plain link quiet' : 'plain link';
  const button = h('button', { type: 'button', class: style, onclick: () => openThread(message.ts) }, text);
  if (count === 0) return button;
  const last = timeNode(Number(message.lastReply), '{date_short_pretty} at {time}');
  return h('p', { class: 'thread-line' }, button, h('span', { class: 'private' }, 'Last reply ', last));
}

/** Enter sends, Shift+Enter begins a new line, what begins with a slash is a command. */
export function composer({ label, user, channel, threadTs, commands }) {
  const field = h('textarea', { rows: '1', 'aria-label': label, placeholder: label });
  const button = h('button', { type: 'submit', class: 'button primary', 'aria-label': 'Send message' }, 'Send');
  const form = h('form', { class: 'composer' }, field, button);
  const hint = commands.length > 0 && h('p', { class: 'hint' }, commands.map((one) => one.command).join(' · '));
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    const text = field.value.trim();
    if (text === '') return;
    field.value = '';
    const result = await act({ act: 'say', user, channel, text, ...(threadTs && { threadTs }) });
    // Not over what was typed meanwhile.
    if (!result.ok && field.value === '') field.value = text;
  });
  field.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter' || event.shiftKey) return;
    event.preventDefault();
    form.requestSubmit();
  });
  return h('div', { class: 'foot' }, form, hint);
}
