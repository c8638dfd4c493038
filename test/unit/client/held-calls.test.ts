/** Checks MCP calls that are told to come again: one run for each question, and none left behind. */
import { describe, expect, test } from 'vitest';
import type { RunContext } from '../../../shared/client/calls/calls.ts';
import { NoDecisionError } from '../../../shared/client/calls/errors.ts';
import type { GuardedCall } from '../../../shared/client/calls/guarded-call.ts';
import type { RunGuard, ToolOfRun } from '../../../shared/client/guard.ts';
import { answerCall } from '../../../shared/client/integrations/mcp-call.ts';
import { callerOf } from '../../../shared/client/integrations/mcp-context.ts';
import { newMemory } from '../../../shared/client/integrations/mcp-memory.ts';
import { roundOf } from '../../../shared/client/integrations/mcp-rounds.ts';
import { strandsMiddleware } from '../../../shared/client/integrations/strands.ts';
import { CountersignError } from '../../../shared/domain/errors.ts';
import { GuardrailError } from '../../../shared/guardrails/settings/errors.ts';

function counting(): () => string {
  let count = 0;
  return () => `call-${++count}`;
}

const CALL = { tool: 'Refund', input: { amount: 5 }, hasOutputSchema: false };

describe('the id of a call', () => {
  const rounds = () => {
    const [memory, ids] = [newMemory(), counting()];
    const stated = (state?: string) => ({ envelope: {}, requestState: () => state });
    return { of: (state?: string) => roundOf(stated(state), CALL, ids, memory) };
  };

  test('is taken up once: a state that comes again is another call, and asks anew', () => {
    const { of } = rounds();
    const first = of();
    const { requestState } = first.later() as { requestState: string };
    const [second, third] = [of(requestState), of(requestState)];
    expect(second.callId).toBe(first.callId);
    expect(third.callId).not.toBe(first.callId);
    expect(of(requestState).callId).not.toBe(first.callId);
  });

  test('is free again once its client was told to come again', () => {
    const { of } = rounds();
    const first = of();
    const { requestState } = of((first.later() as { requestState: string }).requestState).later() as {
      requestState: string;
    };
    expect(of(requestState).callId).toBe(first.callId);
  });

  test('is that of one of two like calls, where both are to come again', () => {
    const memory = newMemory();
    const ids = counting();
    const round = () => roundOf(undefined, CALL, ids, memory);
    const both = [round(), round()];
    for (const round of both) round.later();
    expect([...memory.pending.keys()]).toEqual(both.map(({ callId }) => callId));
    expect(round().callId).toBe(both[0]?.callId);
    expect(round().callId).toBe(both[1]?.callId);
  });
});

test('clients are told apart by all that their requests state, in both generations of the SDK', () => {
  const older = (headers: object, url = 'http://a.example/mcp') =>
    callerOf({ requestInfo: { url, headers: { ...headers } } });
  const newer = (headers: Record<string, string>, url = 'http://a.example/mcp') =>
    callerOf({ http: { req: new Request(url, { headers }) } });
  for (const callers of [older, newer]) {
    const anna = callers({ cookie: 'user=anna', 'x-request-id': '1', traceparent: '00-1' });
    expect(callers({ traceparent: '00-2', 'x-request-id': '2', cookie: 'user=anna', 'content-length': '7' })).toEqual(
      anna,
    );
    expect(callers({ cookie: 'user=eve' })).not.toEqual(anna);
    expect(callers({ cookie: 'user=anna' }, 'http://a.example/other')).not.toEqual(anna);
  }
  expect(callerOf({})).toEqual(callerOf({ requestInfo: {} }));
});

test('a client meets its own question on another server, and none of another client', () => {
  const [memory, ids] = [newMemory(), counting()];
  const of = (...caller: string[]) => roundOf(undefined, { ...CALL, caller }, ids, memory);
  const [ann, bob] = [of('', 'token-of-ann'), of('', 'token-of-bob')];
  for (const round of [ann, bob]) round.later();
  expect([of('', 'token-of-bob').callId, of('', 'token-of-ann').callId]).toEqual([bob.callId, ann.callId]);
});

describe('a call whose decision nobody will read', () => {
  const refusal = Object.assign(new Error('AccessDenied'), { $fault: 'client' });
  test.each([
    ['may not be read', new NoDecisionError('p', { cause: refusal })],
    ['could not be read for longer than an outage lasts', new NoDecisionError('p', { cause: new Error('down') })],
    ['never came', new NoDecisionError('p', { isUnanswered: true })],
  ])('because it %s is withdrawn: people are not asked in vain', async (_, error) => {
    const withdrawn: string[] = [];
    const guard = {
      run: async () => Promise.reject(error),
      withdraw: async ({ callId }: { callId: string }) => void withdrawn.push(callId),
    } as unknown as RunGuard;
    const round = roundOf(undefined, CALL, counting());
    await expect(answerCall(guard, { tool: 'Refund', input: {} }, async () => ({}), { round })).rejects.toBe(error);
    expect(withdrawn).toEqual(['call-1']);
  });

  test('waits on while an outage may pass: the client comes again, to the same question', async () => {
    const outage = new NoDecisionError('p', { cause: new Error('down') });
    const errors = [outage, outage, new NoDecisionError('p', { isAsked: true }), outage, outage, outage];
    const withdrawn: string[] = [];
    const guard = {
      run: async () => Promise.reject(errors.shift()),
      withdraw: async ({ callId }: { callId: string }) => void withdrawn.push(callId),
    } as unknown as RunGuard;
    const [memory, ids] = [newMemory(), counting()];
    const round = () => roundOf(undefined, CALL, ids, memory);
    const once = () => answerCall(guard, CALL, async () => ({}), { round: round(), timeout: '45s' });
    const unread = { content: [{ text: expect.stringMatching(/^The decision on this call cannot be read/) }] };
    expect([await once(), await once()]).toMatchObject([unread, unread]);
    expect(await once()).toMatchObject({ content: [{ text: expect.stringMatching(/^People are still being asked/) }] });
    expect([await once(), await once(), withdrawn]).toMatchObject([unread, unread, []]);
    await expect(once()).rejects.toBe(outage);
    expect(withdrawn).toEqual(['call-1']);
  });
});

test.each([
  [true, /^People are still being asked about this call\. It was not run\. Call the tool again/],
  [false, /^The gate has not judged this call yet\. It was not run\. Call the tool again/],
])('a call without a decision is told whether people are asked: %s', async (isAsked, says) => {
  const guard = { run: async () => Promise.reject(new NoDecisionError('p', { isAsked })) } as unknown as RunGuard;
  const round = roundOf(undefined, CALL, counting());
  const answer = await answerCall(guard, CALL, async () => ({}), { round, timeout: '45s' });
  expect(answer).toMatchObject({ content: [{ text: expect.stringMatching(says) }] });
});

describe('a call that a limit refused after its approval', () => {
  const limit = (code: string) => new GuardrailError('PolicyError', code, 'Too many. Nothing was run.');
  const unreachable = new CountersignError('gate_unreachable', 'the permit cannot be redeemed');
  /** One request of a client; the call ends in the error, before its tool begins or after. */
  function requests() {
    const [memory, ids] = [newMemory(), counting()];
    const came: string[] = [];
    return (error: Error, begins = false) => {
      const guard = {
        run: async ({ callId }: GuardedCall, tool: ToolOfRun<unknown>) => {
          came.push(callId);
          if (begins) await tool({}, {} as RunContext);
          throw error;
        },
        withdraw: async () => undefined,
      } as unknown as RunGuard;
      const round = roundOf(undefined, CALL, ids, memory);
      const ended = answerCall(guard, CALL, async () => ({}), { round, timeout: '45s' });
      return ended.catch(() => 'thrown').then((answer) => ({ answer, came }));
    };
  }

  test.each([
    ['waits on at a busy tool', limit('ConcurrencyLimited'), { content: [{ text: /approved, and waits for other/ }] }],
    [
      'is told of a spent budget',
      limit('BudgetExceeded'),
      { isError: true, content: [{ text: /^Too many.*same arg/ }] },
    ],
    ['is told of a gate that is away', unreachable, 'thrown'],
  ] as const)('%s, and meets its approval under the same arguments', async (_, error, answer) => {
    const request = requests();
    const [first] = [await request(error)];
    if (typeof answer === 'string') expect(first.answer).toBe(answer);
    else
      expect(first.answer).toMatchObject({
        ...answer,
        content: [{ text: expect.stringMatching(answer.content[0].text) }],
      });
    expect((await request(error)).came).toEqual(['call-1', 'call-1']);
  });

  test.each([
    ['a limit', limit('ConcurrencyLimited')],
    ['a time that was over', new NoDecisionError('p')],
  ])('is not called again once its tool has begun, which %s ended', async (_, error) => {
    const request = requests();
    expect(await request(error, true)).toEqual({ answer: 'thrown', came: ['call-1'] });
    expect((await request(error)).came).toEqual(['call-1', 'call-2']);
  });
});

test('a tool of Strands that failed is a failure to the guardrails, and its result is the model\u2019s', async () => {
  const failures: unknown[] = [];
  const guard = {
    asks: async () => false,
    run: async (_call: unknown, tool: (input: object, context: object) => Promise<unknown>) =>
      tool({}, {}).catch((error: unknown) => {
        failures.push(error);
        throw error;
      }),
  } as unknown as RunGuard;
  class TextBlock {}
  class ToolResultBlock {
    readonly given: object;
    constructor(given: object) {
      this.given = given;
    }
  }
  const result = { toolUseId: 'u1', status: 'error', content: [] };
  const context = {
    toolUse: { toolUseId: 'u1', name: 'Refund', input: {} },
    cancelSignal: new AbortController().signal,
  };
  // biome-ignore lint/correctness/useYield: the stage of a tool without events
  const stage = async function* () {
    return { result };
  };
  const middleware = strandsMiddleware(guard, { TextBlock, ToolResultBlock } as never);
  const ended = await middleware(context as never, stage as never).next();
  expect(ended).toEqual({ done: true, value: { result } });
  expect(failures).toMatchObject([{ effect: 'unknown' }]);
});
