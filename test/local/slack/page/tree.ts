/**
 * Declares the one safe form in which all text reaches the page.
 *
 * A tree of text leaves, of which the page builds DOM nodes.
 */
export type TextTree = TextNode[];

export type TextNode =
  | { kind: 'text'; text: string }
  | { kind: 'code' | 'pre'; text: string }
  | { kind: 'bold' | 'italic' | 'strike' | 'underline' | 'quote' | 'line'; children: TextTree }
  | { kind: 'link'; href: string; children: TextTree }
  | { kind: 'mention'; text: string; group: boolean; names?: Named; of?: string[] }
  /** Each reader sees it in their own zone, so that only the page makes words of it. */
  | { kind: 'date'; seconds: number; format: string; fallback?: string }
  | { kind: 'emoji'; text: string; name: string }
  | { kind: 'list'; ordered: boolean; indent: number; items: TextTree[] };

/** Somebody whom a mention may notify: a person, the members of a user group, or everybody in the channel. */
export type Named = { user: string } | { group: string } | { range: 'channel' | 'here' | 'everyone' };

export const textNode = (text: string): TextNode => ({ kind: 'text', text });

/** Slack escapes these three and no others. */
export const unescapeText = (text: string): string =>
  text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');

/** Other schemes, `javascript:` first among them, are shown as text. */
const isSafeLink = (url: string): boolean => /^(https?:\/\/|mailto:)/i.test(url) && URL.canParse(url);

export function link(url: string, children: TextTree | undefined): TextNode[] {
  if (!isSafeLink(url)) return children ?? [textNode(url)];
  return [{ kind: 'link', href: url, children: children ?? [textNode(url)] }];
}

/** The words of a tree without their markup; `dates` makes words of a date (default: what the app gave for readers that cannot). */
export function plainOf(tree: TextTree, dates?: (date: Extract<TextNode, { kind: 'date' }>) => string): string {
  return tree.map(wordsOf).join('');

  function wordsOf(node: TextNode): string {
    if (node.kind === 'date') return dates?.(node) ?? node.fallback ?? node.format;
    if ('text' in node) return node.kind === 'pre' ? `${node.text}\n` : node.text;
    if ('items' in node) return node.items.map((item) => `${plainOf(item, dates)}\n`).join('');
    return `${plainOf(node.children, dates)}${node.kind === 'line' || node.kind === 'quote' ? '\n' : ''}`;
  }
}
