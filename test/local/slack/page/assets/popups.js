/**
 * Draws closed menus: a button, and a list that opens over the page.
 *
 * Escape, a click elsewhere or a choice closes the list again.
 */
import { h, newId } from './dom.js';

/** @param open the node to show, over everything, below `button` */
export function popup(button, open) {
  const id = newId('popup');
  open.id = id;
  open.setAttribute('popover', 'auto');
  open.classList.add('popup');
  button.setAttribute('aria-expanded', 'false');
  button.setAttribute('aria-controls', id);
  button.addEventListener('click', () => {
    if (button.getAttribute('aria-disabled') === 'true') return;
    open.togglePopover();
    if (!open.matches(':popover-open')) return;
    placeBelow(button, open);
    open.querySelector('input, [role^=menuitem]')?.focus();
  });
  open.addEventListener('toggle', ({ newState }) => {
    button.setAttribute('aria-expanded', String(newState === 'open'));
  });
  return h('div', { class: 'popup-box' }, button, open);
}

function placeBelow(button, open) {
  const { left, top, bottom } = button.getBoundingClientRect();
  const { width, height } = open.getBoundingClientRect();
  const below = bottom + 4 + height <= window.innerHeight;
  open.style.left = `${Math.max(8, Math.min(left, window.innerWidth - width - 8))}px`;
  open.style.top = `${below ? bottom + 4 : Math.max(8, top - height - 4)}px`;
}

/** Slack's `overflow`: three dots, and up to five actions behind them. */
export function overflowMenu(options, named, label, pick) {
  const items = options.map((option) => {
    const item = h('button', { type: 'button', role: 'menuitem', tabindex: '-1' }, option.label);
    if (option.description) item.append(h('small', {}, option.description));
    item.addEventListener('click', () => {
      list.hidePopover();
      button.focus();
      pick(option, button);
    });
    return item;
  });
  const list = h('div', { role: 'menu', 'aria-label': label }, ...items);
  list.addEventListener('keydown', (event) => {
    const here = items.indexOf(document.activeElement);
    const to = { ArrowDown: here + 1, ArrowUp: here - 1, Home: 0, End: items.length - 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    items.at(to % items.length).focus();
  });
  const button = h(
    'button',
    { ...named, type: 'button', class: 'button more', 'aria-haspopup': 'menu', 'aria-label': label },
    '⋯',
  );
  return { node: popup(button, list), button };
}

/** Slack's menus of several: closed, with the names of what is chosen; `choices` is the list behind it. */
export function multiMenu(choices, named, hint, namesChosen) {
  const button = h('button', { ...named, type: 'button', class: 'multi', 'aria-haspopup': 'dialog' });
  const show = () => {
    const names = namesChosen();
    button.textContent = names.length === 0 ? hint : names.join(', ');
    if (named['aria-label']) button.setAttribute('aria-label', `${named['aria-label']}: ${button.textContent}`);
    button.classList.toggle('empty', names.length === 0);
  };
  choices.addEventListener('change', show);
  show();
  return popup(button, choices);
}
