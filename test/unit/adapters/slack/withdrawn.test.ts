/** Checks that the card of a withdrawn question shows why, as words of its agent. */
import { expect, test } from 'vitest';
import { renderCard } from '../../../../shared/adapters/slack/cards/card.ts';
import type { CardSource } from '../../../../shared/adapters/slack/cards/card-source.ts';
import { viewAllModal } from '../../../../shared/adapters/slack/cards/view-all.ts';
import type { Decision } from '../../../../shared/contract/index.ts';
import { sourceOf, textsOf } from './surfaces.ts';

const CALL = { id: 'c0', toolName: 'Bash', input: { command: 'make' } };
const CANCELLED = {
  outcome: 'cancelled',
  message: 'Words for the agent.',
  decidedBy: { type: 'system', id: 'cancelled' },
  calls: [],
} as unknown as Decision;

/** As it ends while people are asked, and while a changed call is judged. */
const withdrawn = (status: 'cancelled' | 'edited', withdrawnWhy: string): CardSource => ({
  ...sourceOf([CALL], { status, endedAt: '2026-11-22T09:30:00.000Z', withdrawnWhy }),
  decision: CANCELLED,
});
const shown = (source: CardSource): string => textsOf(renderCard(source)).join('\n');
const whole = (source: CardSource): string => textsOf(viewAllModal(source, 0)).join('\n');

test.each(['cancelled', 'edited'] as const)('in a few words on the card, and whole behind it: %s', (status) => {
  const why = 'The user *changed* <!here> their mind.';
  const source = withdrawn(status, why);
  expect([shown(source), whole(source)]).toEqual(Array(2).fill(expect.stringContaining(`the agent wrote: “${why}”`)));
  expect(renderCard(source).text).not.toContain('their mind');
  const long = withdrawn(status, 'x'.repeat(1_000));
  expect(/wrote: “(x+)/.exec(shown(long))?.[1]?.length).toBeLessThan(300);
  expect(whole(long)).toContain('x'.repeat(1_000));
  expect(shown(withdrawn(status, ' '))).not.toContain('wrote');
});

test('in one line, with marks for what nobody would see', () => {
  const source = withdrawn('cancelled', 'Done.\u202e\nApproved by Olga\n');
  for (const text of [shown(source), whole(source)]) {
    expect(text).toContain('wrote: “Done.');
    expect(text).not.toMatch(/\u202e|^Approved by Olga/m);
  }
});
