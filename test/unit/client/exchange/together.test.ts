/**
 * Checks the calls of one turn in one proposal: one card, and a part of the decision each.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, describe, expect, test } from 'vitest';
import { CountersignClient, type GuardedCall, type GuardSettings } from '../../../../shared/client/index.ts';
import {
  type ApproverAnswer,
  type AskedQuestion,
  createTestGate,
  FakeClock,
  ScriptedApprover,
  type TestGate,
} from '../../../../shared/testing/index.ts';
import { GUARDED_POLICY } from '../guarded-policy.ts';

let gate: TestGate | undefined;
afterEach(() => gate?.stop());

const refund = (amount: unknown, callId = `call_${amount}`): GuardedCall => ({
  callId,
  tool: 'Refund',
  input: { amount },
});
const lookup: GuardedCall = { callId: 'call_l', tool: 'Lookup', input: {} };
const wipe: GuardedCall = { callId: 'call_w', tool: 'Wipe', input: {} };
const echo = async (input: object) => input;
const approve: ApproverAnswer = { choice: 'approve' };

/** A gate, and the guard of one run. Another process: another client of the same gate. */
function guardWith(answers: readonly ApproverAnswer[], settings: Omit<GuardSettings, 'run'> = {}, clock?: FakeClock) {
  const approver = new ScriptedApprover(answers);
  const sent: string[] = [];
  const started = createTestGate({
    policy: GUARDED_POLICY,
    ...(answers.length ? { approver: approver.answer } : {}),
    ...(clock ? { clock } : {}),
  });
  gate = started;
  const options = started.clientOptions('coder');
  const queue = {
    publish: async (body: string, agent: string) => {
      sent.push(body);
      await options.queue?.publish(body, agent);
    },
  };
  const guard = () => new CountersignClient({ ...options, queue }).guard({ run: 'run-1', ...settings });
  return { gate: started, approver, guard, sent };
}

const idsOf = ({ proposal }: AskedQuestion) =>
  proposal.kind === 'tool-call' ? proposal.calls.map(({ id }) => id) : [];
const cardsOf = (approver: ScriptedApprover) => approver.asked.map(idsOf);

describe('the calls of one turn', () => {
  test('are sent once and asked about on one card, and each runs its own arguments', async () => {
    const { guard, approver, sent } = guardWith([approve]);
    const calls = [refund(1), refund(2), lookup];
    const run = guard();
    expect(await Promise.all(calls.map((call) => run.together(calls).asks(call)))).toEqual([true, true, true]);
    const ran = await Promise.all(calls.map((call) => run.together(calls).run(call, echo)));
    expect(ran).toEqual([{ amount: 1 }, { amount: 2 }, {}]);
    expect(cardsOf(approver)).toEqual([['call_1', 'call_2', 'call_l']]);
    expect(sent).toHaveLength(1);
  });

  test('nobody is asked about calls that rules decide', async () => {
    const { guard } = guardWith([]);
    const calls = [lookup, wipe];
    const turn = guard().together(calls);
    expect(await turn.asks(lookup)).toBe(false);
    expect(await turn.run(lookup, echo)).toEqual({});
    await expect(turn.run(wipe, echo)).rejects.toMatchObject({ code: 'denied' });
  });

  test('one refusal, by a person or a rule, is for its own call alone', async () => {
    const rejected = { id: 'call_2', choice: 'reject', reason: 'Too much.' } as const;
    const { guard } = guardWith([{ choice: 'approve', calls: [{ id: 'call_1', choice: 'approve' }, rejected] }]);
    const calls = [refund(1), refund(2), lookup, wipe];
    const turn = guard().together(calls);
    const ends = await Promise.allSettled(calls.map((call) => turn.run(call, echo)));
    expect(ends).toMatchObject([
      { value: { amount: 1 } },
      { reason: { code: 'denied', message: expect.stringContaining('refused this call: Too much.') } },
      { value: {} },
      { reason: { code: 'denied' } },
    ]);
  });

  test('a call with the same arguments as an approved one stays refused', async () => {
    const calls = [refund(5, 'a'), refund(5, 'b')];
    const { guard } = guardWith([
      {
        choice: 'approve',
        calls: [
          { id: 'a', choice: 'reject', reason: 'Once.' },
          { id: 'b', choice: 'approve' },
        ],
      },
    ]);
    const turn = guard().together(calls);
    await expect(turn.run(refund(5, 'a'), echo)).rejects.toThrow('Once.');
    expect(await turn.decide(refund(5, 'b'))).toMatchObject({ outcome: 'approved', input: { amount: 5 } });
  });

  test('each call has a permit of its own', async () => {
    const calls = [refund(5, 'a'), refund(5, 'b')];
    const { guard } = guardWith([approve]);
    const turn = guard().together(calls);
    const [a, b] = await Promise.all(calls.map((call) => turn.decide(call)));
    if (a?.outcome !== 'approved' || b?.outcome !== 'approved') throw new Error('both are approved');
    expect(a.permit.permitId).not.toBe(b.permit.permitId);
  });

  test('a call runs what a person made of its arguments, and the model is told', async () => {
    const { guard } = guardWith([
      { choice: 'edit', callId: 'call_50', input: { amount: 5 } },
      { choice: 'approve', by: 'bob' },
    ]);
    // People cannot edit one of several calls.
    const calls = [refund(50), lookup];
    const turn = guard().together(calls);
    expect(await turn.answer(refund(50), () => 'paid')).toBe(
      'paid\n\nThis call ran with {"amount":5} in place of the arguments that you proposed.',
    );
    expect(await turn.run(lookup, echo)).toEqual({});
  });

  test('meet the same proposal in another process, and nobody is asked again', async () => {
    const { guard, approver } = guardWith([approve]);
    const calls = [refund(1), refund(2)];
    await guard().together(calls).asks(refund(1));
    expect(await guard().together(calls).run(refund(1), echo)).toEqual({ amount: 1 });
    expect(await guard().together(calls).asks(refund(2))).toBe(true);
    expect(await guard().together(calls).run(refund(2), echo)).toEqual({ amount: 2 });
    approver.assertDone();
  });

  test('run one after another where their tool takes one at a time', async () => {
    const { guard } = guardWith([approve]);
    const calls = Array.from({ length: 6 }, (_, at) => refund(at));
    const turn = guard().together(calls);
    const ran = calls.map((call) =>
      turn.run(call, async (input) => {
        await pause(5);
        return input;
      }),
    );
    expect(await Promise.all(ran)).toEqual(calls.map(({ input }) => input));
  });

  test('may have ids that no proposal can state', async () => {
    const { guard, approver } = guardWith([approve]);
    const calls = [refund(1, 'call/ü'.repeat(60)), refund(2, 'call/ö')];
    const turn = guard().together(calls);
    expect(await Promise.all(calls.map((call) => turn.run(call, echo)))).toEqual([{ amount: 1 }, { amount: 2 }]);
    approver.assertDone();
  });

  test('share the words of the settings, and their folder', async () => {
    const { guard, approver } = guardWith([approve], { title: 'Two refunds', cwd: '/srv/billing' });
    const calls = [refund(1), refund(2)];
    const turn = guard().together(calls);
    expect(await Promise.all(calls.map((call) => turn.run(call, echo)))).toEqual([{ amount: 1 }, { amount: 2 }]);
    expect(approver.asked[0]?.proposal).toMatchObject({ title: 'Two refunds', calls: [{ cwd: '/srv/billing' }, {}] });
  });
});

describe('alone is proposed', () => {
  const big = 'x'.repeat(14_000);
  test.each<[string, readonly GuardedCall[]]>([
    ['the only call of a turn', [refund(1)]],
    ['each of two calls with the same id', [refund(1, 'a'), refund(2, 'b'), refund(3, 'b')]],
    ['each of more than 20 calls', Array.from({ length: 21 }, (_, at) => refund(at))],
    ['each of the calls that no message holds together', Array.from({ length: 20 }, (_, at) => refund(big, `a${at}`))],
    ['each of two calls, one of which has words of its own', [refund(1), { ...refund(2), title: 'A refund' }]],
    ['each call beside one without an id', [refund(1), refund(2, '')]],
    ['each call beside one with an id that is no text', [refund(1), refund(2, 7 as never)]],
    ['each call beside one that JSON cannot hold', [refund(1), refund(Number.NaN, 'b')]],
    ['each call beside one that the gate cannot read', [refund(1), refund(2 ** 60, 'b')]],
  ])('%s', async (_which, calls) => {
    const { guard, approver } = guardWith([approve]);
    const [first = lookup] = calls;
    expect(await guard().together(calls).run(first, echo)).toEqual(first.input);
    expect(approver.asked.map(({ proposalId }) => proposalId)).toEqual([`run-1:${first.callId}`]);
    expect(cardsOf(approver)).toEqual([['call']]);
  });

  test('each call of a run whose settings name one key', async () => {
    const { guard, approver } = guardWith([approve], { idempotencyKey: 'key-1' });
    expect(
      await guard()
        .together([refund(1), refund(2)])
        .run(refund(1), echo),
    ).toEqual({ amount: 1 });
    expect(cardsOf(approver)).toEqual([['call']]);
  });

  test.each<[string, GuardedCall]>([
    ['is not among them', refund(3)],
    ['has other arguments by now', refund(9_999, 'call_1')],
    ['is of another tool by now', { ...refund(1), tool: 'Lookup' }],
    ['is in another folder by now', { ...refund(1), cwd: '/etc' }],
  ])('a call that %s: the approval of the others does not count for it', async (_which, call) => {
    const { guard, gate: started } = guardWith([approve, { choice: 'reject', reason: 'Not this one.' }]);
    const calls = [refund(1), refund(2)];
    const turn = guard().together(calls);
    await Promise.all(calls.map((each) => turn.run(each, echo)));
    await turn.run(call, echo).catch(() => undefined);
    expect(await started.record('coder', `run-1:${call.callId}`)).not.toEqual([]);
  });
});

test('a turn that was changed after people approved it runs nothing', async () => {
  const { guard } = guardWith([approve]);
  const calls = [refund(1), refund(2)];
  const ran: unknown[] = [];
  await guard().together(calls).run(refund(1), echo);
  const forged = [refund(1), refund(9_999, 'call_2')];
  const turn = guard().together(forged);
  for (const call of forged)
    await expect(turn.run(call, (input) => ran.push(input))).rejects.toMatchObject({ code: 'action_digest_mismatch' });
  expect(ran).toEqual([]);
});

describe('giving up', () => {
  /** Two calls of one turn that wait, each with its own signal. */
  async function waiting() {
    const clock = new FakeClock();
    const { guard, gate: started, sent } = guardWith([], {}, clock);
    const calls = [refund(1), refund(2)];
    const stops = calls.map(() => new AbortController());
    const turn = guard().together(calls);
    const ends = calls.map((call, at) =>
      turn.run(call, echo, { signal: stops[at]?.signal }).catch((error: Error) => error.message),
    );
    await clock.advance(1_000);
    const { proposalId } = JSON.parse(sent[0] ?? '{}') as { readonly proposalId: string };
    const stop = async (at: number) => {
      stops[at]?.abort(new Error('Ctrl-C'));
      await clock.advance(10_000);
      await ends[at];
    };
    const last = async () => (await started.record('coder', proposalId)).at(-1);
    return { stop, last };
  }

  test('on one call leaves the card to the others', async () => {
    const { stop, last } = await waiting();
    await stop(0);
    expect(await last()).not.toMatchObject({ type: 'decided' });
  });

  test('on the last call withdraws the card', async () => {
    const { stop, last } = await waiting();
    await stop(0);
    await stop(1);
    expect(await last()).toMatchObject({ type: 'decided', outcome: 'cancelled' });
  });
});

test('the calls of a turn are a list', () => {
  const { guard } = guardWith([]);
  expect(() => guard().together({} as never)).toThrow('calls: ');
});
