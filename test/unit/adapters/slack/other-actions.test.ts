/** Checks that a person sees whole what they have run in place of the chosen action (D23). */
import type { InputBlock } from '@slack/types';
import { describe, expect, test } from 'vitest';
import { renderCard } from '../../../../shared/adapters/slack/cards/card.ts';
import type { CardSource } from '../../../../shared/adapters/slack/cards/card-source.ts';
import { ACTION, readSubstitute, substituteModal } from '../../../../shared/adapters/slack/cards/modals.ts';
import { newsOf } from '../../../../shared/adapters/slack/cards/thread.ts';
import { pagesOf, viewAllModal } from '../../../../shared/adapters/slack/cards/view-all.ts';
import type { Action } from '../../../../shared/contract/action-space.ts';
import type { Decision } from '../../../../shared/contract/index.ts';
import { choiceDigest } from '../../../../shared/domain/digest.ts';
import { checkView } from '../../../local/slack/block-kit/check.ts';
import { choiceSource, DIGEST, textsOf } from './surfaces.ts';

const CONTEXT = { approval: 'a'.repeat(64), digest: DIGEST, channel: 'C0', ts: '1.1', shown: true };

function formOf(others: readonly Action[]) {
  const { approval, proposal } = choiceSource(0, 'text');
  if (proposal.kind !== 'action-choice') throw new Error('no choice');
  const actions = [...proposal.actionSpace.actions, ...others];
  const source: CardSource = {
    approval,
    proposal: { ...proposal, actionSpace: { ...proposal.actionSpace, actions } },
  };
  const view = substituteModal(CONTEXT, source);
  expect(checkView(view, 'modal')).toEqual([]);
  const menu = (view.blocks as InputBlock[]).find((one) => one.block_id === ACTION.block)?.element;
  const options = menu?.type === 'static_select' ? (menu.options ?? []) : [];
  const shown = view.blocks.flatMap((block) => (block.type === 'rich_text' ? [JSON.stringify(block)] : []));
  return { text: JSON.stringify(view.blocks), shown, options };
}

const release = (escrow: string): Action => ({
  flow_id: 'release_escrow',
  persona_id: 'seller',
  description: 'Pay the seller',
  instance_bindings: { Escrow: [escrow] },
});

describe('the form for another action', () => {
  test('shows what tells two actions of one flow and one description apart', () => {
    const others = [release('escrow-of-the-buyer'), release('escrow-of-everybody')];
    const { shown, options } = formOf(others);
    expect(options.map(({ text }) => text.text)).toEqual(['2 · release_escrow', '3 · release_escrow']);
    for (const [at, binding] of ['escrow-of-the-buyer', 'escrow-of-everybody'].entries()) {
      expect(shown[at]).toContain(`${at + 2} · release_escrow`);
      expect(shown[at]).toContain(binding);
      expect(shown[at]).toContain('seller');
      const chosen = readSubstitute(options[at]?.value ?? '');
      expect(chosen).toEqual({ index: at + 1, actionDigest: choiceDigest(others[at] as Action) });
    }
  });

  test('shows a flow whole whose name the menu cuts', () => {
    const long = `${'a'.repeat(100)}-and-delete-it`;
    expect(formOf([{ flow_id: long, persona_id: 'p' }]).shown[0]).toContain(long);
  });

  test('offers no action that it has no room to show', () => {
    const { text, options } = formOf([{ ...release('one'), description: 'x'.repeat(50_000) }, release('two')]);
    expect(options.map(({ text }) => text.text)).toEqual(['3 · release_escrow']);
    expect(text).toContain('1 more action does not fit here, and cannot be chosen.');
    expect(formOf([{ ...release('one'), description: 'x'.repeat(50_000) }]).text).toContain('cannot be chosen');
  });

  test('offers as many as a form has room for', () => {
    const { options, text } = formOf(Array.from({ length: 120 }, (_, at) => ({ flow_id: `f${at}`, persona_id: 'p' })));
    expect(options).toHaveLength(90);
    expect(text).toContain('30 more actions do not fit here');
  });
});

/** Somebody chose the third action. */
function chosenIn(source: CardSource): CardSource {
  const vote = { choice: 'substitute', index: 2, actionDigest: DIGEST, by: { team: 'T0', user: 'U0ANN' }, name: 'Ann' };
  const votes = [{ ...vote, stage: 0, at: '2026-11-22T09:30:00.000Z', via: 'slack' } as const];
  const ended = { status: 'substituted', votes, endedAt: votes[0]?.at } as never;
  return { ...source, approval: { ...source.approval, ...(ended as object) } };
}

test('the card names the action that somebody chose instead, and Show everything shows it whole', () => {
  const source = choiceSource(2, 'Pay <!channel> the seller');
  const done = chosenIn(source);
  expect(textsOf(renderCard(done)).join('\n')).toContain('Ann · instead: 3 · flow-2');
  const { blocks } = viewAllModal(done, 0);
  expect(checkView(viewAllModal(done, 0), 'modal')).toEqual([]);
  expect(JSON.stringify(blocks)).toContain('instead: 3 · flow-2');
  expect(JSON.stringify(blocks).match(/flow_id/g)).toHaveLength(2);
  expect(JSON.stringify(viewAllModal(source, 0).blocks)).not.toContain('instead');
});

test('Show everything shows an action that an operator chose, which no form would hold, page by page', () => {
  const source = choiceSource(2, 'Pay the seller');
  const long = { ...release('ж'.repeat(300_000)), flow_id: 'flow-2' };
  const { actionSpace } = source.proposal as Extract<CardSource['proposal'], { kind: 'action-choice' }>;
  const actions = [...actionSpace.actions.slice(0, 2), long];
  const proposal = { ...source.proposal, actionSpace: { ...actionSpace, actions } } as CardSource['proposal'];
  const done = chosenIn({ ...source, proposal });
  const pages = pagesOf(done).map((_, page) => viewAllModal(done, page));
  for (const page of pages) {
    expect(checkView(page, 'modal')).toEqual([]);
    expect(JSON.stringify(page).length).toBeLessThan(60_000);
  }
  expect(JSON.stringify(pages).match(/ж/g)).toHaveLength(300_000);
});

test('a chosen action that a rule denies is not said to be the one that was asked about', () => {
  const answer = { outcome: 'denied', reasonCode: 'rule_match', message: 'No.', decidedBy: { type: 'rule', id: 'r1' } };
  const decision = { ...answer, calls: [] } as unknown as Decision;
  const done = { ...chosenIn(choiceSource(2, 'Pay the seller')), decision };
  expect(newsOf(done, 'C0')[0]?.note.text).toBe(
    '<@U0ANN> 3 · flow-2 does not run although people chose it: a rule or a changed policy won.',
  );
  expect(renderCard(done).text).toMatch(/^Changed, then denied by policy: /);
});
