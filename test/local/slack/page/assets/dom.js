/** Builds DOM nodes. Text goes in as text nodes only; nothing here or elsewhere parses markup. */

/**
 * @param {string} tag
 * @param {Record<string, unknown>} [properties] `on…` are listeners, `class` and `aria-…` attributes, false leaves out
 * @param {...(Node | string | undefined | false)} children
 */
export function h(tag, properties = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith('on')) node.addEventListener(name.slice(2), value);
    else node.setAttribute(name, value === true ? '' : String(value));
  }
  node.append(...children.filter((child) => child !== undefined && child !== false && child !== null));
  return node;
}

/**
 * Makes the children of a node those of the list, keeping every node whose data has not changed, so that focus,
 * selection and what is half typed stay.
 */
export function reconcile(parent, items, keyOf, build) {
  const old = new Map([...parent.children].map((node) => [node.dataset.key, node]));
  const wanted = items.map((item) => {
    const key = keyOf(item);
    const data = JSON.stringify(item);
    const known = old.get(key);
    if (known !== undefined && known.shownData === data) return known;
    const node = build(item);
    node.dataset.key = key;
    node.shownData = data;
    return node;
  });
  const kept = new Set(wanted);
  for (const node of [...parent.children]) if (!kept.has(node)) node.remove();
  for (const [index, node] of wanted.entries()) {
    if (parent.children[index] !== node) parent.insertBefore(node, parent.children[index] ?? null);
  }
}

/** Where the focus is, in words that outlive the node: its pane or dialog, the item in it, and the control in that. */
export function focusSpot() {
  const held = document.activeElement;
  if (held === null || held === document.body) return undefined;
  const { focus, action } = held.dataset;
  return { held, root: held.closest('.pane, dialog'), item: held.closest('[data-key]')?.dataset.key, focus, action };
}

/** Focuses the same control, else the one that does the same, else the item itself. */
export function refocus({ held, root, item, focus, action }) {
  if (held.isConnected) {
    held.focus({ preventScroll: true });
    return;
  }
  if (!root?.isConnected) return;
  const around = [...root.querySelectorAll('[data-key]')].find((one) => one.dataset.key === item) ?? root;
  const controls = [...around.querySelectorAll('[data-focus]')];
  const same =
    controls.find((one) => one.dataset.focus === focus) ??
    controls.find((one) => action !== undefined && action !== '' && one.dataset.action === action);
  (same ?? (around === root ? null : around.querySelector('[tabindex="-1"]')))?.focus({ preventScroll: true });
}

/** Draws, and gives the focus back if drawing took it away. */
export function keepingFocus(draw) {
  const spot = focusSpot();
  draw();
  if (spot !== undefined && !spot.held.isConnected) refocus(spot);
}

let counter = 0;

/** An id for a label or description to point to. */
export function newId(prefix) {
  counter += 1;
  return `${prefix}-${counter}`;
}
