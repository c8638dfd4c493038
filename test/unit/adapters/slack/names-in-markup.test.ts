/** Checks that names of others are no emoji and no markup in fine print, notifications and answers. */
import { describe, expect, test } from 'vitest';
import { renderCard } from '../../../../shared/adapters/slack/cards/card.ts';
import { renderList } from '../../../../shared/adapters/slack/cards/list-card.ts';
import { refusalFor } from '../../../../shared/adapters/slack/cards/refusals.ts';
import { newsOf } from '../../../../shared/adapters/slack/cards/thread.ts';
import { inMarkup, inText } from '../../../../shared/adapters/slack/elements/text.ts';
import { homeView } from '../../../../shared/adapters/slack/home/home.ts';
import { EMOJI, harmless, sourceOf } from './surfaces.ts';

const at = '2026-11-22T09:00:00.000Z';
const NAME = ':white_check_mark:';
const ANN = { team: 'T0', user: 'U0ANN' };
const stages = [{ group: NAME, quorum: 2, team: 'T0', channel: 'C0', timeoutMs: 600_000 }];

function hostile() {
  const { approval, proposal } = sourceOf([
    { id: 'c0', toolName: NAME, input: { command: `echo ${NAME}` }, cwd: NAME },
  ]);
  const asked = { ...approval, agent: NAME, sessionId: NAME, question: { ...approval.question, stages } };
  return { approval: asked, proposal };
}

describe('a name like an emoji', () => {
  test('is text in App Home', () => {
    const { approval, proposal } = hostile();
    const view = { approval, proposal: JSON.stringify(proposal), cards: [] } as never;
    const given = [{ id: 'g1', what: 'tool', agent: NAME, sessionId: NAME, toolName: NAME, by: NAME, givenBy: [] }];
    const { blocks } = homeView({
      person: ANN,
      inbox: {
        waiting: [approval],
        hasMore: false,
        page: 0,
        pages: 1,
        shown: [{ view, proposal }],
        forOthers: [],
        decided: [],
      },
      given: given as never,
      delegations: [],
      names: { tools: {}, people: new Map(), address: undefined },
      at,
    });
    harmless(blocks);
    expect(JSON.stringify(blocks)).toContain(':\u200awhite_check_mark:');
  });

  test('is text on cards, lists and in threads, and in what phones show of them', () => {
    const source = hostile();
    const list = renderList({ agent: NAME, channel: 'C0', entries: [{ kind: 'asks', source }] });
    const reminded = { ...source, approval: { ...source.approval, reminders: 1 } };
    for (const { text, blocks } of [renderCard(source), list, ...newsOf(reminded, 'C0').map(({ note }) => note)]) {
      harmless(blocks);
      expect(text).not.toMatch(EMOJI);
    }
  });

  test('is text in the private answer to a click', () => {
    const { approval } = hostile();
    const people = { bob: { name: NAME, team: 'T0', user: 'U0BOB' } };
    const policy = { settings: { people, channels: {} }, membersOf: () => [{ team: 'T0', user: 'U0BOB' }] };
    for (const refusal of ['owner_cannot_approve', 'not_in_group'] as const)
      expect(refusalFor({ refusal, approval }, ANN, policy as never)).not.toMatch(EMOJI);
  });
});

test('a name keeps its letters: within a word an underscore formats nothing', () => {
  expect(inMarkup('my_agent_2')).toBe('my_agent_2');
  expect(inMarkup('_x_ *y* ~z~ `a`')).toBe(' x   y   z   a ');
  expect(inMarkup('<!channel> & <@U0ANN>')).toBe('&lt;!channel&gt; &amp; &lt;@U0ANN&gt;');
  expect(inText('a:b at 10:30')).toBe('a:b at 10:30');
});
