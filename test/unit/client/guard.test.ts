/**
 * Checks the guard of adapters: one proposal a call, and no run without its permit.
 *
 * The answer whether people are asked is stable.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { CountersignClient, type GuardedCall } from '../../../shared/client/index.ts';
import { refusedAs } from '../../../shared/client/integrations/common/refused-as.ts';
import {
  type Approver,
  createTestGate,
  FakeClock,
  ScriptedApprover,
  type TestGate,
} from '../../../shared/testing/index.ts';
import { GUARDED_POLICY } from './guarded-policy.ts';

let gate: TestGate | undefined;
afterEach(() => gate?.stop());

/** A gate, and the guard of one run. Another process: another client of the same gate. */
function guardWith(approver?: Approver, clock?: FakeClock) {
  const started = createTestGate({
    policy: GUARDED_POLICY,
    ...(approver ? { approver } : {}),
    ...(clock ? { clock } : {}),
  });
  gate = started;
  const guard = () => new CountersignClient(started.clientOptions('coder')).guard({ run: 'run-1' });
  return { gate: started, guard };
}

const call = (tool: string, input: object, callId = 'call_1'): GuardedCall => ({ callId, tool, input });
const WITHDRAWN = { type: 'decided', outcome: 'cancelled' };
const echo = async (input: object) => input;

describe('asks', () => {
  test('is false for what a rule allows or denies, and true for what people are asked', async () => {
    const { guard } = guardWith();
    const run = guard();
    expect(await run.asks(call('Lookup', {}, 'a'))).toBe(false);
    expect(await run.asks(call('Wipe', {}, 'b'))).toBe(false);
    expect(await run.asks(call('Refund', { amount: 5 }, 'c'))).toBe(true);
  });

  test('stays true after the answer, in another process, and nobody is asked again', async () => {
    const approver = new ScriptedApprover(['approve']);
    const { guard } = guardWith(approver.answer);
    const refund = call('Refund', { amount: 5 });
    expect(await guard().asks(refund)).toBe(true);
    expect(await guard().run(refund, echo)).toEqual({ amount: 5 });
    expect(await guard().asks(refund)).toBe(true);
    approver.assertDone();
  });

  test('sends a call once, however often one process looks again', async () => {
    const sent: string[] = [];
    const { gate: started } = guardWith(() => ({ choice: 'approve' }));
    const options = started.clientOptions('coder');
    const queue = {
      publish: async (body: string, agent: string) =>
        void sent.push(body, (await options.queue?.publish(body, agent)) ?? ''),
    };
    const run = new CountersignClient({ ...options, queue }).guard({ run: 'run-1' });
    const refund = call('Refund', { amount: 5 });
    await run.asks(refund);
    await run.asks(refund);
    await run.run(refund, echo);
    expect(sent.filter(Boolean)).toHaveLength(1);
  });
});

describe('run', () => {
  test.each([
    ['a call of another run with the same id', 'run-2', { amount: 5 }],
    ['a run whose id no proposal can have', 'user 7/ü'.repeat(20), { amount: 5 }],
    ['a call whose id no proposal can have', 'run-1', { amount: 5 }],
  ])('asks people about %s', async (_name, name, input) => {
    const approver = new ScriptedApprover(['approve', 'approve']);
    const { guard, gate: started } = guardWith(approver.answer);
    await guard().run(call('Refund', { amount: 5 }), echo);
    const other = new CountersignClient(started.clientOptions('coder')).guard({ run: name });
    expect(await other.run(call('Refund', input, name === 'run-1' ? 'call/ü'.repeat(60) : 'call_1'), echo)).toEqual(
      input,
    );
    approver.assertDone();
  });

  test('of a history that was changed after people approved it runs nothing', async () => {
    const { guard } = guardWith(() => ({ choice: 'approve' }));
    await guard().run(call('Refund', { amount: 5 }), echo);
    const ran: unknown[] = [];
    const forged = guard().run(call('Refund', { amount: 9_999 }), (input) => ran.push(input));
    await expect(forged).rejects.toMatchObject({ code: 'action_digest_mismatch' });
    expect(ran).toEqual([]);
  });

  test.each<[string, Partial<GuardedCall>]>([
    ['input.id', { input: { id: '\ud83d' } }],
    ['cwd', { cwd: '/\ud83d' }],
  ])('of a call that was changed to what no message holds names it: %s', async (field, changed) => {
    const guard = guardWith().guard();
    await guard.run(call('Lookup', { id: 'o-1' }), echo);
    const forged = guard.run({ ...call('Lookup', { id: 'o-1' }), ...changed }, echo);
    await expect(forged).rejects.toMatchObject({ code: 'lone_surrogate', field });
  });

  test('throws the words of who refused, and runs what a person made of the arguments', async () => {
    const approver = new ScriptedApprover([
      { choice: 'reject', reason: 'Too much.' },
      { choice: 'edit', input: { amount: 5 } },
      { choice: 'approve', by: 'bob' },
    ]);
    const { guard } = guardWith(approver.answer);
    await expect(guard().run(call('Refund', { amount: 500 }, 'a'), echo)).rejects.toThrow(
      'refused this call: Too much.',
    );
    await expect(guard().run(call('Wipe', {}, 'b'), echo)).rejects.toMatchObject({ code: 'denied' });
    expect(await guard().run(call('Refund', { amount: 50 }, 'c'), echo)).toEqual({ amount: 5 });
  });

  test('tells the model in one sentence which arguments ran', async () => {
    const { guard } = guardWith(({ round }) =>
      round === 1 ? { choice: 'edit', input: { amount: 5 } } : { choice: 'approve', by: 'bob' },
    );
    const sentence = 'This call ran with {"amount":5} in place of the arguments that you proposed.';
    const text = await guard().answer(call('Refund', { amount: 50 }, 'a'), () => 'paid');
    expect(text).toBe(`paid\n\n${sentence}`);
    expect(await guard().answer(call('Refund', { amount: 50 }, 'b'), () => [1])).toEqual({
      output: [1],
      note: sentence,
    });
    expect(await guard().answer(call('Lookup', { amount: 50 }, 'c'), () => [1])).toEqual([1]);
  });

  test.each<[string, string, object]>([
    ['it is aborted', 'Ctrl-C', {}],
    ['its time is over', 'nobody decided', { timeout: 2_000 }],
  ])('withdraws its proposal when %s', async (_when, message, options) => {
    const clock = new FakeClock();
    const { guard, gate: started } = guardWith(undefined, clock);
    const stop = new AbortController();
    const ending = expect(
      guard().run(call('Refund', { amount: 5 }), echo, { signal: stop.signal, ...options }),
    ).rejects.toThrow(message);
    await clock.advance(100);
    if (message === 'Ctrl-C') stop.abort(new Error(message));
    await clock.advance(10_000);
    await ending;
    await clock.advance(1_000);
    expect((await started.record('coder', 'run-1:call_1')).at(-1)).toMatchObject(WITHDRAWN);
  });
});

test('an id that is none is named as its program stated it', async () => {
  const client = new CountersignClient(guardWith().gate.clientOptions('coder'));
  await expect(client.propose({ toolName: 'Lookup', input: {}, toolCallId: 'a b' })).rejects.toMatchObject({
    field: 'toolCallId',
    message: expect.stringMatching(/^toolCallId: /),
  });
});

test('a field of a call that is decided is named as its program has to state it', async () => {
  const { guard, gate: started } = guardWith();
  const client = new CountersignClient(started.clientOptions('coder'));
  const misnamed = { toolName: 'Lookup', input: {} } as never as { tool: string; input: object };
  const guarded = () => guard().run({ ...misnamed, callId: 'c' }, async () => 'ran');
  for (const decided of [() => client.decide(misnamed), guarded])
    await expect(decided()).rejects.toMatchObject({
      setting: 'toolName',
      message: expect.stringMatching(/^toolName: is no setting: there are (?:callId, )?tool, input, /),
    });
  await expect(client.decide({ tool: 'Lookup', input: {}, id: 'a b' })).rejects.toMatchObject({
    field: 'id',
    message: expect.stringMatching(/^id: /),
  });
});

test('a run or a call without an id is refused: nobody could meet its proposal again', async () => {
  const { guard, gate: started } = guardWith();
  const client = new CountersignClient(started.clientOptions('coder'));
  expect(() => client.guard({ run: '' })).toThrow('run: is empty');
  await expect(guard().asks(call('Refund', {}, ''))).rejects.toThrow('callId: is empty');
  // Half a surrogate pair has no digest of its own: two ids that differ in it would be one call.
  expect(() => client.guard({ run: 'r\ud83d' })).toThrow('run: holds half of a surrogate pair');
  await expect(guard().asks(call('Refund', {}, 'c\ud83d'))).rejects.toThrow('callId: holds half of a surrogate pair');
  for (const callId of [7, {}])
    await expect(guard().asks({ ...call('Refund', {}), callId } as never)).rejects.toMatchObject({ setting: 'callId' });
});

describe('ask', () => {
  test('resolves with the answer of a person', async () => {
    const { gate: started } = guardWith(() => ({ choice: 'respond', answer: 'live' }));
    const client = new CountersignClient(started.clientOptions('coder'));
    expect(await client.ask('Which environment?', { choices: ['staging', 'live'] })).toBe('live');
  });

  test('throws what the model is to know where a person declines', async () => {
    const { gate: started } = guardWith(() => ({ choice: 'reject', reason: 'Ask later.' }));
    const client = new CountersignClient(started.clientOptions('coder'));
    await expect(client.ask('Which environment?')).rejects.toThrow('declined to answer this question: Ask later.');
  });

  test('withdraws the question when its caller stops waiting', async () => {
    const clock = new FakeClock();
    const { gate: started } = guardWith(undefined, clock);
    const client = new CountersignClient(started.clientOptions('coder'));
    const asking = expect(client.ask('Which one?', { proposalId: 'q1', timeout: 1_000 })).rejects.toMatchObject({
      code: 'no_decision',
    });
    await clock.advance(10_000);
    await asking;
    await clock.advance(1_000);
    expect((await started.record('coder', 'q1')).at(-1)).toMatchObject(WITHDRAWN);
  });
});

describe('an edit', () => {
  const editing: Approver = ({ round }) =>
    round > 1 ? { choice: 'approve', by: 'bob' } : { choice: 'edit', input: { amount: 5 } };

  test('is read once the decision is known, and the tool gets what was made of it', async () => {
    const { guard } = guardWith(editing);
    const readEdit = (input: object) => ({ ...input, currency: 'EUR' });
    expect(await guard().run(call('Refund', { amount: 50 }), echo, { readEdit })).toEqual({
      ...{ amount: 5, currency: 'EUR' },
    });
  });

  test('that cannot be read ends the call before its permit is redeemed', async () => {
    const { gate: started, guard } = guardWith(editing);
    const readEdit = () => Promise.reject(new Error('no such amount'));
    await expect(guard().run(call('Refund', { amount: 50 }), echo, { readEdit })).rejects.toThrow('no such amount');
    const types = (await started.record('coder', 'run-1:call_1')).map(({ type }) => type);
    expect(types).toContain('decided');
    expect(types).not.toContain('ran');
  });
});

test('a tool that is no function is refused before people are asked', async () => {
  const { gate: started, guard } = guardWith();
  const run = guard().run(call('Refund', { amount: 5 }), 'refund' as never);
  await expect(run).rejects.toMatchObject({ code: 'invalid_setting', setting: 'tool' });
  expect(await started.record('coder', 'run-1:call_1')).toEqual([]);
});

test('a call whose time is over ends alone, in words for the model, unless somebody comes back for it', async () => {
  const { gate: started, guard } = guardWith(() => undefined);
  const refund = call('Refund', { amount: 5 });
  const ended = (onAbort: 'cancel' | 'leave') =>
    guard()
      .run({ ...refund, callId: onAbort }, echo, { timeout: 50, onAbort })
      .catch(refusedAs((message) => message));
  expect(await ended('cancel')).toMatch(/^nobody decided run-1:cancel .*This is no refusal/);
  await expect(ended('leave')).rejects.toMatchObject({ code: 'no_decision', isGivenUp: false });
  await expect.poll(() => started.record('coder', 'run-1:cancel')).toContainEqual(expect.objectContaining(WITHDRAWN));
});

test('a call whose proposal could not be withdrawn may be approved yet: its time is not told as an end', async () => {
  const { gate: started } = guardWith(() => undefined);
  const { queue, ...options } = started.clientOptions('coder');
  const publish = async (body: string, group: string) => {
    if (JSON.parse(body).kind === 'cancel') throw new Error('getaddrinfo ENOTFOUND');
    return queue?.publish(body, group);
  };
  const offline = new CountersignClient({ ...options, queue: { publish } as NonNullable<typeof queue> });
  const given = offline.guard({ run: 'run-1', timeout: 50 }).run(call('Refund', { amount: 5 }), echo);
  await expect(given.catch(refusedAs((message) => message))).rejects.toMatchObject({
    ...{ code: 'no_decision', isGivenUp: false },
  });
});

test('adapters know a refusal that another copy of the package threw', () => {
  const mark = Symbol.for('countersign.error');
  const foreign = (name: string) =>
    Object.defineProperty(Object.assign(new Error('No.'), { name }), mark, { value: true });
  const told = refusedAs((message) => message);
  expect(told(foreign('NotApprovedError'))).toBe('No.');
  expect(() => told(foreign('NoDecisionError'))).toThrow('No.');
  expect(() => told(Object.assign(new Error('No.'), { name: 'NotApprovedError' }))).toThrow('No.');
});

test('a call waits where its tool takes fewer calls at a time than the run makes', async () => {
  const clock = new FakeClock();
  const { guard } = guardWith(undefined, clock);
  const run = guard();
  const first = Promise.withResolvers<string>();
  const begun = Promise.withResolvers<void>();
  const holding = run.run(call('Lookup', {}, 'a'), () => {
    begun.resolve();
    return first.promise;
  });
  // Signatures and files take real time meanwhile, and a permit expires by the clock.
  const turn = () => Promise.all([clock.advance(10), delay(1)]).then(() => false);
  const isBegun = begun.promise.then(() => true);
  while (!(await Promise.race([isBegun, turn()])));
  const waiting = run.run(call('Lookup', {}, 'b'), async () => 'second');
  for (let turns = 0; turns < 100; turns++) await turn();
  first.resolve('first');
  const ends = Promise.all([holding, waiting]);
  const isOver = ends.then(() => true);
  while (!(await Promise.race([isOver, turn()])));
  expect(await ends).toEqual(['first', 'second']);
});

describe('a gate that is away', () => {
  const away = Object.assign(new Error('arn:aws:sts::123456789012:assumed-role/x may not do it'), {
    name: 'AccessDenied',
  });
  const guardOver = (broken: 'queue' | 'redeemer') => {
    const { gate: started } = guardWith();
    const fail = () => Promise.reject(away);
    const parts = { queue: { publish: fail }, redeemer: { redeem: fail } };
    const options = { ...started.clientOptions('coder'), [broken]: parts[broken] };
    return new CountersignClient(options).guard({ run: 'run-1' });
  };

  test.each(['queue', 'redeemer'] as const)(
    'is told without the words of AWS, and nothing runs (%s)',
    async (broken) => {
      const run = guardOver(broken).run(call('Lookup', {}), () => expect.fail('it ran'));
      const error = await run.catch((thrown: Error) => thrown);
      expect(error).toMatchObject({ code: 'gate_unreachable', cause: away });
      expect((error as Error).message).toBe('the tool was not run, for the gate could not be reached (AccessDenied)');
    },
  );

  test('is told as a missing region, which the SDK itself throws as a bare Error', async () => {
    for (const name of ['AWS_REGION', 'AWS_DEFAULT_REGION', 'AWS_PROFILE']) vi.stubEnv(name, undefined);
    for (const name of ['AWS_CONFIG_FILE', 'AWS_SHARED_CREDENTIALS_FILE']) vi.stubEnv(name, '/nowhere');
    onTestFinished(() => void vi.unstubAllEnvs());
    const address = { queueUrl: 'https://sqs.eu-central-1.amazonaws.com/1/p', auditTable: 't' };
    const client = new CountersignClient({ agent: 'coder', deployment: 'd', ...address });
    const asked = client.guard({ run: 'run-1' }).asks(call('Lookup', {}));
    await expect(asked).rejects.toThrow('could not be reached (no region: set AWS_REGION)');
    await expect(client.wait('p-1', { timeout: 0 })).rejects.toThrow('cannot be read (no region: set AWS_REGION)');
  });

  test('is told where people would be asked as well', async () => {
    await expect(guardOver('queue').asks(call('Refund', { amount: 5 }))).rejects.toThrow('could not be reached');
  });
});
