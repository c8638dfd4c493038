/** Messages of a channel or thread, and the field to write one. */
import { blockNodes } from './blocks.js';
import { h } from './dom.js';
import { act } from './net.js';
import { treeNodes } from './tree.js';

/** @param context who looks, whom they can choose, and how to open a thread (`openThread`, absent inside one) */
export function messageNode(message, context) {
  const { user, directory, openThread } = context;
  const surface = {
    readers: new Map(),
    directory,
    click: (what) => act({ act: 'click', user, channel: message.channel, ts: message.ts, ...what }),
  };
  const content = message.blocks
    ? blockNodes(surface, message.blocks)
    : [h('div', { class: 'text' }, ...treeNodes(message.tree))];
  return h(
    'li',
    { class: message.ephemeral ? 'message ephemeral' : 'message', 'data-ts': message.ts },
    h('span', { class: message.isApp ? 'face app' : 'face', 'aria-hidden': 'true' }, message.author.slice(0, 1)),
    h(
      'article',
      { 'aria-label': `Message from ${message.author}` },
      message.ephemeral && h('p', { class: 'private' }, 'Only visible to you'),
      message.broadcast && openThread && h('p', { class: 'private' }, 'Replied to a thread'),
      h(
        'p',
        { class: 'byline' },
        h('strong', {}, message.author),
        message.isApp && h('span', { class: 'badge' }, 'APP'),
        timeNode(message.ts),
        message.edited && h('span', { class: 'edited' }, '(edited)'),
      ),
      ...content,
      reactionNodes(message),
      message.ephemeral ? dismissNode(message, user) : openThread && threadNode(message, openThread),
    ),
  );
}

function timeNode(ts) {
  const date = new Date(Number(ts) * 1_000);
  const short = date.toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit' });
  return h('time', { datetime: date.toISOString(), title: date.toLocaleString('en-GB') }, short);
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
  return h('button', { type: 'button', class: style, onclick: () => openThread(message.ts) }, text);
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
