/** Turns text trees, as the server makes them, into DOM nodes. */
import { h } from './dom.js';
import { isMe, timeNode } from './reader.js';

const TAGS = { bold: 'strong', italic: 'em', strike: 's', underline: 'u', quote: 'blockquote', line: 'div' };

export function treeNodes(tree) {
  return (tree ?? []).map(node);
}

function node(item) {
  switch (item.kind) {
    case 'text':
      return document.createTextNode(item.text);
    case 'code':
      return h('code', {}, item.text);
    case 'pre':
      return h('pre', {}, item.text);
    case 'link':
      return h('a', { href: item.href, target: '_blank', rel: 'noopener noreferrer' }, ...treeNodes(item.children));
    case 'mention':
      return h('span', { class: `mention${item.group ? ' group' : ''}${isMe(item.of ?? []) ? ' me' : ''}` }, item.text);
    case 'date':
      return timeNode(item.seconds, item.format, item.fallback);
    case 'emoji':
      return h(
        'span',
        { class: 'emoji', role: 'img', 'aria-label': item.name, title: `:${item.name}:` },
        emojiFont() ? item.text : `:${item.name}:`,
      );
    case 'list': {
      const list = h(item.ordered ? 'ol' : 'ul', {}, ...item.items.map((one) => h('li', {}, ...treeNodes(one))));
      list.style.marginLeft = `${item.indent * 1.5}em`;
      return list;
    }
    default:
      return h(TAGS[item.kind], {}, ...treeNodes(item.children));
  }
}

let hasEmojiFont;

/** Without such a font every emoji is the same empty box; then the name says more. */
function emojiFont() {
  if (hasEmojiFont === undefined) {
    const pen = document.createElement('canvas').getContext('2d');
    const width = (text) => pen.measureText(text).width;
    hasEmojiFont = width('\u{1F35E}') !== width('\u{10FFFD}');
  }
  return hasEmojiFont;
}

/** The words of a text object, for labels. */
export function plainOf(text) {
  const words = (tree) =>
    tree.map((item) => item.text ?? item.fallback ?? words(item.children ?? item.items?.flat() ?? [])).join('');
  return text === undefined ? '' : words(text.tree ?? []);
}
