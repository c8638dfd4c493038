/**
 * Tests the form in which a listed or a long call is decided.
 *
 * The form tells all that a card tells, since no card stands beside it.
 */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { rejectModal, sessionModal, someModal } from '../../../../shared/adapters/slack/cards/modals.ts';
import { viewAllModal } from '../../../../shared/adapters/slack/cards/view-all.ts';
import { checkView } from '../../../local/slack/block-kit/check.ts';
import { choiceSource, hostileCalls, sourceOf, textsOf } from './surfaces.ts';

const FORM = { metadata: '{}' };
const push = { id: 'call', toolName: 'Bash', input: { command: 'git push origin main' } };

describe('the form of a call that waits', () => {
  const { approval, proposal } = sourceOf([push], {}, { description: 'The fix is ready.' });
  const { question } = approval;
  const names = {
    tools: {},
    personName: () => undefined,
    ruleAt: () => 'countersign.yaml:12',
    rejectReasons: [],
  };

  test('tells who decides and until when, why, by which rule, and what the agent says', () => {
    const texts = textsOf(viewAllModal({ approval, proposal, names }, 0, FORM).blocks).join(' ');
    expect(texts).toMatch(/\*one of platform decides\* · until \*<!date/);
    expect(texts).toMatch(/Why you are asked: {1,2}A push leaves this machine\./);
    expect(texts).toContain('countersign.yaml:12');
    expect(texts).toMatch(/coder says: The fix is ready\./);
  });

  test('tells whose call it is, also once it is decided: a phone hides the card', () => {
    for (const status of ['pending', 'approved'] as const)
      expect(textsOf(viewAllModal({ approval: { ...approval, status }, proposal }, 0).blocks)).toContain(
        'Asked by coder, session main',
      );
  });

  test('takes note of what is certain, and of secrets that were taken out', () => {
    const calls =
      question.kind === 'calls'
        ? question.calls.map((call) => ({ ...call, touches: { paths: ['deletes build'] } }))
        : [];
    const marked = { ...push, input: { command: 'git push https://‹redacted: github›@git.example main' } };
    const source = {
      approval: { ...approval, question: { ...question, calls } as typeof question },
      proposal: { ...proposal, calls: [marked] } as typeof proposal,
    };
    const texts = textsOf(viewAllModal(source, 0, FORM).blocks).join(' ');
    expect(texts).toMatch(/Take note: {2}?deletes {2}?build/);
    expect(texts).toContain('1 secret was taken out before this was shown; the call runs with it.');
  });

  test('tells none of that once it is decided: nobody is asked any more', () => {
    const decided = { approval: { ...approval, status: 'approved' as const }, proposal };
    const texts = textsOf(viewAllModal(decided, 0).blocks).join(' ');
    expect(texts).not.toMatch(/Why you are asked|one of platform decides/);
  });

  test('asks of a severe call what the button of its card asks once more, and of a usual one nothing', () => {
    const severe = { ...question, severity: 'critical' as const, stages: [{ ...question.stages[0], quorum: 2 }] };
    const source = { approval: { ...approval, question: severe as typeof question }, proposal };
    const texts = textsOf(viewAllModal(source, 0, FORM).blocks);
    expect(texts).toContain('Critical: run this?\ngit push origin main\n1 more person has to agree.');
    expect(textsOf(viewAllModal(source, 0).blocks).join(' ')).not.toContain('run this?');
    expect(textsOf(viewAllModal({ approval, proposal }, 0, FORM).blocks).join(' ')).not.toContain('un this?');
  });

  test('tells why an agent policy asks about the action that it chose', () => {
    const texts = textsOf(viewAllModal(choiceSource(2, 'Refund the order.'), 0, FORM).blocks).join(' ');
    expect(texts).toContain('Why you are asked:');
  });

  test('is one that Slack takes, whatever agents write', () => {
    fc.assert(
      fc.property(hostileCalls, (calls) => {
        const source = sourceOf(calls, {}, { description: calls.map(({ toolName }) => toolName).join('*<!channel>') });
        expect(checkView(viewAllModal(source, 99, FORM), 'modal')).toEqual([]);
      }),
      { numRuns: 50 },
    );
  });
});

test('a form about many long calls names each of them to its end', () => {
  const calls = Array.from({ length: 20 }, (_, index) => ({
    id: `c${index}`,
    toolName: 'Bash',
    input: { command: `make ${'x '.repeat(130)}end${index}.` },
  }));
  const source = sourceOf(calls);
  const ids = calls.map(({ id }) => id);
  const context = { approval: 'a', digest: 'd', channel: 'C0', ts: '1', shown: true };
  for (const form of [
    someModal(context, source, ids),
    rejectModal(context, source, ids),
    sessionModal(context, source, 3_600_000),
  ]) {
    const text = textsOf(form.blocks).join('\n');
    for (const index of ids.keys()) expect(text).toContain(`end${index}.`);
    expect(checkView(form, 'modal')).toEqual([]);
  }
});
