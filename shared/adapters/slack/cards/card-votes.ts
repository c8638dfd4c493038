/** Lists the votes, on a card that waits and behind Show everything. Words of people stay text. */
import type { RichTextBlock, RichTextBlockElement } from '@slack/types';
import type { CallVote, Vote } from '../../../contract/index.ts';
import { approvalsSoFar, currentStage, rejectionsSoFar, statedChoice } from '../../../domain/approval/approval.ts';
import { dateOf, words } from '../elements/blocks.ts';
import { inMarkup, shortened, visible } from '../elements/text.ts';
import { CARD, listed } from '../texts/card.ts';
import { VOTES } from '../texts/votes.ts';
import { type CardSource, personName, voterName } from './card-source.ts';

/** The newest of many votes are shown. */
const MAX_VOTES = 20;
/** Beside these the end of the time to answer has to find room on the card. */
const MAX_AGAINST = 3;
const MAX_WHY = 100;

/** Names those who approved in the stage, and those who refused it, with their reasons. `most` characters of a name and of a reason. */
export function votedSoFar(source: CardSource, most = MAX_WHY): string[] {
  const { approval } = source;
  const name = (vote: Vote) => inMarkup(shortened(voterName(vote, source), most));
  const given = approvalsSoFar(approval);
  // A rejection of single calls stands beside them.
  const against = rejectionsSoFar(approval).filter(({ choice }) => choice === 'reject');
  const shown = against.slice(-MAX_AGAINST).map((vote) => {
    const why = vote.reason?.trim() ? CARD.quote(shortened(visible(vote.reason).replaceAll('\n', ' '), most)) : '';
    return [`${CARD.rejected}${CARD.by(name(vote))}`, ...(why ? [inMarkup(why)] : [])].join(': ');
  });
  const more = against.length - shown.length;
  return [
    ...(currentStage(approval).quorum > 1 ? [CARD.soFar(given.length, listed(given.map(name)))] : []),
    ...shown,
    ...(more ? [CARD.moreAgainst(more)] : []),
  ];
}

/** Each vote with who cast it, when, and what they wrote; `most` characters of that in all. */
export function votesBlocks(source: Pick<CardSource, 'approval' | 'names'>, most: number): RichTextBlock[] {
  const { votes } = source.approval;
  const shown = votes.slice(-MAX_VOTES);
  const each = Math.floor(most / Math.max(1, shown.length));
  const more = votes.length - shown.length;
  const elements = [
    ...(more ? [words([{ type: 'text', text: VOTES.before(more) }])] : []),
    ...shown.flatMap((vote) => voteElements(vote, source, each)),
  ];
  return elements.length ? [{ type: 'rich_text', elements }] : [];
}

function voteElements(
  vote: Vote,
  source: Pick<CardSource, 'approval' | 'names'>,
  most: number,
): RichTextBlockElement[] {
  const { standsFor, choice, via, at } = vote;
  const calls = choice === 'approve' && vote.calls ? ` ${countOf(vote.calls)}` : '';
  const remember = choice === 'approve' && vote.remember ? VOTES.forSession : '';
  const seat = standsFor ? VOTES.forWhom(personName(standsFor, source)) : '';
  const by = VOTES.by(`${VOTES.did[statedChoice(vote)]}${calls}${remember}`, `${voterName(vote, source)}${seat}`);
  const line = words([{ type: 'text', text: `${by}${via === 'operators' ? VOTES.operator : ''}, ` }, dateOf(at)]);
  const wrote = [
    vote.reason,
    ...(choice === 'respond' ? [vote.answer] : []),
    ...(choice === 'approve' ? (vote.calls ?? []).map(({ reason }) => reason) : []),
  ].filter((text): text is string => !!text?.trim());
  if (!wrote.length) return [line];
  const text = shortened(visible([...new Set(wrote)].join('\n')), Math.max(40, most));
  return [line, { type: 'rich_text_quote', elements: [{ type: 'text', text }] }];
}

/** Counts votes on single calls, and the approved ones among them. */
function countOf(calls: readonly CallVote[]): string {
  const approved = calls.filter(({ choice }) => choice === 'approve').length;
  if (calls.length === 1) return VOTES.oneCall;
  return approved > 0 && approved < calls.length ? VOTES.someCalls(approved, calls.length) : VOTES.calls(calls.length);
}
