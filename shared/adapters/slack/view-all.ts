/** Everything that would run, page by page: what is too long for a card can be read here to its last character. */
import type { ActionsBlock, KnownBlock, ModalView, RichTextBlock } from '@slack/types';
import type { ToolCall } from '../../contract/index.ts';
import { canonicalJson } from '../../domain/digest.ts';
import { button } from './actions.ts';
import { argumentsOf, labelOf, piecesOf, type Shown, sizeText } from './arguments.ts';
import { header, line, small } from './blocks.ts';
import { preformatted } from './call-blocks.ts';
import { actionOf, callOf } from './card-question.ts';
import type { CardSource } from './card-source.ts';
import { visible, visibleJson } from './text.ts';

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
const MAX_PAGES = 20;

/** Whether all of it can be read: only then is Approve offered. */
export const readable = (source: CardSource): boolean =>
  contentOf(source) !== undefined && pagesOf(source).length <= MAX_PAGES;

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
export function pagesOf(source: CardSource): KnownBlock[][] {
  const pages: KnownBlock[][] = [];
  let length = Number.POSITIVE_INFINITY;
  for (const block of contentOf(source) ?? [line('The proposal does not hold what is asked about.')]) {
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

/** Everything from its first character to its last; undefined if some of it is not there. */
function contentOf(source: CardSource): KnownBlock[] | undefined {
  const { question } = source.approval;
  switch (question.kind) {
    case 'calls': {
      const calls = question.calls.map((asked) => callOf(asked, source));
      if (calls.includes(undefined)) return undefined;
      return calls.flatMap((call, index) => (call ? callPieces(call, index, calls.length) : []));
    }
    case 'choice': {
      const action = actionOf(question.proposed, source);
      if (!action) return undefined;
      const shown = { name: 'action', text: visibleJson(action), raw: canonicalJson(action) };
      return [header(visible(question.proposed.flowId)), ...pieceBlocks(shown)];
    }
    case 'input':
      return pieceBlocks({ name: 'question', text: visible(question.question), raw: question.question });
    default:
      return question satisfies never;
  }
}

function callPieces(call: ToolCall, index: number, count: number): KnownBlock[] {
  const tool = visible(call.toolName);
  const title = count > 1 ? `Call ${index + 1} of ${count}: ${tool}` : tool;
  return [header(title), ...placeOf(call), ...argumentsOf(call).flatMap(pieceBlocks)];
}

const placeOf = ({ cwd }: ToolCall): KnownBlock[] =>
  cwd === undefined ? [] : piecesOf(visible(cwd), PIECE).map((piece, index) => pieceBlock('in', piece, index, 1));

function pieceBlocks(shown: Shown): KnownBlock[] {
  const { text, raw } = shown;
  const pieces = piecesOf(text, PIECE);
  const label = labelOf(shown);
  return [...pieces.map((piece, index) => pieceBlock(label, piece, index, pieces.length)), small(sizeText(raw))];
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
  const { pid, question } = approval;
  const turn = (text: string, page: number, which: 'back' | 'next') =>
    button(text, `${VIEW_ALL.turn}_${which}`, { approval: pid, digest: question.digest, page });
  const actions: ActionsBlock = {
    type: 'actions',
    elements: [
      ...(at > 0 ? [turn('Back', at - 1, 'back')] : []),
      ...(at < count - 1 ? [turn('Next', at + 1, 'next')] : []),
    ],
  };
  return [small(`Page ${at + 1} of ${count}`), actions];
}
