/** Everything that would run, page by page: what is too long for a card can be read here to its last character (D33, G22). */
import type { ActionsBlock, ContextBlock, HeaderBlock, KnownBlock, ModalView, RichTextBlock } from '@slack/types';
import type { ToolCall } from '../../contract/index.ts';
import { callsOf } from '../../domain/approval.ts';
import { argumentsOf, piecesOf, type Shown, sizeText } from './arguments.ts';
import { askedCallOf } from './asked-call.ts';
import { preformatted } from './call-blocks.ts';
import type { ButtonValue, CardSource } from './card.ts';
import { shortened, visible } from './text.ts';

export const VIEW_ALL = {
  view: 'countersign_view_all',
  turn: 'countersign_view_all_page',
  turns: /^countersign_view_all_page_(back|next)$/,
} as const;

/** Slack takes 3,000 characters a text; a view holds 100 blocks, and less than these pages use. */
const PIECE = 2_900;
const PAGE_BLOCKS = 40;
const PAGE_LENGTH = 40_000;
/** What fills more pages than this, nobody reads: it cannot be approved. */
const MOST_PAGES = 20;

export interface PageValue extends ButtonValue {
  readonly page: number;
}

/** Whether all of it can be read: only then is Approve offered (D33). */
export const readable = (source: CardSource): boolean =>
  callsOf(source.approval.question).every((call) => askedCallOf(call, source.proposal) !== undefined) &&
  pagesOf(source).length <= MOST_PAGES;

/** One page as a modal; a page that is not there becomes the nearest one. */
export function viewAllModal(source: CardSource, page: number): ModalView {
  const pages = pagesOf(source);
  const at = Math.min(Math.max(0, page), pages.length - 1);
  return {
    type: 'modal',
    callback_id: VIEW_ALL.view,
    title: { type: 'plain_text', text: 'All that would run' },
    close: { type: 'plain_text', text: 'Close' },
    blocks: [...(pages[at] ?? []), ...turning(source, at, pages.length)],
  };
}

/** The same pages for the same row, whoever asks. */
export function pagesOf({ approval, proposal }: CardSource): KnownBlock[][] {
  const asked = callsOf(approval.question);
  const blocks = asked.flatMap((one, index) => {
    const { toolName } = one;
    const call = askedCallOf(one, proposal);
    const title = asked.length > 1 ? `Call ${index + 1} of ${asked.length}: ${visible(toolName)}` : visible(toolName);
    return [header(title), ...(call ? placeOf(call) : []), ...(call ? argumentsOf(call) : []).flatMap(pieceBlocks)];
  });
  const pages: KnownBlock[][] = [];
  let length = Number.POSITIVE_INFINITY;
  for (const block of blocks) {
    const more = JSON.stringify(block).length;
    const last = pages.at(-1);
    if (last && last.length < PAGE_BLOCKS && length + more <= PAGE_LENGTH) {
      last.push(block);
      length += more;
    } else {
      pages.push([block]);
      length = more;
    }
  }
  return pages;
}

const placeOf = ({ cwd }: ToolCall): KnownBlock[] =>
  cwd === undefined ? [] : piecesOf(visible(cwd), PIECE).map((piece, index) => pieceBlock('in', piece, index, 1));

function pieceBlocks({ name, text, raw }: Shown): KnownBlock[] {
  const pieces = piecesOf(text, PIECE);
  const label = name ?? 'arguments';
  return [...pieces.map((piece, index) => pieceBlock(label, piece, index, pieces.length)), context(sizeText(raw))];
}

function pieceBlock(label: string, piece: string, index: number, count: number): RichTextBlock {
  const part = count > 1 ? `, part ${index + 1} of ${count}` : '';
  return {
    type: 'rich_text',
    elements: [
      {
        type: 'rich_text_section',
        elements: [
          { type: 'text', text: label, style: { code: true } },
          ...(part ? [{ type: 'text' as const, text: part }] : []),
        ],
      },
      preformatted(piece),
    ],
  };
}

function turning({ approval }: CardSource, at: number, count: number): KnownBlock[] {
  if (count <= 1) return [];
  const turn = (text: string, page: number, which: 'back' | 'next') =>
    ({
      type: 'button',
      text: { type: 'plain_text', text, emoji: false },
      action_id: `${VIEW_ALL.turn}_${which}`,
      value: JSON.stringify({ approval: approval.pid, digest: approval.question.digest, page } satisfies PageValue),
    }) as const;
  const actions: ActionsBlock = {
    type: 'actions',
    elements: [
      ...(at > 0 ? [turn('Back', at - 1, 'back')] : []),
      ...(at < count - 1 ? [turn('Next', at + 1, 'next')] : []),
    ],
  };
  return [context(`Page ${at + 1} of ${count}`), actions];
}

const header = (text: string): HeaderBlock => ({
  type: 'header',
  text: { type: 'plain_text', text: shortened(text, 150), emoji: false },
});

const context = (text: string): ContextBlock => ({
  type: 'context',
  elements: [{ type: 'plain_text', text, emoji: false }],
});
