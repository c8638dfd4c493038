/** Reads a message or a form as Slack showed it to a person, for a terminal. */
import { parseJson } from '../../../domain/raw-json.ts';
import type { NameOf } from './audit-row.ts';

/** A line for each block, and where the whole is: as JSON it is read by programs only. */
export function shownLines(text: string, nameOf: NameOf): string[] {
  const blocks = blocksOf(text);
  if (!blocks) return [`  ${text}`];
  const lines = blocks.map((block) => textsIn(block, nameOf).join(' ').replaceAll('\n', ' '));
  return [...lines.filter((line) => line !== '').map((line) => `  ${line}`), '  its blocks as Slack had them: --json'];
}

/** Undefined where somebody changed the entry to what no message is. */
function blocksOf(text: string): readonly unknown[] | undefined {
  try {
    const { blocks } = parseJson(text) as { readonly blocks?: unknown };
    return Array.isArray(blocks) ? blocks : undefined;
  } catch {
    return undefined;
  }
}

/** Elements of these follow one another without a gap. */
const ONE_LINE: readonly unknown[] = ['rich_text_section', 'rich_text_quote', 'rich_text_preformatted'];

function textsIn(value: unknown, nameOf: NameOf): string[] {
  if (typeof value !== 'object' || value === null) return [];
  const { type, elements } = value as { readonly type?: unknown; readonly elements?: unknown };
  if (ONE_LINE.includes(type) && Array.isArray(elements))
    return [elements.flatMap((element) => pieces(element, nameOf)).join('')].map((text) => text.trim()).filter(Boolean);
  return Object.values(value).flatMap((one) => {
    const own = pieces(one, nameOf);
    return own.length ? own.map((text) => text.trim()) : textsIn(one, nameOf);
  });
}

/** The text of an element, or of a text object; empty for whatever holds others. */
function pieces(value: unknown, nameOf: NameOf): string[] {
  const { type, text, fallback, user_id: user } = Object(value) as Readonly<Record<string, unknown>>;
  if (typeof text === 'string') return [type === 'mrkdwn' ? plainMarkup(text, nameOf) : text];
  if (type === 'date' && typeof fallback === 'string') return [fallback];
  return type === 'user' && typeof user === 'string' ? [`@${nameOf(user)}`] : [];
}

/** Slack's markup for people, groups, dates and links, in words. */
const plainMarkup = (text: string, nameOf: NameOf): string =>
  text
    .replaceAll(/<([@#!]?)([^<>|]*)(?:\|([^<>]*))?>/g, (_, kind: string, named: string, label?: string) =>
      kind === '@' ? `@${nameOf(named)}` : (label ?? named.replace(/^subteam\^/, 'group ')),
    )
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');
