/** Checks that a menu's option counts only on the card of the approval that its block names. */
import type { KnownBlock } from '@slack/types';
import { expect, it } from 'vitest';
import { holdsButton } from '../../../functions/slack/clicks.ts';
import { renderCard } from '../../../shared/adapters/slack/cards/card.ts';
import { ACTIONS, blockIdOf, readBlockId } from '../../../shared/adapters/slack/elements/actions.ts';
import { LIMITS } from '../../local/slack/block-kit/limits.ts';
import { sourceOf } from '../../unit/adapters/slack/surfaces.ts';

const source = sourceOf([{ id: 'c0', toolName: 'Bash', input: { command: 'ls' } }]);
const { pid, question } = source.approval;
const block = blockIdOf({ approval: pid, digest: question.digest });
const option = (value: string, block_id = block) =>
  ({ type: 'overflow', action_id: ACTIONS.more, block_id, selected_option: { value } }) as never;
const message = (blocks: readonly KnownBlock[]) => ({ blocks }) as never;
const shown = message(renderCard(source).blocks);

it('its block says which approval, and what was shown, within what Slack takes', () => {
  expect(readBlockId(block)).toEqual({ approval: pid, digest: question.digest });
  expect(block.length).toBeLessThanOrEqual(255);
  for (const verb of Object.values(ACTIONS)) expect(verb.length).toBeLessThanOrEqual(LIMITS.optionValue);
  for (const text of ['', 'countersign:', `${block}x`.replace(':', ';'), 'countersign:zz:zz', undefined])
    expect(readBlockId(text)).toBeUndefined();
});

it('an option that the card shows is one of it', () => {
  expect(holdsButton(shown, option(ACTIONS.edit))).toBe(true);
});

it.each([
  ['the card does not offer', ACTIONS.substitute, block],
  [
    'stands in the block of another approval',
    ACTIONS.edit,
    blockIdOf({ approval: 'b'.repeat(64), digest: question.digest }),
  ],
  ['was shown beside another call', ACTIONS.edit, blockIdOf({ approval: pid, digest: 'e'.repeat(64) })],
])('an option that %s is none', (_, verb, block_id) => {
  expect(holdsButton(shown, option(verb, block_id))).toBe(false);
});

it('a button without a value is none of an element without one', () => {
  const click = { type: 'button', action_id: 'x', block_id: block, value: undefined } as never;
  expect(holdsButton(message([{ type: 'actions', elements: [] }]), click)).toBe(false);
});

it('once the card was drawn without a menu nothing of it counts', () => {
  const decided = renderCard({ ...source, approval: { ...source.approval, status: 'rejected' } });
  expect(holdsButton(message(decided.blocks), option(ACTIONS.edit))).toBe(false);
});
