/** Talks with the server: what to show, what people do, and the messages that tell them how it went. */
import { h } from './dom.js';

/** Names this window, also after it was loaded anew. Pages side by side share one storage, so that each goes by its person. */
function windowName() {
  const key = window.parent === window ? 'window' : `window ${new URLSearchParams(location.search).get('user')}`;
  const name = sessionStorage.getItem(key) ?? crypto.randomUUID();
  sessionStorage.setItem(key, name);
  return name;
}

const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;

export async function fetchSnapshot(looking) {
  const shown = { ...looking, zone, window: windowName() };
  const query = new URLSearchParams(Object.entries(shown).filter(([, value]) => value !== undefined));
  const response = await fetch(`/page/snapshot?${query}`);
  if (!response.ok) throw new Error(`the local Slack answered ${response.status}`);
  return response.json();
}

/** Gives what the person sees; a warning is shown as a toast as well. */
export async function act(what) {
  let result;
  try {
    const response = await fetch('/page/act', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ ...what, window: windowName() }),
    });
    result = response.ok
      ? await response.json()
      : { ok: false, warning: `The local Slack answered ${response.status}.` };
  } catch {
    result = { ok: false, warning: 'The local Slack cannot be reached.' };
  }
  if (result.warning !== undefined) toast(result.warning);
  return result;
}

export function toast(text) {
  const close = h('button', { type: 'button', class: 'plain', 'aria-label': 'Close this message' }, '×');
  const node = h('div', { class: 'toast', role: 'alert' }, h('span', {}, text), close);
  close.addEventListener('click', () => node.remove());
  // Nodes outside of an open dialog are out of reach, so the toast goes inside.
  const host = [...document.querySelectorAll('dialog[open]')].at(-1) ?? document.body;
  const list = host.querySelector(':scope > .toasts') ?? host.appendChild(h('div', { class: 'toasts' }));
  list.append(node);
  setTimeout(() => node.remove(), 10_000);
}

/**
 * Calls back whenever something has changed, and again after the connection was lost. Pages that stand side by side share the connection of
 * the page around them: a browser opens six to one server, and each of these would stay open.
 */
export function onChanges(callback) {
  if (window.parent !== window) {
    window.addEventListener(
      'message',
      ({ source, data }) => source === window.parent && data === 'change' && callback(),
    );
    return;
  }
  const source = new EventSource('/page/changes');
  source.addEventListener('message', callback);
  source.addEventListener('error', () => document.body.classList.add('offline'));
  source.addEventListener('open', () => document.body.classList.remove('offline'));
}
