/** Tests which edits of people count (D23): each has to answer the question about the call before it. */
import { describe, expect, test } from 'vitest';
import type { HumanAnswer, ToolCall } from '../../../../shared/contract/index.ts';
import { actionDigest } from '../../../../shared/domain/digest.ts';
import { effectiveCalls, questionDigest } from '../../../../shared/use-cases/kernel/calls/question/edits.ts';
import { Journal } from '../../../../shared/use-cases/kernel/state/journal.ts';

const PID = 'pid';
const call = (id: string, command: string): ToolCall => ({ id, toolName: 'Bash', input: { command } });
const PROPOSED = [call('a', 'make a'), call('b', 'make b')];

/** A person's edit of `asked` at `place`, with the faults that it may have. */
function edited(place: string, asked: readonly ToolCall[], to: ToolCall, more: Partial<HumanAnswer> = {}) {
  const known = asked.map((each) => ({ id: each.id, actionDigest: actionDigest(each) }));
  return {
    type: 'human',
    place,
    round: 0,
    result: 'edited',
    by: [],
    at: '2026-11-21T09:00:00.000Z',
    calls: asked.map(({ id }) => id),
    digest: questionDigest(PID, place, known),
    edit: { callId: to.id, input: to.input, actionDigest: actionDigest(to) },
    ...more,
  } as const;
}

const effective = (...answers: readonly object[]) =>
  effectiveCalls({ calls: PROPOSED }, new Journal(answers as never), PID);
const commands = ({ calls }: ReturnType<typeof effective>) =>
  calls.map(({ input }) => (input as { command: string }).command);

describe('an edit', () => {
  test('is applied to its call, and the next question is asked elsewhere', () => {
    const first = edited('calls', PROPOSED, call('a', 'make c'));
    const one = effective(first);
    expect([commands(one), one.place, [...one.edits.keys()]]).toEqual([['make c', 'make b'], 'calls.edit1', ['a']]);
    expect(one.edits.get('a')?.proposedDigest).toBe(actionDigest(call('a', 'make a')));
    const two = effective(first, edited('calls.edit1', [call('a', 'make c')], call('a', 'make d')));
    expect([commands(two), two.place, [...two.edits.keys()]]).toEqual([['make d', 'make b'], 'calls.edit2', ['a']]);
    const both = effective(first, edited('calls.edit1', [call('a', 'make c'), call('b', 'make b')], call('b', 'x')));
    expect([commands(both), [...both.edits.keys()]]).toEqual([
      ['make c', 'x'],
      ['a', 'b'],
    ]);
  });

  const to = call('a', 'make c');
  test.each<[string, object]>([
    ['about other calls', edited('calls', PROPOSED, to, { digest: 'x' })],
    ['about the call as it no longer is', edited('calls', [call('a', 'make z'), call('b', 'make b')], to)],
    ['of another approval', edited('calls', PROPOSED, to, { digest: questionDigest('other', 'calls', []) })],
    ['at another place', edited('calls.edit1', PROPOSED, to)],
    [
      'that is not what was agreed',
      edited('calls', PROPOSED, to, {
        edit: { callId: 'a', input: { command: 'rm x' }, actionDigest: actionDigest(to) },
      }),
    ],
    ['of a call that is not there', edited('calls', PROPOSED, call('z', 'make c'))],
    ['without words of its own', edited('calls', PROPOSED, to, { edit: undefined })],
    ['that is an approval', edited('calls', PROPOSED, to, { result: 'approved' })],
  ])('%s is void', (_, answer) => {
    const { calls, place, edits } = effective(answer);
    expect([calls, place, edits.size]).toEqual([PROPOSED, 'calls', 0]);
  });

  test('twenty are followed, and no more', () => {
    let now = PROPOSED[0] as ToolCall;
    const answers = Array.from({ length: 21 }, (_, n) => {
      const next = call('a', `make ${n}`);
      const answer = edited(n === 0 ? 'calls' : `calls.edit${n}`, [now], next);
      now = next;
      return answer;
    });
    const followed = effective(...answers);
    expect([commands(followed)[0], followed.place]).toEqual(['make 19', 'calls.edit20']);
  });
});

test('a question is known by its approval, its place, and each call with what it would run (G20)', () => {
  const of = (pid: string, place: string, id: string, digest: string | null) =>
    questionDigest(pid, place, [{ id, actionDigest: digest }]);
  const all = [
    of('p', 'calls', 'a', 'one'),
    of('p', 'calls', 'a', 'two'),
    of('p', 'calls', 'a', null),
    of('p', 'calls', 'b', 'one'),
    of('p', 'calls.edit1', 'a', 'one'),
    of('q', 'calls', 'a', 'one'),
  ];
  expect(new Set(all).size).toBe(all.length);
  expect(of('p', 'calls', 'a', null)).toBe(of('p', 'calls', 'a', ''));
});
