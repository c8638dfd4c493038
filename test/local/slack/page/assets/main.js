/** Runs the page: holds its state in the address, looks again when told to, and draws changes. */
import { blockNodes } from './blocks.js';
import { showModal } from './dialogs.js';
import { h, keepingFocus, reconcile } from './dom.js';
import { composer, messageNode } from './messages.js';
import { act, fetchSnapshot, onChanges, toast } from './net.js';
import { setReader } from './reader.js';
import { offerThemes } from './theme.js';

const at = (id) => document.getElementById(id);

function looking() {
  const query = new URLSearchParams(location.search);
  return Object.fromEntries(
    ['user', 'channel', 'thread', 'home', 'at'].map((key) => [key, query.get(key) ?? undefined]),
  );
}

/** Where the page goes is in its address, so that two windows can be two people. */
function go(changes) {
  const next = { ...looking(), at: undefined, ...changes };
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
      const page = await fetchSnapshot(where);
      keepingFocus(() => draw(page, where));
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
  setReader(page.me, page.now);
  document.title = `${page.channel ? `#${page.channel.name}` : page.app.name} · ${page.workspace}`;
  at('workspace').textContent = page.workspace;
  drawUsers(page);
  drawSide(page);
  const directory = { users: page.users, channels: page.channels.filter((channel) => !channel.direct) };
  const context = { user: page.me, directory };
  if (page.channel) drawChannel(page, context);
  else drawHome(page, context, where);
  drawThread(page, context);
  bringIntoView(where.at);
  showModal(page.modal, page.me, directory);
}

let broughtIntoView;

/** The message that a link led to, once. */
function bringIntoView(ts) {
  const message = ts === undefined ? null : document.querySelector(`[data-ts="${CSS.escape(ts)}"]`);
  if (message === null || broughtIntoView === location.href) return;
  broughtIntoView = location.href;
  message.scrollIntoView({ block: 'center' });
  message.classList.add('linked');
  message.querySelector('article').focus({ preventScroll: true });
}

/** A link to a message of this Slack leads there, everything else into a new window. */
function follow(url) {
  const { host, pathname, searchParams } = new URL(url, location.href);
  const [, channel, seconds, micros] = /^\/archives\/([A-Z0-9]+)\/p(\d+)(\d{6})$/.exec(pathname) ?? [];
  if (host !== location.host || channel === undefined) {
    window.open(url, '_blank', 'noopener');
    return;
  }
  go({ channel, at: `${seconds}.${micros}`, thread: searchParams.get('thread_ts') ?? undefined, home: undefined });
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

function drawSide(page) {
  const item = (label, { current, isNew, count }, target) =>
    h(
      'li',
      {},
      h(
        'button',
        {
          type: 'button',
          class: isNew ? 'plain new' : 'plain',
          'aria-current': current && 'page',
          onclick: () => go(target),
        },
        label,
        count > 0 && h('span', { class: 'count', 'aria-label': `${count} unread` }, String(count)),
      ),
    );
  const channelItem = (channel) =>
    item(`# ${channel.name}${channel.isPrivate ? ' (private)' : ''}`, channel, {
      channel: channel.id,
      thread: undefined,
      home: undefined,
    });
  const shown = page.channels.map((channel) => {
    const { latest, pings, ...rest } = channel;
    const current = channel.id === page.channel?.id;
    const seen = current ? sawUpTo(page.me, channel.id, latest) : seenUpTo(page.me, channel.id);
    const count = pings.filter((ts) => Number(ts) > seen).length;
    return { ...rest, current, isNew: Number(latest ?? 0) > seen, count, me: page.me };
  });
  reconcile(
    at('channels'),
    shown.filter((one) => !one.direct),
    (one) => one.id,
    channelItem,
  );
  const direct = shown.find((channel) => channel.direct);
  const apps = [
    { key: 'home', label: `${page.app.name} · Home`, current: page.channel === undefined, target: { home: '1' } },
    ...(direct
      ? [
          {
            key: 'messages',
            label: `${page.app.name} · Messages`,
            current: direct.current,
            isNew: direct.isNew,
            count: direct.count,
            target: { channel: direct.id },
          },
        ]
      : []),
  ];
  reconcile(
    at('apps'),
    apps,
    (app) => app.key,
    (app) => item(app.label, app, { channel: undefined, thread: undefined, home: undefined, ...app.target }),
  );
}

/** Time stamp of the last message of a channel that this person has seen in this browser. */
const seenUpTo = (user, channel) => Number(localStorage.getItem(`seen ${user} ${channel}`) ?? 0);

function sawUpTo(user, channel, ts) {
  if (ts !== undefined) localStorage.setItem(`seen ${user} ${channel}`, ts);
  return Number(ts ?? 0);
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
    h('div', { class: 'messages', role: 'log', 'aria-label': `Messages in ${name}` }),
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
    h('div', { class: 'messages', role: 'log', 'aria-label': 'Messages in thread' }),
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
    name: home?.id,
    readers: new Map(),
    directory: context.directory,
    click: (what) => act({ act: 'click', user: page.me, viewId: home.id, ...what }),
  };
  const scrolled = pane.querySelector('.home')?.scrollTop ?? 0;
  const empty = h('p', { class: 'empty' }, `${page.app.name} has nothing to show here yet.`);
  frame(pane, JSON.stringify(['home', page.me, home?.hash]), () => [
    h('div', { class: 'pane-head' }, h('h1', {}, `${page.app.name} · Home`)),
    h('div', { class: 'home' }, ...(home === null ? [empty] : blockNodes(surface, home.blocks))),
  ]);
  pane.querySelector('.home').scrollTop = scrolled;
  if (where.home !== undefined && homeOpenedFor !== page.me) {
    homeOpenedFor = page.me;
    act({ act: 'open-home', user: page.me });
  }
}

document.addEventListener('follow', ({ detail }) => follow(detail));
document.addEventListener('click', (event) => {
  const link = event.target.closest?.('a[href*="/archives/"]');
  if (!link || new URL(link.href).host !== location.host) return;
  event.preventDefault();
  follow(link.href);
});
// Side by side, the frame around the page says whose it is.
document.body.classList.toggle('framed', window.parent !== window);
at('view-as').addEventListener('change', (event) => {
  homeOpenedFor = undefined;
  go({ user: event.target.value, thread: undefined });
});
offerThemes(at('theme'));
window.addEventListener('popstate', refresh);
onChanges(refresh);
refresh();
