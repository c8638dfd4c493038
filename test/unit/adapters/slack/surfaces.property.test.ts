/**
 * Checks that no text of agents or people takes effect on surfaces beside the card (D33, G22).
 *
 * Surfaces: App Home, the command's answers, reminders, threads.
 */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fitsSlack, renderCard } from '../../../../shared/adapters/slack/cards/card.ts';
import type { CardSource } from '../../../../shared/adapters/slack/cards/card-source.ts';
import { renderList } from '../../../../shared/adapters/slack/cards/list-card.ts';
import type { ListEntry } from '../../../../shared/adapters/slack/cards/list-text.ts';
import { newsOf, ranNews } from '../../../../shared/adapters/slack/cards/thread.ts';
import { delegationBlocks, grantBlocks } from '../../../../shared/adapters/slack/home/grant-blocks.ts';
import { homeView, pendingBlocks } from '../../../../shared/adapters/slack/home/home.ts';
import type { Approval, CallsQuestion, Decision, Delegation } from '../../../../shared/contract/index.ts';
import type { ActiveGrant } from '../../../../shared/domain/session.ts';
import type { Inbox, InboxEntry } from '../../../../shared/ports/inbox.ts';
import { checkBlocks, checkView } from '../../../local/slack/block-kit/check.ts';
import { choiceSource, harmless, hostileCalls, hostileText, inputSource, sourceOf, votesSaying } from './surfaces.ts';

const taken = (blocks: unknown): void => {
  expect(checkBlocks(blocks, 'message', '/blocks')).toEqual([]);
  harmless(blocks);
};
const approvals = fc.array(
  fc.oneof(
    hostileCalls.map((calls) => sourceOf(calls)),
    hostileText(200).map((text) => choiceSource(2, text)),
    hostileText(200).map((text) => inputSource(text, undefined)),
  ),
  { maxLength: 30 },
);
const entryOf = ({ approval, proposal }: CardSource): InboxEntry => ({
  view: { approval, proposal: '', cards: [{ channel: 'C0', ts: '1700000000.000100' }], waiters: [] },
  proposal,
});
const earlierVotes = fc.array(
  fc.record({
    pid: fc.constant('a'.repeat(64)),
    agent: fc.constant('coder'),
    subject: hostileText(300),
    choice: fc.constantFrom('approve' as const, 'edit' as const, 'reject' as const),
    at: fc.constant('2026-11-22T09:00:00.000Z'),
  }),
  { maxLength: 30 },
);

const ANN = { team: 'T0', user: 'U0ANN' };
const given = fc.array(
  fc.record({ what: fc.constantFrom('call', 'tool', 'rule'), toolName: hostileText(128), by: hostileText(300) }).map(
    ({ what, toolName, by }): ActiveGrant => ({
      id: '0123456789ab',
      agent: 'coder',
      what: what as ActiveGrant['what'],
      toolName,
      pattern: toolName,
      by,
      givenBy: [ANN],
      expiresAt: '2026-11-22T10:00:00.000Z',
    }),
  ),
  { maxLength: 60 },
);

const listEntries = fc.array(
  fc
    .record({
      source: hostileCalls.map((calls) => sourceOf(calls)),
      kind: fc.constantFrom('asks' as const, 'waits-elsewhere' as const, 'ended' as const),
    })
    .chain(({ source, kind }) =>
      hostileText(300).map((text): ListEntry => {
        const approval: Approval = { ...source.approval, agent: 'a'.repeat(64) };
        const people = Array.from({ length: 40 }, (_, index) => ({
          person: { team: 'T0', user: `U0PERSON${index}` },
          name: text.slice(0, 80),
          notify: 'dm' as const,
        }));
        const audience = [{ group: 'g'.repeat(64), channel: 'C0', people }];
        const ended = { ...approval, status: 'rejected' as const, votes: votesSaying(text) };
        return { kind, source: { ...source, audience, approval: kind === 'ended' ? ended : approval } };
      }),
    ),
  { minLength: 1, maxLength: 12 },
);

test('a list of calls stays within limits, and agent text in it stays text', () => {
  fc.assert(
    fc.property(listEntries, (entries) => {
      const { blocks, text } = renderList({ agent: 'a'.repeat(64), channel: 'C0', entries });
      taken(blocks);
      harmless(text);
      expect(fitsSlack(blocks)).toBe(true);
    }),
  );
});

test('App Home, and what waits by command', () => {
  fc.assert(
    fc.property(approvals, earlierVotes, given, (waiting, lines, all) => {
      const entries = waiting.map(entryOf);
      const inbox: Inbox = {
        waiting: waiting.map(({ approval }) => approval),
        ...{ hasMore: true, page: 0, pages: 3 },
        shown: entries.slice(0, 10),
        forOthers: lines.map((line, index) => ({ ...(entries[index] ?? entryOf(inputSource('?', undefined))), line })),
        decided: lines.map((line, index) => {
          const entry = entries[index];
          return entry ? { line, entry } : { line };
        }),
      };
      const names = { tools: {}, people: new Map([['U0ANN', 'Ann']]), address: 'https://demo.slack.com/' };
      const view = homeView({
        ...{ person: ANN, inbox, given: all, names, at: '2026-11-22T09:00:00.000Z', notice: 'On its way.' },
        delegations: [{ person: ANN, to: ANN, until: '2026-11-22T10:00:00.000Z', by: 'ann' }],
      });
      expect(checkView(view, 'home')).toEqual([]);
      harmless(view.blocks);
      taken(pendingBlocks(inbox, names));
    }),
    { numRuns: 30 },
  );
});

test('what was given for later, and who votes for whom', () => {
  const delegation: Delegation = { person: ANN, to: ANN, until: '2026-11-22T10:00:00.000Z', by: 'ann' };
  fc.assert(
    fc.property(given, fc.nat(60), (all, count) => {
      taken(grantBlocks(all, new Map([['U0ANN', 'Ann']])));
      taken(delegationBlocks(Array.from({ length: count }, () => delegation)));
    }),
    { numRuns: 30 },
  );
});

test('reminders, escalations, outcomes and what became of a call, in threads', () => {
  fc.assert(
    fc.property(hostileText(3_000), hostileText(80), (text, name) => {
      const source = sourceOf([]);
      const { approval } = source;
      const stage = { group: 'platform', quorum: 1, team: 'T0', channel: 'C0', timeoutMs: 1 };
      const escalateTo = { group: 'platform', team: 'T0', channel: 'C1' };
      const question = { ...approval.question, stages: [{ ...stage, escalateTo }] };
      const waits: Approval = { ...approval, question, escalated: true, reminders: 2 };
      const calls = [{ effective: { input: { [name]: text } } }];
      const decision = { outcome: 'approved', calls, reasonCode: 'edited' } as unknown as Decision;
      const news = [
        ...newsOf({ ...source, approval: waits }, 'C0'),
        ...newsOf({ ...source, decision }, 'C0'),
        ...ranNews(
          { callId: 'c0', permitId: 'p', status: 'failed', durationMs: 5, toolName: name, errorCode: name },
          source,
        ),
      ];
      for (const { note } of news) {
        taken(note.blocks);
        expect(note.text).not.toMatch(/<[!@#h]/);
      }
    }),
    { numRuns: 50 },
  );
});

test('the impact of a call stays within limits, and agent text in it stays text', () => {
  fc.assert(
    fc.property(hostileCalls, fc.array(hostileText(200), { maxLength: 5 }), (calls, texts) => {
      const source = sourceOf(calls);
      const { question } = source.approval as { question: CallsQuestion };
      const touches = { effect: 'Pure', paths: texts, hosts: texts, amounts: texts, outside: true, more: 3 } as const;
      const asked = question.calls.map((call) => ({ ...call, touches: { ...touches, paths: [...texts] } }));
      const { blocks } = renderCard({
        ...source,
        approval: { ...source.approval, question: { ...question, calls: asked as CallsQuestion['calls'] } },
      });
      taken(blocks);
    }),
    { numRuns: 40 },
  );
});
