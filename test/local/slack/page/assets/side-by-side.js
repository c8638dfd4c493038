/** Shows several people in one window: each column is the whole page as one of them sees it. */
import { h, reconcile } from './dom.js';
import { fetchSnapshot, onChanges, toast } from './net.js';
import { offerThemes } from './theme.js';

const FIRST_SHOWN = 3;
const at = (id) => document.getElementById(id);
const query = () => new URLSearchParams(location.search);

/** Reads the shown people from the address: `?users=U1,U2`, and `&channel=…` or `&home=1` for where each column begins. */
function shownOf(users) {
  const asked = query().get('users')?.split(',');
  const known = users.filter((user) => !user.deleted);
  return asked === undefined ? known.slice(0, FIRST_SHOWN) : known.filter((user) => asked.includes(user.id));
}

function show(ids) {
  const next = query();
  next.set('users', ids.join(','));
  history.replaceState(null, '', `?${next}`);
  refresh();
}

async function refresh() {
  try {
    draw(await fetchSnapshot({ user: '' }));
  } catch (error) {
    toast(error.message);
  }
}

function draw({ workspace, users }) {
  at('workspace').textContent = workspace;
  const shown = shownOf(users);
  const ids = shown.map((user) => user.id);
  const choices = users.filter((user) => !user.deleted).map((user) => ({ ...user, shown: ids.includes(user.id) }));
  reconcile(
    at('people').querySelector('div') ?? at('people').appendChild(h('div')),
    choices,
    (user) => user.id,
    choice,
  );
  reconcile(
    at('columns'),
    shown.map(({ id, realName }) => ({ id, realName })),
    (user) => user.id,
    column,
  );
}

function choice(user) {
  const box = h('input', { type: 'checkbox', value: user.id, checked: user.shown });
  box.addEventListener('change', () => show([...at('people').querySelectorAll(':checked')].map(({ value }) => value)));
  return h('label', {}, box, user.realName);
}

function column({ id, realName }) {
  const where = query();
  where.delete('users');
  where.set('user', id);
  return h(
    'section',
    { class: 'column', 'aria-label': realName },
    h('h2', {}, h('span', { class: 'face', 'aria-hidden': 'true' }, realName.slice(0, 1)), realName),
    h('iframe', { title: `Slack of ${realName}`, src: `/?${where}` }),
  );
}

offerThemes(at('theme'));
onChanges(() => {
  refresh();
  for (const frame of document.querySelectorAll('iframe')) frame.contentWindow.postMessage('change', location.origin);
});
refresh();
