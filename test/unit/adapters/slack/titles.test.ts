/**
 * Tests titles of the policy file that agents fill in.
 *
 * A call has one name on every surface, and nothing in the name takes effect.
 */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { renderCard } from '../../../../shared/adapters/slack/cards/card.ts';
import type { CardSource } from '../../../../shared/adapters/slack/cards/card-source.ts';
import { renderList } from '../../../../shared/adapters/slack/cards/list-card.ts';
import { newsOf } from '../../../../shared/adapters/slack/cards/thread.ts';
import { viewAllModal } from '../../../../shared/adapters/slack/cards/view-all.ts';
import { homeView } from '../../../../shared/adapters/slack/home/home.ts';
import { checkBlocks, checkView } from '../../../local/slack/block-kit/check.ts';
import { harmless, hostileText, sourceOf, textsOf } from './surfaces.ts';

const tools = { Refund: { title: 'Refund {amount} for {order.id}' } };
const names = { tools, personName: () => undefined, ruleAt: () => undefined, rejectReasons: [] };
const ANN = { team: 'T0', user: 'U0ANN' };

function refund(input: Record<string, unknown>): CardSource {
  const source = sourceOf([{ id: 'call', toolName: 'Refund', input }]);
  const { approval } = source;
  const stages = approval.question.stages.map((stage) => ({ ...stage, remindMs: 1 }));
  const question = { ...approval.question, severity: 'critical' as const, stages };
  return { ...source, approval: { ...approval, question, reminders: 1 }, names };
}

/** Every surface that names the call: its blocks, and the text that a phone shows. */
function surfaces(source: CardSource) {
  const { approval, proposal } = source;
  const view = { approval, proposal: JSON.stringify(proposal), cards: [] } as never;
  const inbox = { waiting: [approval], hasMore: false, page: 0, pages: 1, shown: [{ view, proposal }] };
  const home = homeView({
    ...{ person: ANN, inbox: { ...inbox, forOthers: [], decided: [] }, given: [], delegations: [] },
    ...{ names: { tools, people: new Map(), address: undefined }, at: '2026-11-22T09:00:00.000Z' },
  });
  const list = renderList({ agent: 'coder', channel: 'C0', entries: [{ kind: 'asks', source }] });
  const decided = renderCard({ ...source, approval: { ...approval, status: 'rejected', endedAt: approval.expiresAt } });
  const news = newsOf(source, 'C0').map(({ note }) => note);
  return { home, messages: [renderCard(source), list, decided, ...news] };
}

test('whatever agents fill in, it is text on every surface, and Slack takes it', () => {
  fc.assert(
    fc.property(hostileText(400), hostileText(400), (amount, id) => {
      const source = refund({ amount, order: { id } });
      const { home, messages } = surfaces(source);
      harmless(home.blocks);
      expect(checkView(home, 'home')).toEqual([]);
      expect(checkView(viewAllModal(source, 0, { metadata: '{}' }), 'modal')).toEqual([]);
      for (const { text, blocks } of messages) {
        harmless(blocks);
        expect(text).not.toMatch(/<[!@#h]/);
        expect(checkBlocks(blocks, 'message', '/blocks')).toEqual([]);
      }
    }),
    { numRuns: 60 },
  );
});

test('the title is the name everywhere; with a value that is missing the tool is', () => {
  const named = surfaces(refund({ amount: '10 EUR', order: { id: 'A-7' } }));
  for (const { text, blocks } of named.messages) {
    expect(text).toContain('Refund 10 EUR for A-7');
    expect(textsOf(blocks).join(' ')).toContain('Refund 10 EUR for A-7');
  }
  expect(textsOf(named.home.blocks).join(' ')).toContain('Refund 10 EUR for A-7');
  for (const input of [
    {},
    { amount: '10 EUR' },
    { amount: '10 EUR', order: { id: {} } },
    { amount: ' ', order: { id: 'A-7' } },
  ])
    for (const { text } of surfaces(refund(input)).messages) expect(text).not.toMatch(/\{|undefined|\[object/);
});
