/**
 * Checks every word on the cards of usual questions, to the letter.
 *
 * Read a difference, then run the test with `-u`.
 */
import { expect, test } from 'vitest';
import { renderCard } from '../../../../shared/adapters/slack/cards/card.ts';
import type { CardSource } from '../../../../shared/adapters/slack/cards/card-source.ts';
import { choiceSource, inputSource, sourceOf, textsOf, votesSaying } from './surfaces.ts';

const push = { id: 'call', toolName: 'Bash', input: { command: 'git push origin main' } };
const edit = { id: 'other', toolName: 'Edit', input: { file_path: 'src/a.ts', old_string: 'a', new_string: 'b' } };

const withHints = (source: CardSource): CardSource => ({
  ...source,
  proposal: { ...source.proposal, urgency: 'critical', runId: 'r-17' },
});

const CARDS: Readonly<Record<string, CardSource>> = {
  'one call': sourceOf([push], {}, { title: 'Push', description: 'The fix is ready.' }),
  'a call with the hints of the agent': withHints(
    sourceOf([{ ...push, annotations: { title: 'Publish', destructiveHint: true, idempotentHint: false } }]),
  ),
  'two calls': sourceOf([push, edit]),
  'a call with votes': sourceOf([push], { votes: votesSaying('Not today.') }),
  'a call that was approved': sourceOf([push], { status: 'approved', version: 1 }),
  'a call that nobody answered': sourceOf([push], { status: 'expired', version: 1 }),
  'an action of a policy': choiceSource(1, 'Refund the order.'),
  'a question of the agent': inputSource('Which branch?', ['main', 'next']),
};

test('cards show these words', async () => {
  const shown = Object.entries(CARDS).map(([name, source]) => {
    const { text, blocks } = renderCard(source);
    return `# ${name}\n${textsOf({ text, blocks }).join('\n')}\n`;
  });
  await expect(shown.join('\n')).toMatchFileSnapshot('golden/cards.txt');
});
