/**
 * Checks that a card with more to tell than Slack takes has its buttons, and states the rest (D33).
 *
 * Slack refuses longer blocks, and people would then see a message without buttons.
 */
import { describe, expect, test } from 'vitest';
import { renderCard } from '../../../../shared/adapters/slack/cards/card.ts';
import type { CardSource } from '../../../../shared/adapters/slack/cards/card-source.ts';
import { viewAllModal } from '../../../../shared/adapters/slack/cards/view-all.ts';
import type { AskedCall, CallsQuestion, Vote } from '../../../../shared/contract/index.ts';
import { checkBlocks } from '../../../local/slack/block-kit/check.ts';
import { LIMITS } from '../../../local/slack/block-kit/limits.ts';
import { sourceOf, textsOf } from './surfaces.ts';

const TEXTS = {
  letters: 'x',
  'pairs of surrogates': '😀',
  'characters that nobody sees': '\u202e',
  'quotes and backslashes': '"\\',
  'letters of two scripts': 'aб',
};
const times = (text: string, most: number): string => text.repeat(Math.floor(most / text.length));

/** Twenty calls, each asked about for a reason and by a rule of its own, and each with as many notes as one may have. */
function crowded(text: string): CardSource {
  const source = sourceOf(
    Array.from({ length: 20 }, (_, index) => ({
      id: `c${index}`,
      toolName: 'Bash',
      input: { command: `make ${index} ${times(text, 200)}` },
    })),
  );
  const named = (word: string, most: number) => [0, 1, 2, 3, 4].map((at) => `${word}${at}${times(text, most)}`);
  const asked = source.approval.question as CallsQuestion;
  const calls = asked.calls.map(
    (call, index): AskedCall => ({
      ...call,
      why: `${index} ${times(text, 900)}`,
      rule: { id: `r${index}`, pattern: `Bash(make ${index} ${times(text, 900)})`, source: 'project' },
      touches: { paths: named('deletes ', 140), hosts: named('', 150), amounts: named('amount ', 30), outside: true },
    }),
  );
  return { ...source, approval: { ...source.approval, question: { ...asked, calls } } };
}

/** So many people, each of whom refuses one half of the calls, in a stage that their refusals do not end. */
function voted(source: CardSource, text: string): CardSource {
  const asked = source.approval.question as CallsQuestion;
  const stages = asked.stages.map((stage) => ({ ...stage, quorum: 20, rejectEnds: false as const }));
  const votes = Array.from({ length: 20 }, (_, index): Vote => {
    const calls = asked.calls.map(({ id }, at) => ({
      id,
      choice: at % 2 ? ('approve' as const) : ('reject' as const),
    }));
    const by = { team: 'T0', user: `U0P${index}` };
    const at = '2026-11-22T09:30:00.000Z';
    return { choice: 'approve', by, name: times(text, 80), stage: 0, at, via: 'slack', calls };
  });
  return { ...source, approval: { ...source.approval, votes, question: { ...asked, stages } } };
}

describe.each(Object.entries(TEXTS))('of %s', (_, text) => {
  test.each([
    ['nobody answered', (source: CardSource) => source],
    ['twenty people answered about each', (source: CardSource) => voted(source, text)],
  ])('with twenty reasons and three hundred notes, where %s', (__, change) => {
    const source = change(crowded(text));
    const { blocks, approvable } = renderCard(source, 'C0');
    expect(checkBlocks(blocks, 'message', '/blocks')).toEqual([]);
    expect(JSON.stringify(blocks).length).toBeLessThanOrEqual(LIMITS.messageBlocksLength);
    expect(approvable).toBe(true);
    expect(JSON.stringify(blocks)).toContain('Read all, then decide');
    expect(textsOf(blocks).join('\n')).toMatch(/And \d+ more reasons and notes: read all to see them\./);
  });
});

test('whoever reads all finds every reason and note at the end', () => {
  const texts = textsOf(viewAllModal(crowded('x'), Number.POSITIVE_INFINITY)).join('\n');
  for (const index of [0, 10, 19]) expect(texts).toContain(`${index} xxx`);
  expect(texts.match(/Take note: /g)).toHaveLength(20);
  expect(texts).not.toContain('more reasons and notes');
});

test('a few reasons and notes are all on the card', () => {
  const source = crowded('x');
  const asked = source.approval.question as CallsQuestion;
  const [first] = asked.calls;
  if (!first) throw new Error('there is no call');
  const one = { ...source, approval: { ...source.approval, question: { ...asked, calls: [first] } } };
  expect(textsOf(renderCard(one, 'C0').blocks).join('\n')).not.toContain('more reason');
});
