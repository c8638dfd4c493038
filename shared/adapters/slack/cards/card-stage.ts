/** Tells which stage of several a question is in, and how many calls one answer is for. */
import type { Approval } from '../../../contract/index.ts';
import { inMarkup } from '../elements/text.ts';
import { CARD, listed } from '../texts/card.ts';
import type { CardSource } from './card-source.ts';

/** One answer may let several calls run. */
export const askedTimes = ({ followers = 0 }: Pick<CardSource, 'followers'>): string[] =>
  followers ? [CARD.askedTimes(followers + 1)] : [];

/** The groups that are asked before and behind this stage; nothing of a question with one stage. */
export function stageTexts({ question: { stages }, stage = 0 }: Approval): string[] {
  if (stages.length < 2) return [];
  const named = (some: typeof stages) => listed(some.map(({ group }) => inMarkup(group)));
  return [CARD.stage(stage + 1, stages.length, named(stages.slice(0, stage)), named(stages.slice(stage + 1)))];
}
