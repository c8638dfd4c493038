/** Draws interactive elements: buttons, menus, choices and text fields, each knowing what it holds. */
import { confirmed } from './confirm.js';
import { h, newId } from './dom.js';
import { multiMenu, overflowMenu } from './popups.js';
import { plainOf, treeNodes } from './tree.js';

/**
 * @typedef {object} Surface where elements stand
 * @property {(act: object) => Promise<unknown>} click sends a click of this surface
 * @property {Map<string, () => unknown>} readers what each input holds, by block and action
 * @property {{ users: object[], channels: object[] }} directory who and what can be chosen
 */

/** An element and how to read it; `dispatch` sends each change at once, as outside of forms. */
export function control(surface, block, element, { dispatch, label, describedBy, id } = {}) {
  if (element.type === 'button') return button(surface, block, element);
  if (element.type === 'overflow') return overflow(surface, block, element);
  const onChange = dispatch ? () => send(surface, block, element, read()) : undefined;
  // Outside of a form no label names it.
  const name = label ?? (id === undefined ? plainOf(element.placeholder) || UNNAMED[element.type] : undefined);
  const named = { id, 'aria-describedby': describedBy, ...(name !== undefined && { 'aria-label': name }) };
  const { node, read } = build(surface, element, named, onChange);
  surface.readers.set(keyOf(block, element), read);
  mark(node.matches('button, input, select, textarea') ? node : node.querySelector('button, input'), block, element);
  return node;
}

/** Slack's own words where an app gives none. */
const UNNAMED = {
  datepicker: 'Choose a date',
  datetimepicker: 'Choose a date and a time',
  timepicker: 'Choose a time',
};

/** So that the focus finds its way back when the surface is drawn anew. */
function mark(node, block, element) {
  if (node === null) return;
  node.dataset.focus = keyOf(block, element);
  node.dataset.action = element.action_id ?? '';
}

const keyOf = (block, element) => JSON.stringify([block.block_id, element.action_id]);

/** Everything filled in on a surface, by block and action. */
export function valuesOf(surface) {
  const values = {};
  for (const [key, read] of surface.readers) {
    const [blockId, actionId] = JSON.parse(key);
    values[blockId] = { ...values[blockId], [actionId]: read() };
  }
  return values;
}

async function send(surface, block, element, value) {
  if (element.confirm !== undefined && !(await confirmed(element.confirm))) return undefined;
  const values = valuesOf(surface);
  return surface.click({
    blockId: block.block_id,
    actionId: element.action_id,
    values,
    ...(element.value !== undefined && { shown: element.value }),
    ...(value !== undefined && { value }),
  });
}

function button(surface, block, element) {
  const style = element.style === undefined ? 'button' : `button ${element.style}`;
  const node = h(
    'button',
    {
      type: 'button',
      class: style,
      'aria-label': element.accessibility_label,
      // Tells beforehand that it asks once more.
      ...(element.confirm !== undefined && { 'aria-haspopup': 'dialog' }),
    },
    ...treeNodes(element.text.tree),
  );
  mark(node, block, element);
  node.addEventListener('click', async () => {
    if (node.getAttribute('aria-disabled') === 'true') return;
    if (element.url !== undefined) follow(element.url);
    await whileDisabled(node, () => send(surface, block, element));
  });
  return node;
}

/** Not `disabled`, which would take the focus away; whoever waits until they may press again, a test as well, can tell. */
async function whileDisabled(node, work) {
  node.setAttribute('aria-disabled', 'true');
  await work();
  node.removeAttribute('aria-disabled');
}

/** The page shows its own messages itself. */
const follow = (url) => document.dispatchEvent(new CustomEvent('follow', { detail: url }));

function overflow(surface, block, element) {
  const options = element.options.map((option) => ({
    ...option,
    label: plainOf(option.text),
    description: plainOf(option.description),
  }));
  const { node, button } = overflowMenu(options, {}, element.accessibility_label ?? 'More actions', (option, dots) => {
    if (option.url !== undefined) follow(option.url);
    void whileDisabled(dots, () => send(surface, block, element, option.value));
  });
  mark(button, block, element);
  return node;
}

function build(surface, element, named, onChange) {
  switch (element.type) {
    case 'plain_text_input':
    case 'number_input':
    case 'email_text_input':
    case 'url_text_input':
      return textField(element, named, onChange);
    case 'datepicker':
      return field(h('input', { ...named, type: 'date', value: element.initial_date }), onChange);
    case 'datetimepicker':
      return timeField(element, named, onChange);
    case 'timepicker':
      return field(h('input', { ...named, type: 'time', value: element.initial_time }), onChange);
    case 'radio_buttons':
      return choices('radio', element.options, [element.initial_option], named, onChange);
    case 'checkboxes':
      return choices('checkbox', element.options, element.initial_options ?? [], named, onChange);
    case 'multi_static_select':
      return several(element, optionsOf(element), element.initial_options ?? [], named, onChange);
    case 'multi_users_select': {
      const people = surface.directory.users.map(personOption);
      const first = people.filter((person) => element.initial_users?.includes(person.value));
      return several(element, people, first, named, onChange);
    }
    case 'users_select':
      return menu(element, surface.directory.users.map(personOption), element.initial_user, named, onChange);
    case 'channels_select':
    case 'conversations_select': {
      const channels = surface.directory.channels.map((one) => ({ value: one.id, text: textObject(`#${one.name}`) }));
      return menu(element, channels, element.initial_channel ?? element.initial_conversation, named, onChange);
    }
    default:
      return menu(element, optionsOf(element), element.initial_option?.value, named, onChange);
  }
}

const textObject = (text) => ({ tree: [{ kind: 'text', text }] });
const personOption = (user) => ({ value: user.id, text: textObject(user.realName) });
const optionsOf = (element) => element.options ?? element.option_groups.flatMap((group) => group.options);

function field(node, onChange) {
  if (onChange !== undefined) node.addEventListener('change', onChange);
  return { node, read: () => (node.value === '' ? null : node.value) };
}

/** Filled in on the clock of whoever reads; sent, as Slack does, in seconds since 1970. */
function timeField(element, named, onChange) {
  const local = (seconds) => {
    const at = new Date(seconds * 1_000);
    return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
  };
  const value = element.initial_date_time === undefined ? undefined : local(element.initial_date_time);
  const { node } = field(h('input', { ...named, type: 'datetime-local', value }), onChange);
  return { node, read: () => (node.value === '' ? null : String(Math.floor(Date.parse(node.value) / 1_000))) };
}

function textField(element, named, onChange) {
  const common = {
    ...named,
    placeholder: plainOf(element.placeholder) || undefined,
    autofocus: element.focus_on_load === true,
  };
  const node =
    element.multiline === true
      ? h('textarea', { ...common, rows: '5' })
      : h('input', { ...common, type: 'text', autocomplete: 'off' });
  node.value = element.initial_value ?? '';
  if (onChange !== undefined) {
    node.addEventListener('keydown', (event) => {
      if (event.key === 'Enter' && !event.shiftKey) onChange();
    });
  }
  return { node, read: () => (node.value === '' ? null : node.value) };
}

function menu(element, options, initial, named, onChange) {
  const hint = plainOf(element.placeholder) || 'Choose…';
  const label = named.id === undefined && named['aria-label'] === undefined ? { 'aria-label': hint } : {};
  const items = options.map((option) =>
    h('option', { value: option.value, selected: option.value === initial }, plainOf(option.text)),
  );
  const node = h('select', { ...named, ...label }, h('option', { value: '' }, hint), ...items);
  return field(node, onChange);
}

/** A menu of several is closed, as in Slack: what can be chosen is seen only once it is open. */
function several(element, options, initial, named, onChange) {
  const { node, read } = choices('checkbox', options, initial, {}, onChange);
  const hint = plainOf(element.placeholder) || 'Choose…';
  const names = () => options.filter(({ value }) => read().includes(value)).map(({ text }) => plainOf(text));
  return { node: multiMenu(node, named, hint, names), read };
}

/** Radio buttons and check boxes. */
function choices(type, options, initial, named, onChange) {
  const name = newId('choice');
  const chosen = initial.filter((option) => option !== undefined).map((option) => option.value);
  const inputs = options.map((option) =>
    h('input', { type, name, value: option.value, checked: chosen.includes(option.value) }),
  );
  const rows = options.map((option, index) =>
    h(
      'label',
      { class: 'choice' },
      inputs[index],
      h('span', {}, ...treeNodes(option.text.tree)),
      option.description !== undefined && h('small', {}, ...treeNodes(option.description.tree)),
    ),
  );
  const node = h('div', { ...named, class: 'choices', role: type === 'radio' ? 'radiogroup' : 'group' }, ...rows);
  if (onChange !== undefined) node.addEventListener('change', onChange);
  const read = () => {
    const values = inputs.filter((input) => input.checked).map((input) => input.value);
    return type === 'radio' ? (values[0] ?? null) : values;
  };
  return { node, read };
}
