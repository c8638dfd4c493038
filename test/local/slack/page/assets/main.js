/** The page: keeps where the person is in the address, looks again when told to, and draws what has changed. */
import { blockNodes } from './blocks.js';
import { showModal } from './dialogs.js';
import { h, reconcile } from './dom.js';
import { composer, messageNode } from './messages.js';
import { act, fetchSnapshot, onChanges, toast } from './net.js';

const at = (id) => document.getElementById(id);

function looking() {
  const query = new URLSearchParams(location.search);
  return Object.fromEntries(['user', 'channel', 'thread', 'home'].map((key) => [key, query.get(key) ?? undefined]));
}

/** Where the page goes is in its address, so that two windows can be two people. */
function go(changes) {
  const next = { ...looking(), ...changes };
  const query = new URLSearchParams(Object.entries(next).filter(([, value]) => value !== undefined));
  history.pushState(null, '', `/?${query}`);
  refresh();
}

let running = false;
let again = false;

/** One look at a time; news that comes meanwhile makes one more. */
async function refresh() {
  if (running) {
    again = true;
    return;
  }
  running = true;
  try {
    do {
      again = false;
      const where = looking();
      if (where.user === undefined) where.user = remembered();
      draw(await fetchSnapshot(where), where);
    } while (again);
  } catch (error) {
    toast(error.message);
  } finally {
    running = false;
  }
}

const remembered = () => sessionStorage.getItem('user') ?? '';

function draw(page, where) {
  if (!page.users.some((user) => user.id === page.me) && page.users.length > 0) {
    go({ user: page.users[0].id });
    return;
  }
  sessionStorage.setItem('user', page.me);
  document.title = `${page.channel ? `#${page.channel.name}` : page.app.name} · ${page.workspace}`;
  at('workspace').textContent = page.workspace;
  drawUsers(page);
  drawSide(page, where);
  const directory = { users: page.users, channels: page.channels.filter((channel) => !channel.direct) };
  const context = { user: page.me, directory };
  if (page.channel) drawChannel(page, context);
  else drawHome(page, context, where);
  drawThread(page, context);
  showModal(page.modal, page.me, directory);
}

function drawUsers(page) {
  const select = at('view-as');
  reconcile(
    select,
    page.users,
    (user) => user.id,
    (user) => {
      return h('option', { value: user.id }, user.deleted ? `${user.realName} (deactivated)` : user.realName);
    },
  );
  select.value = page.me;
}

function drawSide(page, where) {
  const item = (label, current, target) =>
    h(
      'li',
      {},
      h(
        'button',
        { type: 'button', class: 'plain', 'aria-current': current && 'page', onclick: () => go(target) },
        label,
      ),
    );
  const channelItem = (channel) =>
    item(`# ${channel.name}${channel.isPrivate ? ' (private)' : ''}`, channel.current, {
      channel: channel.id,
      thread: undefined,
      home: undefined,
    });
  const shown = page.channels.map((channel) => ({ ...channel, current: channel.id === page.channel?.id, me: page.me }));
  reconcile(
    at('channels'),
    shown.filter((one) => !one.direct),
    (one) => one.id,
    channelItem,
  );
  const direct = shown.find((channel) => channel.direct);
  const apps = [
    { key: 'home', label: `${page.app.name} · Home`, current: where.home !== undefined, target: { home: '1' } },
    ...(direct
      ? [
          {
            key: 'messages',
            label: `${page.app.name} · Messages`,
            current: direct.current,
            target: { channel: direct.id },
          },
        ]
      : []),
  ];
  reconcile(
    at('apps'),
    apps,
    (app) => app.key,
    (app) => item(app.label, app.current, { channel: undefined, thread: undefined, home: undefined, ...app.target }),
  );
}

/** The frame of a pane is made once per place; only the list inside it follows the news. */
function frame(pane, key, build) {
  if (pane.dataset.place === key) return pane;
  pane.dataset.place = key;
  pane.replaceChildren(...build());
  return pane;
}

function drawChannel(page, context) {
  const { channel, me } = page;
  const name = channel.direct ? channel.name : `#${channel.name}`;
  const place = JSON.stringify([me, channel]);
  const fresh = at('main').dataset.place !== place;
  const pane = frame(at('main'), place, () => [
    h('div', { class: 'pane-head' }, h('h1', {}, name), channel.archived && h('span', { class: 'badge' }, 'archived')),
    h('ol', { class: 'messages', role: 'log', 'aria-label': `Messages in ${name}` }),
    composer({ label: `Message ${name}`, user: me, channel: channel.id, commands: page.app.commands }),
  ]);
  drawMessages(pane, page.messages, { ...context, openThread: (ts) => go({ thread: ts }) }, fresh);
}

function drawThread(page, context) {
  const pane = at('thread');
  pane.hidden = page.thread === undefined;
  at('columns').classList.toggle('with-thread', page.thread !== undefined);
  if (page.thread === undefined) return;
  const threadTs = page.thread.ts;
  const close = h('button', { type: 'button', class: 'plain', 'aria-label': 'Close thread' }, '×');
  close.addEventListener('click', () => go({ thread: undefined }));
  frame(pane, JSON.stringify([page.me, page.channel.id, threadTs]), () => [
    h('div', { class: 'pane-head' }, h('h1', {}, 'Thread'), close),
    h('ol', { class: 'messages', role: 'log', 'aria-label': 'Messages in thread' }),
    composer({ label: 'Reply in thread', user: page.me, channel: page.channel.id, threadTs, commands: [] }),
  ]);
  drawMessages(pane, page.thread.messages, context, false);
}

/** New messages come into view, unless the person has scrolled up to read. */
function drawMessages(pane, messages, context, fresh) {
  const list = pane.querySelector('.messages');
  const atEnd = fresh || list.scrollHeight - list.scrollTop - list.clientHeight < 80;
  reconcile(
    list,
    messages,
    (message) => message.ts,
    (message) => messageNode(message, context),
  );
  if (atEnd) list.scrollTop = list.scrollHeight;
}

let homeOpenedFor;

function drawHome(page, context, where) {
  const pane = at('main');
  const home = page.home ?? null;
  const surface = {
    readers: new Map(),
    directory: context.directory,
    click: (what) => act({ act: 'click', user: page.me, viewId: home.id, ...what }),
  };
  const empty = h('p', { class: 'empty' }, `${page.app.name} has nothing to show here yet.`);
  frame(pane, JSON.stringify(['home', page.me, home?.hash]), () => [
    h('div', { class: 'pane-head' }, h('h1', {}, `${page.app.name} · Home`)),
    h('div', { class: 'home' }, ...(home === null ? [empty] : blockNodes(surface, home.blocks))),
  ]);
  if (where.home !== undefined && homeOpenedFor !== page.me) {
    homeOpenedFor = page.me;
    act({ act: 'open-home', user: page.me });
  }
}

// Side by side, the frame around the page says whose it is.
document.body.classList.toggle('framed', window.parent !== window);
at('view-as').addEventListener('change', (event) => {
  homeOpenedFor = undefined;
  go({ user: event.target.value, thread: undefined });
});
window.addEventListener('popstate', refresh);
onChanges(refresh);
refresh();
