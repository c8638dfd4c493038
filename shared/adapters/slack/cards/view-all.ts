/** Shows everything about an approval, page by page, so that texts too long for a card can be decided. */
import type { ActionsBlock, KnownBlock, ModalView, RichTextBlock } from '@slack/types';
import type { Action } from '../../../contract/action-space.ts';
import type { ToolCall } from '../../../contract/index.ts';
import { callsOf, samePerson, tallyOf } from '../../../domain/approval/approval.ts';
import { canonicalJson } from '../../../domain/digest.ts';
import { canQuestionBeJudged } from '../../../domain/redaction/judgeable/judgeable.ts';
import { blockIdOf, button } from '../elements/actions.ts';
import { labelOf, piecesOf, type Shown, sizeText } from '../elements/arguments.ts';
import { header, line, small } from '../elements/blocks.ts';
import { visible, visibleJson, visibleName } from '../elements/text.ts';
import { CARD, took } from '../texts/card.ts';
import { SHOW } from '../texts/show.ts';
import { argumentsShown, differsElements, gapIn, preformatted } from './call-blocks.ts';
import { confirmOf, menuInForm, rejectButton } from './card-buttons.ts';
import { reasonsOf, whyWithdrawn } from './card-decided.ts';
import { peopleBlock } from './card-people.ts';
import {
  actionOf,
  readable as actionView,
  agentSays,
  callOf,
  changesOf,
  startedBlocks,
  whyBlocks,
} from './card-question.ts';
import { type CardSource, editorNames, personName } from './card-source.ts';
import { votesBlocks } from './card-votes.ts';
import { chosenInstead } from './other-actions.ts';

export const VIEW_ALL = {
  view: 'countersign_view_all',
  /** The last page, where what was read can be approved. */
  approve: 'countersign_view_all_approve',
  each: 'countersign_view_all_each',
  turn: 'countersign_view_all_page',
  turns: /^countersign_view_all_page_(back|next)$/,
} as const;

/** Slack takes 3,000 characters a text; a view holds 100 blocks, and less than these pages use. */
const PIECE = 2_900;
const PAGE_BLOCKS = 40;
const PAGE_LENGTH = 40_000;
/** Nobody reads more pages than this: a call with a longer text cannot be approved. */
const MAX_PAGES = 20;

/** Whether all of it can be read: only then is Approve offered. */
export const readable = (source: CardSource): boolean =>
  contentOf(source) !== undefined && pagesOf(source).length <= MAX_PAGES;

/** Where a form was opened, for what is decided on its last page; see `ModalContext`. */
interface ReadingContext {
  readonly metadata: string;
}

/**
 * One page as a modal; a page that is not there becomes the nearest one. Where the card does not show everything, the last page is where it is
 * approved: whoever gets there has seen all of it.
 */
export function viewAllModal(source: CardSource, page: number, context?: ReadingContext): ModalView {
  const pages = pagesOf(source);
  const at = Math.min(Math.max(0, page), pages.length - 1);
  const isLast = at === pages.length - 1;
  const decides = isLast && context !== undefined && canApproveHere(source);
  const plain = (text: string) => ({ type: 'plain_text', text, emoji: false }) as const;
  return {
    type: 'modal',
    callback_id: decides ? VIEW_ALL.approve : VIEW_ALL.view,
    ...(context ? { private_metadata: context.metadata } : {}),
    title: plain(SHOW.title),
    ...(decides ? { submit: plain(approveText(source)) } : {}),
    close: plain(decides ? SHOW.notNow : SHOW.close),
    blocks: [
      ...(pages[at] ?? []),
      ...(isLast ? [...aroundBlocks(source), ...recordBlocks(source)] : []),
      ...(decides ? secondLook(source) : []),
      ...turning(source, at, pages.length, decides),
    ],
  };
}

/** Repeats the question that the card's own Approve asks once more: a form asks none when it is sent. */
function secondLook(source: CardSource): KnownBlock[] {
  const confirm = confirmOf(source);
  return confirm?.title ? [line(`${confirm.title.text}\n${confirm.text.text}`)] : [];
}

/** Something waits for an approval, and people can judge all of it. */
const canApproveHere = (source: CardSource): boolean =>
  source.approval.status === 'pending' &&
  !source.decision &&
  source.approval.question.offers.includes('approve') &&
  canQuestionBeJudged(source.approval.question, source.proposal) &&
  readable(source);

function approveText({ approval }: CardSource): string {
  const calls = callsOf(approval.question);
  const open = calls.filter(({ id }) => tallyOf(approval, id) === 'open').length;
  if (calls.length < 2) return CARD.buttons.approve;
  return open < calls.length ? CARD.buttons.approveRest(open) : CARD.buttons.approveAll(calls.length);
}

const AROUND = { why: 500, argument: 500 };
const MAX_SAYS = 2_000;

/** Tells who decides and until when, why, and the agent's words: a list of calls shows none of that, and a phone hides the card. */
function aroundBlocks(source: CardSource): KnownBlock[] {
  if (source.approval.status !== 'pending' || source.decision) return [];
  return [
    peopleBlock(source, undefined),
    ...whyBlocks(source, AROUND),
    ...startedBlocks(source),
    ...agentSays(source, MAX_SAYS),
  ];
}

const inTheNameOf = (source: CardSource): string[] => {
  const { owner, requester = owner } = source.approval;
  return samePerson(requester, owner) ? [] : [CARD.forRequester(personName(requester, source))];
};

const MAX_VOTES_TEXT = 2_500;

/** Behind the call itself: what people changed and voted, what came of it, and the ids that the record has it under. */
function recordBlocks(source: CardSource): KnownBlock[] {
  const { approval, decision, ran = [] } = source;
  const changes = changesOf(source);
  const editors = editorNames(source);
  const changed = editors === undefined ? CARD.changed : CARD.changedBy(editors);
  const answers = reasonsOf(source);
  return [
    ...(changes.length ? [line(`${changed}${changes.join(' · ')}`)] : []),
    ...votesBlocks(source, MAX_VOTES_TEXT),
    ...(approval.status !== 'pending' ? answers.slice(-3).map((text) => line(CARD.quote(text))) : []),
    ...whyWithdrawn(approval).map((text) => line(CARD.agentWrote(text))),
    ...ran
      .slice(0, 20)
      .map((one) =>
        small(SHOW.ran(visible(one.callId), one.status, took(one.durationMs), one.errorCode && visible(one.errorCode))),
      ),
    small([SHOW.asks(visible(approval.agent), visible(approval.sessionId)), ...inTheNameOf(source)].join(' · ')),
    small(SHOW.ids(approval.proposalId, approval.pid, approval.question.digest)),
    small(SHOW.policy(approval.policyVersion, decision?.policyVersion)),
  ];
}

/** The same pages for the same row, whoever asks. */
export function pagesOf(source: CardSource): KnownBlock[][] {
  const pages: KnownBlock[][] = [];
  let length = Number.POSITIVE_INFINITY;
  for (const block of contentOf(source) ?? [line(SHOW.missing)]) {
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
      return calls.flatMap((call, index) => (call ? callPieces(call, index, calls.length, source) : []));
    }
    case 'choice': {
      const action = actionOf(question.proposed, source);
      if (!action) return undefined;
      const chosen = chosenInstead(source);
      return [
        ...actionPieces(visibleName(question.proposed.flowId), action),
        ...(chosen ? actionPieces(CARD.instead(chosen.name), chosen.action) : []),
      ];
    }
    case 'input':
      return pieceBlocks({ name: 'question', text: visible(question.question), raw: question.question });
    default:
      return question satisfies never;
  }
}

const actionPieces = (title: string, action: Action): KnownBlock[] => [
  header(title),
  ...pieceBlocks({ name: 'action', text: visibleJson(actionView(action)), raw: canonicalJson(action) }),
];

function callPieces(call: ToolCall, index: number, count: number, source: CardSource): KnownBlock[] {
  const tool = visibleName(call.toolName);
  const title = count > 1 ? SHOW.call(index + 1, count, tool) : tool;
  const differs = differsElements(call);
  const shown = argumentsShown(call, source).flatMap((one) => [
    ...(one.name === 'old_string' && differs.length ? [{ type: 'rich_text' as const, elements: differs }] : []),
    ...pieceBlocks(one),
  ]);
  return [header(title), ...placeOf(call), ...shown];
}

const placeOf = ({ cwd }: ToolCall): KnownBlock[] =>
  cwd === undefined
    ? []
    : piecesOf(visible(cwd), PIECE).map((piece, index) => pieceBlock(SHOW.folder, piece, index, 1));

function pieceBlocks(shown: Shown): KnownBlock[] {
  const { text, raw } = shown;
  const pieces = piecesOf(text, PIECE);
  const label = labelOf(shown);
  const gap = gapIn(raw);
  const size = [sizeText(raw), ...(gap ? [CARD.gap(gap)] : [])].join(' · ');
  return [...pieces.map((piece, index) => pieceBlock(label, piece, index, pieces.length)), small(size)];
}

function pieceBlock(label: string, piece: string, index: number, count: number): RichTextBlock {
  const part = count > 1 ? SHOW.part(index + 1, count) : '';
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

function turning(source: CardSource, at: number, count: number, decides: boolean): KnownBlock[] {
  const { pid, question } = source.approval;
  const value = { approval: pid, digest: question.digest };
  const turn = (text: string, page: number, which: 'back' | 'next') =>
    button(text, `${VIEW_ALL.turn}_${which}`, { ...value, page }, { label: SHOW.toPage(text, page + 1, count) });
  const isBatch = callsOf(question).length > 1;
  const buttons = [
    ...(at > 0 ? [turn(SHOW.back, at - 1, 'back')] : []),
    ...(at < count - 1 ? [turn(SHOW.next, at + 1, 'next')] : []),
    ...(decides && isBatch
      ? [button(CARD.buttons.decideEach, VIEW_ALL.each, value, { label: CARD.buttons.decideEach })]
      : []),
    ...(decides ? [rejectButton(source, value)] : []),
  ];
  // A list of calls has no room for what is seldom done.
  const elements = [...buttons, ...(decides ? menuInForm(source) : [])];
  const actions: ActionsBlock[] = elements.length
    ? [{ type: 'actions', ...(decides ? { block_id: blockIdOf(value) } : {}), elements }]
    : [];
  return [...(count > 1 ? [small(SHOW.page(at + 1, count))] : []), ...actions];
}
