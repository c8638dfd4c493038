/** Shows in full each action that may run in place of the chosen one, as far as a form has room. */
import type { RichTextBlock } from '@slack/types';
import type { Action } from '../../../contract/action-space.ts';
import { piecesOf } from '../elements/arguments.ts';
import { words } from '../elements/blocks.ts';
import { visibleJson, visibleName } from '../elements/text.ts';
import { bold, preformatted } from './call-blocks.ts';
import { readable } from './card-question.ts';
import type { CardSource } from './card-source.ts';

/** A text of Slack's takes 3,000 characters, and a form 100 blocks: the fields around these need five. */
const PIECE = 2_900;
const MAX_BLOCKS = 90;
/** All of the form is read before one of them is chosen. */
const MAX_LENGTH = 40_000;

interface OtherAction {
  readonly index: number;
  readonly action: Action;
  /** As it is numbered above its arguments and in the menu. */
  readonly name: string;
  readonly block: RichTextBlock;
}

/**
 * Two actions may have one flow, one description and other bindings: what a person did not see whole cannot be chosen.
 *
 * @returns those that fit, and how many do not
 */
export function otherActions({ proposal, approval }: CardSource): {
  readonly shown: readonly OtherAction[];
  readonly left: number;
} {
  const actions = proposal.kind === 'action-choice' ? proposal.actionSpace.actions : [];
  const proposed = approval.question.kind === 'choice' ? approval.question.proposed.index : undefined;
  const others = actions.map((action, index) => otherAction(action, index)).filter(({ index }) => index !== proposed);
  let length = 0;
  const shown = others.filter(({ block }) => {
    const more = JSON.stringify(block).length;
    const fits = length + more <= MAX_LENGTH;
    if (fits) length += more;
    return fits;
  });
  return { shown: shown.slice(0, MAX_BLOCKS), left: others.length - Math.min(shown.length, MAX_BLOCKS) };
}

/** The action that somebody chose in place of the one that was asked about, numbered as in that person's form. */
export function chosenInstead({ proposal, approval }: CardSource): OtherAction | undefined {
  const vote = approval.votes.findLast(({ choice }) => choice === 'substitute');
  if (vote?.choice !== 'substitute' || proposal.kind !== 'action-choice') return undefined;
  const action = proposal.actionSpace.actions[vote.index];
  return action && otherAction(action, vote.index);
}

function otherAction(action: Action, index: number): OtherAction {
  const name = `${index + 1} · ${visibleName(action.flow_id)}`;
  const pieces = piecesOf(visibleJson(readable(action)), PIECE).map(preformatted);
  return { index, action, name, block: { type: 'rich_text', elements: [words([bold(name)]), ...pieces] } };
}
