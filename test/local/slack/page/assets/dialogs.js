/** Shows modals as native dialogs: focus stays inside, Escape closes. */
import { blockNodes, showErrors } from './blocks.js';
import { valuesOf } from './controls.js';
import { focusSpot, h, newId, refocus } from './dom.js';
import { act } from './net.js';
import { plainOf, treeNodes } from './tree.js';

let shown;
/** Where the focus was when the first modal opened. */
let opener;

/** Shows, replaces or removes the modal of the person who is looking. */
export function showModal(view, user, directory) {
  if (view === undefined) {
    if (shown === undefined) return;
    shown.dialog.remove();
    shown = undefined;
    if (opener !== undefined) refocus(opener);
    return;
  }
  if (shown === undefined) opener = focusSpot();
  if (shown?.id === view.id && shown.hash === view.hash && shown.user === user) return;
  const isSame = shown?.id === view.id && shown.user === user;
  const typed = isSame ? typedIn(shown.dialog) : [];
  const within = isSame ? focusSpot() : undefined;
  const scrolled = isSame ? shown.dialog.querySelector('.modal-body').scrollTop : 0;
  shown?.dialog.remove();
  shown = { id: view.id, hash: view.hash, user, dialog: modal(view, user, directory) };
  document.body.append(shown.dialog);
  shown.dialog.showModal();
  if (shown.dialog.querySelector('[autofocus]') === null) {
    shown.dialog.querySelector('.modal-body :is(input, textarea, select, button):not([popover] *)')?.focus();
  }
  retype(shown.dialog, typed);
  if (!isSame) return;
  shown.dialog.querySelector('.modal-body').scrollTop = scrolled;
  if (within !== undefined) refocus({ ...within, root: shown.dialog });
}

function modal(view, user, directory) {
  const title = newId('title');
  const surface = {
    name: view.id,
    readers: new Map(),
    directory,
    click: (what) => act({ act: 'click', user, viewId: view.id, ...what }),
  };
  const close = (all) => act({ act: 'close', user, viewId: view.id, all });
  const body = h('div', { class: 'modal-body' }, ...blockNodes(surface, view.blocks));
  const cancel = h('button', { type: 'button', class: 'button' }, plainOf(view.close) || 'Cancel');
  const submit =
    view.submit && h('button', { type: 'submit', class: 'button primary' }, ...treeNodes(view.submit.tree));
  const shut = h('button', { type: 'button', class: 'plain', 'aria-label': 'Close' }, '×');
  const form = h(
    'form',
    { novalidate: true },
    h('div', { class: 'modal-head' }, h('h2', { id: title }, ...treeNodes(view.title?.tree)), shut),
    body,
    h('div', { class: 'buttons' }, cancel, submit),
  );
  const dialog = h('dialog', { class: 'modal', 'aria-labelledby': title }, form);
  cancel.addEventListener('click', () => close(false));
  shut.addEventListener('click', () => close(true));
  dialog.addEventListener('cancel', (event) => {
    event.preventDefault();
    close(false);
  });
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    if (submit === undefined || submit.disabled) return;
    submit.disabled = true;
    showErrors(body, {});
    const result = await act({ act: 'submit', user, viewId: view.id, values: valuesOf(surface) });
    submit.disabled = false;
    showErrors(body, result.errors ?? {});
  });
  return dialog;
}

/** Typed values stay in fields that the app's update did not replace. */
function typedIn(dialog) {
  return [...dialog.querySelectorAll('[data-block]')].map((block) => ({
    block: block.dataset.block,
    fields: [...block.querySelectorAll('input, textarea, select')].map(({ value, checked }) => ({ value, checked })),
  }));
}

function retype(dialog, typed) {
  for (const { block, fields } of typed) {
    const same = [...dialog.querySelectorAll('[data-block]')].find((one) => one.dataset.block === block);
    const inputs = [...(same?.querySelectorAll('input, textarea, select') ?? [])];
    if (inputs.length !== fields.length) continue;
    for (const [index, input] of inputs.entries()) {
      if (input.type === 'checkbox' || input.type === 'radio') input.checked = fields[index].checked;
      else input.value = fields[index].value;
    }
  }
}
