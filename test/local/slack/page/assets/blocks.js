/** Turns blocks of messages, forms and App Home into DOM nodes. */
import { control } from './controls.js';
import { h, newId } from './dom.js';
import { plainOf, treeNodes } from './tree.js';

/** Longer texts of a section are folded unless it says `expand`. Slack states no figure for its own "See more". */
const FOLDED_LENGTH = 700;
const FOLDED_LINES = 10;

/** Texts that were opened, by surface and block: they stay open when the surface is drawn anew. */
const opened = new Set();

/** @param surface see controls.js; `name` tells it from every other */
export function blockNodes(surface, blocks) {
  return blocks.map((block) => blockNode(surface, block));
}

function blockNode(surface, block) {
  switch (block.type) {
    case 'header':
      return h('h2', { class: 'block header' }, ...treeNodes(block.text.tree));
    case 'section':
      return section(surface, block);
    case 'divider':
      return h('hr', { class: 'block' });
    case 'context':
      return h('div', { class: 'block context' }, ...block.elements.map(contextItem));
    case 'actions': {
      const items = block.elements.map((element) => control(surface, block, element, { dispatch: true }));
      return h('div', { class: 'block actions' }, ...items);
    }
    case 'image':
      return h('figure', { class: 'block' }, block.title && h('figcaption', {}, plainOf(block.title)), picture(block));
    case 'input':
      return input(surface, block);
    case 'rich_text':
      return h('div', { class: 'block rich text' }, ...treeNodes(block.tree));
    case 'markdown':
      return h('div', { class: 'block text' }, ...treeNodes(block.tree));
    case 'table':
      return h('table', { class: 'block' }, h('tbody', {}, ...block.rows.map(tableRow)));
    default:
      return h('div', { class: 'block unknown' }, `[${block.type}]`);
  }
}

function section(surface, block) {
  const text = block.text && foldable(surface, block);
  const fields =
    block.fields &&
    h('div', { class: 'fields' }, ...block.fields.map((one) => h('div', { class: 'text' }, ...treeNodes(one.tree))));
  return h('div', { class: 'block section' }, h('div', { class: 'words' }, text, fields), accessory(surface, block));
}

function foldable(surface, block) {
  const text = h('div', { class: 'text' }, ...treeNodes(block.text.tree));
  const words = plainOf(block.text);
  const isLong = words.length > FOLDED_LENGTH || words.split('\n').length > FOLDED_LINES;
  if (block.expand === true || !isLong) return text;
  const key = JSON.stringify([surface.name, words]);
  const more = h('button', { type: 'button', class: 'plain link' });
  const show = () => {
    text.classList.toggle('folded', !opened.has(key));
    more.textContent = opened.has(key) ? 'See less' : 'See more';
    more.setAttribute('aria-expanded', String(opened.has(key)));
  };
  more.addEventListener('click', () => {
    if (!opened.delete(key)) opened.add(key);
    show();
  });
  show();
  return h('div', {}, text, more);
}

function accessory(surface, block) {
  const element = block.accessory;
  if (element === undefined) return undefined;
  if (element.type === 'image') return picture(element);
  return control(surface, block, element, { dispatch: true, label: plainOf(block.text) || undefined });
}

const contextItem = (item) =>
  item.type === 'image' ? picture(item) : h('span', { class: 'text' }, ...treeNodes(item.tree));

/** Pictures are not fetched; what they say in words is shown. */
const picture = (image) => h('span', { class: 'picture', role: 'img', 'aria-label': image.alt_text }, image.alt_text);

const tableRow = (row) => h('tr', {}, ...row.map((cell) => h('td', { class: 'text' }, ...treeNodes(cell.tree))));

const GROUPS = ['radio_buttons', 'checkboxes', 'multi_static_select', 'multi_users_select'];

function input(surface, block) {
  const ids = { field: newId('field'), label: newId('label'), hint: newId('hint'), error: newId('error') };
  const grouped = GROUPS.includes(block.element.type);
  const isMenu = block.element.type.startsWith('multi_');
  const node = control(surface, block, block.element, {
    dispatch: block.dispatch_action === true,
    id: ids.field,
    describedBy: `${ids.error} ${ids.hint}`,
  });
  if (isMenu) node.querySelector('.multi').setAttribute('aria-labelledby', `${ids.label} ${ids.field}`);
  if (grouped) (isMenu ? node.querySelector('.choices') : node).setAttribute('aria-labelledby', ids.label);
  const words = [...treeNodes(block.label.tree)];
  if (block.optional === true) words.push(h('span', { class: 'optional' }, ' (optional)'));
  const label = h(
    grouped ? 'div' : 'label',
    { class: 'label', id: ids.label, for: grouped ? undefined : ids.field },
    ...words,
  );
  const hint = block.hint && h('p', { class: 'hint', id: ids.hint }, ...treeNodes(block.hint.tree));
  const error = h('p', { class: 'field-error', id: ids.error, role: 'alert' });
  return h('div', { class: 'block input', 'data-block': block.block_id }, label, node, error, hint);
}

/** Shows each error at its field, clears the others, and puts the cursor into the first. */
export function showErrors(root, errors) {
  let first;
  for (const block of root.querySelectorAll('[data-block]')) {
    const text = errors[block.dataset.block];
    const field = block.querySelector('input:not([popover] *), textarea, select, .multi');
    block.querySelector('.field-error').textContent = text ?? '';
    if (text === undefined) {
      field?.removeAttribute('aria-invalid');
    } else {
      field?.setAttribute('aria-invalid', 'true');
      first ??= field;
    }
  }
  first?.focus();
}
