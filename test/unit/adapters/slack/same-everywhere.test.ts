/** Checks that forms, lists and App Home tell the facts of a card, as it does. */
import { describe, expect, test } from 'vitest';
import { renderCard } from '../../../../shared/adapters/slack/cards/card.ts';
import { confirmOf } from '../../../../shared/adapters/slack/cards/card-buttons.ts';
import type { CardSource } from '../../../../shared/adapters/slack/cards/card-source.ts';
import { renderList } from '../../../../shared/adapters/slack/cards/list-card.ts';
import { sessionModal } from '../../../../shared/adapters/slack/cards/modals.ts';
import { newsOf } from '../../../../shared/adapters/slack/cards/thread.ts';
import { viewAllModal } from '../../../../shared/adapters/slack/cards/view-all.ts';
import { delegationBlocks } from '../../../../shared/adapters/slack/home/grant-blocks.ts';
import { homeView, pendingBlocks } from '../../../../shared/adapters/slack/home/home.ts';
import type { Approval, ToolCall, ToolCallProposal, Vote } from '../../../../shared/contract/index.ts';
import { checkBlocks, checkView } from '../../../local/slack/block-kit/check.ts';
import { choiceSource, sourceOf, textsOf } from './surfaces.ts';

const FORM = { metadata: '{}' };
const CONTEXT = { approval: '', digest: '', channel: 'C0', ts: '1', shown: true };
const ANN = { team: 'T0', user: 'U0ANN' };
const push = { id: 'call', toolName: 'Bash', input: { command: 'git push origin main' } };
const formOf = (source: CardSource): string => textsOf(viewAllModal(source, 0, FORM).blocks).join('\n');
const cardOf = (source: CardSource): string => textsOf(renderCard(source).blocks).join('\n');
const names = { tools: {}, people: new Map<string, string>(), address: undefined };
const at = '2026-11-22T09:00:00.000Z';

function homeOf({ approval, proposal }: CardSource): string {
  const view = { approval, proposal: JSON.stringify(proposal), cards: [] } as never;
  const inbox = { waiting: [approval], hasMore: false, page: 0, pages: 1, shown: [{ view, proposal }] };
  return textsOf(pendingBlocks({ ...inbox, forOthers: [], decided: [] }, names)).join('\n');
}

const LIST = { agent: 'coder', channel: 'C0' };
const listOf = (source: CardSource): string =>
  textsOf(renderList({ ...LIST, entries: [{ kind: 'asks', source }] }).blocks).join('\n');

describe('the form of a listed call', () => {
  test('tells of the session that the call also starts', () => {
    const starts = { agentId: 'helper', sessionId: 'deep-1' };
    const source = sourceOf([push], {}, { starts } as Partial<ToolCallProposal>);
    const words = 'This also starts the session deep-1 of helper, which asks this session from then on.';
    const places = [cardOf(source), formOf(source), textsOf(sessionModal(CONTEXT, source, 3_600_000)).join('\n')];
    for (const text of places) expect(text).toContain(words);
  });

  test('tells of a text that goes on behind blanks, and of the one line that differs among many', () => {
    const hidden = sourceOf([{ ...push, input: { command: `ls${' '.repeat(200)}rm -rf .` } }]);
    for (const text of [cardOf(hidden), formOf(hidden)]) expect(text).toContain('The text goes on behind 200 blanks.');
    const lines = Array.from({ length: 20 }, (_, index) => `line ${index}`);
    const edit = (last: string) => [...lines, last, ...lines].join('\n');
    const input = { file_path: 'a.ts', new_string: edit('if (!admin)'), old_string: edit('if (admin)') };
    const source = sourceOf([{ id: 'call', toolName: 'Edit', input }]);
    for (const text of [cardOf(source), formOf(source)]) {
      expect(text).toContain('The two texts differ only here, from line 21 on:');
      expect(text.indexOf('- if (admin)\n+ if (!admin)')).toBeLessThan(text.indexOf('line 0\nline 1'));
    }
  });

  test('tells in whose name it is asked', () => {
    const source = sourceOf([push], { requester: ANN });
    for (const text of [cardOf(source), formOf(source)]) expect(text).toContain('in the name of U0ANN');
    expect(formOf(sourceOf([push]))).not.toContain('in the name of');
  });
});

test('an action goes by its flow everywhere, before the description that its agent gives it', () => {
  const source = choiceSource(1, 'Send a note of thanks');
  const { approval } = source;
  const question = { ...approval.question, severity: 'critical' as const };
  const severe = { ...source, approval: { ...approval, question, reminders: 1 } };
  const decided = { ...source, approval: { ...approval, status: 'rejected' as const, endedAt: approval.expiresAt } };
  const confirmed = textsOf(confirmOf(severe)).join('\n');
  const reminded = newsOf(severe, 'C0').map(({ note }) => note.text);
  const places = [renderCard(source).text, renderCard(decided).text, cardOf(decided), homeOf(source), confirmed];
  expect(reminded).toHaveLength(1);
  for (const text of [...places, ...reminded]) expect(text).toContain('flow-0: Send a note of thanks');
});

test('secrets that were taken out of a chosen action are counted, on its card and in its form', () => {
  for (const text of [cardOf, formOf].map((surface) => surface(choiceSource(1, 'Pay with ‹redacted: github›'))))
    expect(text).toContain('secrets were taken out before this was shown');
});

describe('silence that would let it run', () => {
  const silent = (more: Partial<Approval> = {}, says: Partial<ToolCallProposal> = {}, calls: ToolCall[] = [push]) => {
    const { approval, proposal } = sourceOf(calls, more, says);
    return { approval: { ...approval, question: { ...approval.question, onTimeout: 'approve' as const } }, proposal };
  };
  const listed = (source: CardSource) => renderList({ ...LIST, entries: [{ kind: 'asks', source }] }).text;
  const reminded = ({ approval, ...rest }: CardSource) =>
    newsOf({ ...rest, approval: { ...approval, reminders: 1 } }, 'C0')[0]?.note.text ?? '';
  const places = [cardOf, formOf, homeOf, listOf, (source: CardSource) => renderCard(source).text, listed, reminded];
  const told = (source: CardSource) =>
    places.map((place) => place(source).toLowerCase().includes('then it runs without an answer'));
  const everywhere = (is: boolean) => places.map(() => is);
  const vote = { by: ANN, name: 'U0ANN', stage: 0, at, via: 'slack' } as const;

  test('is told everywhere', () => {
    expect(told(silent())).toEqual(everywhere(true));
  });

  test('is told of an action that a policy chose as a yes to that policy: a rule may ask after it', () => {
    const { approval, ...rest } = choiceSource(1, 'Refund');
    const source = {
      ...rest,
      approval: { ...approval, question: { ...approval.question, onTimeout: 'approve' as const } },
    };
    expect(told(source)).toEqual(everywhere(false));
    for (const place of [cardOf, formOf, homeOf, (one: CardSource) => renderCard(one).text])
      expect(place(source)).toMatch(/then no answer counts as a yes, and a rule may ask once more/i);
  });

  test('is told nowhere once somebody rejected it, or one call of it', () => {
    const stages = [{ group: 'platform', quorum: 2, team: 'T0', channel: 'C0', rejectEnds: false as const }];
    const rejecting = (source: CardSource, votes: Vote[]): CardSource => ({
      ...source,
      approval: { ...source.approval, question: { ...source.approval.question, stages }, votes },
    });
    expect(told(rejecting(silent(), [{ ...vote, choice: 'reject' }]))).toEqual(everywhere(false));
    const two = silent({}, {}, [push, { ...push, id: 'other' }]);
    const calls = [{ id: 'other', choice: 'reject' as const }];
    expect(told(rejecting(two, [{ ...vote, choice: 'approve', calls }]))).toEqual(everywhere(false));
    expect(told(rejecting(silent(), [{ ...vote, choice: 'approve' }]))).toEqual(everywhere(true));
  });

  test('is told nowhere where the agent ends the wait itself, or a mark hides what would run', () => {
    expect(told(silent({}, { expiresAt: '2026-11-22T10:00:00.000Z' }))).toEqual(everywhere(false));
    expect(told(silent({}, { expiresAt: '2026-11-22T11:00:00.000Z' }))).toEqual(everywhere(true));
    const hidden = { ...push, input: { command: '‹redacted: github› push' } };
    expect(told(silent({}, {}, [hidden]))).toEqual(everywhere(false));
  });
});

test('a question whose menu would be empty has no menu: Slack takes its card and its form', () => {
  const long = Array.from({ length: 20 }, (_, index) => ({
    id: `c${index}`,
    toolName: 'Bash',
    input: { command: 'x'.repeat(2_000) },
  }));
  const { approval, proposal } = sourceOf(long);
  const stages = [{ group: 'olga', quorum: 1, team: 'T0', channel: 'U0OLGA', by: 'requester' as const }];
  const question = { ...approval.question, offers: ['approve' as const, 'reject' as const], stages };
  const source = { approval: { ...approval, question }, proposal };
  expect(checkBlocks(renderCard(source).blocks, 'message', '/blocks')).toEqual([]);
  expect(JSON.stringify(renderCard(source).blocks)).toContain('Read all, then decide…');
  const view = viewAllModal(source, 20, FORM);
  expect(JSON.stringify(view)).toContain('Approve all 20');
  expect(checkView(view, 'modal')).toEqual([]);
});

test('an approval for every call of several tools names each of them in full', () => {
  const tools = ['mcp__github__create_pull_request_review', 'mcp__github__delete_repository_and_its_forks'];
  const source = sourceOf(tools.map((toolName, index) => ({ id: `c${index}`, toolName, input: {} })));
  const texts = textsOf(sessionModal(CONTEXT, source, 3_600_000));
  expect(texts).toContain(`Every call of ${tools.join(' and ')}`);
});

test('delegations that are not shown are counted, in App Home and in the answer of the command', () => {
  const delegations = Array.from({ length: 42 }, (_, index) => ({
    person: { team: 'T0', user: `U0AWAY${index}` },
    to: ANN,
    until: '2026-11-24T09:00:00.000Z',
    by: 'U0ANN',
  }));
  const inbox = { waiting: [], hasMore: false, page: 0, pages: 1, shown: [], forOthers: [], decided: [] };
  const home = (some: typeof delegations) =>
    textsOf(homeView({ person: ANN, inbox, given: [], delegations: some, at, names }).blocks).join('\n');
  expect(home(delegations)).toContain('And 37 more: /countersign delegate lists them.');
  expect(home(delegations.slice(0, 5))).not.toContain('more: /countersign');
  expect(textsOf(delegationBlocks(delegations))).toContain('And 2 more.');
  expect(textsOf(delegationBlocks(delegations.slice(0, 40)))).not.toContain('And 0 more.');
});

test('where Slack does not tell who somebody is, their inbox does not say that nothing waits', () => {
  const inbox = { waiting: [], hasMore: false, page: 0, pages: 1, shown: [], forOthers: [], decided: [] };
  const told = textsOf(pendingBlocks({ ...inbox, isUnsure: true }, names)).join('\n');
  expect(told).toContain('What waits for you is not known just now');
  expect(told).toContain('Look again in a minute.');
  expect(told).not.toContain('Nothing waits');
  expect(textsOf(pendingBlocks(inbox, names)).join('\n')).toContain('Nothing waits for you');
});
