/** The one safe form in which all text reaches the page: a tree of text leaves, of which the page builds DOM nodes. */
export type TextTree = TextNode[];

export type TextNode =
  | { kind: 'text'; text: string }
  | { kind: 'code' | 'pre'; text: string }
  | { kind: 'bold' | 'italic' | 'strike' | 'underline' | 'quote' | 'line'; children: TextTree }
  | { kind: 'link'; href: string; children: TextTree }
  | { kind: 'mention'; text: string; group: boolean }
  | { kind: 'emoji'; text: string; name: string }
  | { kind: 'list'; ordered: boolean; indent: number; items: TextTree[] };

export const textNode = (text: string): TextNode => ({ kind: 'text', text });

/** Slack escapes these three and no others. */
export const unescapeText = (text: string): string =>
  text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');

/** Other schemes, `javascript:` first among them, are shown as text. */
export const isSafeLink = (url: string): boolean => /^(https?:\/\/|mailto:)/i.test(url) && URL.canParse(url);

export function link(url: string, children: TextTree | undefined): TextNode[] {
  if (!isSafeLink(url)) return children ?? [textNode(url)];
  return [{ kind: 'link', href: url, children: children ?? [textNode(url)] }];
}
