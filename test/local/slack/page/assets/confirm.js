/** Asks a person to confirm a button's action, in a native dialog. */
import { h, newId } from './dom.js';
import { plainOf, treeNodes } from './tree.js';

/** True when the person agrees to a button's confirm dialog. */
export function confirmed(confirm) {
  const title = newId('title');
  const text = newId('text');
  const style = confirm.style === 'danger' ? 'button danger' : 'button primary';
  const no = h('button', { type: 'button', class: 'button' }, plainOf(confirm.deny) || 'No');
  const yes = h('button', { type: 'button', class: style }, plainOf(confirm.confirm) || 'Yes');
  const dialog = h(
    'dialog',
    { class: 'confirm', role: 'alertdialog', 'aria-labelledby': title, 'aria-describedby': text },
    h('h2', { id: title }, plainOf(confirm.title) || 'Are you sure?'),
    h('p', { id: text, class: 'text' }, ...treeNodes(confirm.text.tree)),
    h('div', { class: 'buttons' }, no, yes),
  );
  document.body.append(dialog);
  dialog.showModal();
  return new Promise((resolve) => {
    yes.addEventListener('click', () => dialog.close('yes'));
    no.addEventListener('click', () => dialog.close());
    dialog.addEventListener('close', () => {
      dialog.remove();
      resolve(dialog.returnValue === 'yes');
    });
  });
}
