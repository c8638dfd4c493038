/**
 * Builds the blocks of every surface.
 *
 * Plain text has emoji off, so that agents' texts stay as written.
 */
import type { ContextBlock, HeaderBlock, RichTextBlock, RichTextSection, SectionBlock } from '@slack/types';
import { escaped, shortened } from './text.ts';

export const MAX_HEADER = 150;
const MAX_TEXT = 3_000;

export const header = (text: string): HeaderBlock => ({
  type: 'header',
  text: { type: 'plain_text', text: shortened(text, MAX_HEADER), emoji: false },
});

/** A line of our own, or text that was made visible. */
export const line = (text: string): SectionBlock => ({
  type: 'section',
  text: { type: 'plain_text', text: shortened(text, MAX_TEXT), emoji: false },
  expand: true,
});

export const small = (text: string): ContextBlock => ({
  type: 'context',
  elements: [{ type: 'plain_text', text: shortened(text, MAX_TEXT), emoji: false }],
});

/** Markup of our own: whatever else is in it was escaped. */
export const smallMarkup = (text: string): ContextBlock => ({
  type: 'context',
  elements: [{ type: 'mrkdwn', text, verbatim: true }],
});

export const markup = (text: string): SectionBlock => ({
  type: 'section',
  text: { type: 'mrkdwn', text, verbatim: true },
  // Text that people have to read never folds behind "See more".
  expand: true,
});

/** Somebody's words, as a quotation under their name. */
export const quoted = (who: string, words: string): RichTextBlock => ({
  type: 'rich_text',
  elements: [
    { type: 'rich_text_section', elements: [{ type: 'text', text: who, style: { bold: true } }] },
    { type: 'rich_text_quote', elements: [{ type: 'text', text: words || ' ' }] },
  ],
});

/** Everybody reads it in their own time zone. */
export const dateOf = (iso: string): RichTextSection['elements'][number] => ({
  type: 'date',
  timestamp: Math.floor(Date.parse(iso) / 1000),
  format: '{date_short_pretty} {time_secs}',
  fallback: iso,
});

export const words = (elements: RichTextSection['elements']): RichTextSection => ({
  type: 'rich_text_section',
  elements,
});

/** Draws an agent's text as code, where no markup works. A backtick would end the code: such a text is shown as plain text. */
export function asCode(marked: string, plain: string, name: string) {
  return name.includes('`') ? line(`${plain}${name}`) : markup(`${marked}\`${escaped(name)}\``);
}

/** In small print no text is plain: a backtick is shown as an apostrophe there, the card has it as it is. */
export const codeOf = (name: string): string => `\`${escaped(name).replaceAll('`', "'")}\``;
