/**
 * Checks a wrapped tool: it gets the arguments that crossed the wire, and a context.
 *
 * No call reaches the tool that may not run any more.
 */
import fc from 'fast-check';
import { describe, expect, expectTypeOf, test } from 'vitest';
import * as z from 'zod';
import {
  type CallOptions,
  CountersignClient,
  type CountersignClientOptions,
  type RunContext,
} from '../../../shared/client/index.ts';
import { isCountersignError } from '../../../shared/domain/errors.ts';
import { policyOf, World } from '../use-cases/world.ts';

type Json = Record<string, unknown>;

/** An agent whose every sleep lets time pass in the gate; `during` is called with each. */
function agentIn(
  world: World,
  during: (sleeps: number) => Promise<unknown> = async () => undefined,
  more: Partial<CountersignClientOptions> = {},
) {
  const sent: Json[] = [];
  const { queue, redeemer: _, outcomes: __, ...side } = world.gate.agentSide('coder');
  let ids = 0;
  let sleeps = 0;
  const client = new CountersignClient({
    ...side,
    queue: {
      publish: async (body, agent) => {
        sent.push(JSON.parse(body) as Json);
        await queue.publish(body, agent);
      },
    },
    newId: () => `c${++ids}`,
    random: () => 0.5,
    sleep: async (ms, signal) => {
      await world.clock.advance(Math.max(1, Math.ceil(ms)));
      await during(++sleeps);
      signal?.throwIfAborted();
    },
    ...more,
  });
  return {
    client,
    sent,
    inputs: () => sent.flatMap(({ calls }) => (calls as { input: Json }[] | undefined) ?? []).map(({ input }) => input),
  };
}

const allowed = () => new World(policyOf({ allow: ['Pay'], more: 'tools:\n  Pay: { permissions: [Sensitive] }\n' }));
const asked = () => new World(policyOf({ ask: ['Pay'], more: 'tools:\n  Pay: { permissions: [Sensitive] }\n' }));

/** One person edits, and another one approves the edited call. */
const editing = (world: World, input: Json) => async (sleeps: number) => {
  if (sleeps === 3) await world.edit('c1', 'alice', input);
  if (sleeps === 5) await world.click('c1', 'bob');
};

class Money {
  #secret = 9_999_999;
  readonly amount: number;
  constructor(amount: number) {
    this.amount = amount;
  }
  doubled(): number {
    return this.amount * 2 + this.#secret * 0;
  }
}

describe('what runs is what crossed the wire', () => {
  test('whatever a tool receives deep-equals the parsed proposal', async () => {
    const world = allowed();
    const { client, inputs } = agentIn(world);
    const ran: unknown[] = [];
    const pay = client.gate('Pay', (input: object) => ran.push(input));
    const odd = fc.oneof(
      fc.constant(undefined),
      fc.double(),
      fc.bigInt(),
      fc.date(),
      fc.constantFrom(new Map([['mallory', 9]]), new Set([1]), /x/, new Error('e'), () => 1, Symbol('s'), new Money(5)),
      fc.uint8Array(),
      fc.constant({ toJSON: () => 'other' }),
    );
    const value = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 4 },
        fc.jsonValue({ maxDepth: 2 }),
        odd,
        fc.array(tie('value'), { maxLength: 3 }),
        fc.dictionary(fc.string(), tie('value'), { maxKeys: 3 }),
      ),
    })).value;
    await fc.assert(
      fc.asyncProperty(fc.dictionary(fc.string(), value, { maxKeys: 4 }), async (input) => {
        const [before, runs] = [inputs().length, ran.length];
        try {
          await pay(input);
        } catch (error) {
          expect(error).toMatchObject({ name: 'InvalidProposalError' });
          expect([inputs().length, ran.length]).toEqual([before, runs]);
          return;
        }
        expect(ran.at(-1)).toStrictEqual(inputs().at(-1));
        expect(Object.getPrototypeOf(ran.at(-1))).toBe(Object.prototype);
      }),
      { numRuns: 150 },
    );
    expect(ran.length).toBeGreaterThan(10);
  });

  test.each<[string, unknown, string]>([
    ['a Map', { to: new Map([['mallory', 9_999_999]]) }, 'input.to'],
    ['a Set in an array', { to: ['a', new Set([1])] }, 'input.to[1]'],
    ['a Date', { at: new Date(0) }, 'input.at'],
    ['a RegExp', { at: /x/ }, 'input.at'],
    ['an Error', { at: new Error('x') }, 'input.at'],
    ['a bigint', { at: { deep: 1n } }, 'input.at.deep'],
    ['NaN', { at: Number.NaN }, 'input.at'],
    ['a function', { at: () => 1 }, 'input.at'],
    ['undefined in an array', { at: [undefined] }, 'input.at[0]'],
    ['a hole', { at: Array(1) }, 'input.at[0]'],
    ['a toJSON', { at: { toJSON: () => 'other' } }, 'input.at'],
    ['bytes', { at: new Uint8Array(2) }, 'input.at'],
    ['the field of a symbol', { at: { [Symbol('hidden')]: 1 } }, 'input.at.Symbol(hidden)'],
    ['a hidden field', { at: Object.defineProperty({}, 'hidden', { value: 1 }) }, 'input.at.hidden'],
  ])('%s is refused where it is made, with its path, and nothing is sent', async (_, input, field) => {
    const { client, sent } = agentIn(allowed());
    const ran: unknown[] = [];
    const pay = client.gate('Pay', (given: object) => ran.push(given));
    await expect(pay(input as object)).rejects.toMatchObject({
      code: 'not_json',
      field,
      message: expect.stringContaining(field),
    });
    expect([sent, ran]).toEqual([[], []]);
  });

  test('a circle is refused', async () => {
    const { client } = agentIn(allowed());
    const input: Json = {};
    input['self'] = { input };
    await expect(client.gate('Pay', (given: object) => given)(input)).rejects.toMatchObject({
      field: 'input.self.input',
    });
  });

  test('a value that the gate would not read is named by its place in the call that the program stated', async () => {
    const { client, sent } = agentIn(allowed());
    const pay = client.gate('Pay', (given: { readonly amount: number }) => given);
    const faults = { code: 'unsafe_number', field: 'input.amount', message: expect.stringMatching(/^input\.amount: /) };
    await expect(pay({ amount: 2 ** 53 })).rejects.toMatchObject(faults);
    expect(sent).toEqual([]);
  });

  test('a getter is read once, and later changes do not count', async () => {
    const { client, inputs } = agentIn(allowed());
    let reads = 0;
    const input = {
      get amount() {
        return ++reads;
      },
      to: ['alice'],
    };
    const paying = client.gate('Pay', (given: { amount: number; to: string[] }) => given)(input);
    input.to.push('mallory');
    expect(await paying).toEqual({ amount: 1, to: ['alice'] });
    expect(inputs()).toEqual([{ amount: 1, to: ['alice'] }]);
  });

  test('an edit runs as it was parsed', async () => {
    const world = asked();
    const { client } = agentIn(world, editing(world, { amount: 5 }));
    const seen: [unknown, RunContext][] = [];
    const pay = client.gate('Pay', (input: { amount: number }, context) => seen.push([input, context]));
    await pay({ amount: 25 });
    expect(seen).toMatchObject([[{ amount: 5 }, { edited: true, proposalId: 'c1', decidedBy: { type: 'human' } }]]);
  });
});

describe('interfaces, classes and schemas', () => {
  interface Refund {
    readonly orderId: string;
    readonly amount?: number | undefined;
  }
  test('an interface and a class are inputs; the tool gets their fields', async () => {
    const { client } = agentIn(allowed());
    const refund = client.gate('Pay', ({ orderId }: Refund) => orderId);
    expect(await refund({ orderId: 'o1', amount: undefined })).toBe('o1');
    const money = client.gate('Pay', (input: Money) => input);
    const got = await money(new Money(3));
    expect(got).toStrictEqual({ amount: 3 });
    expectTypeOf(refund)
      .parameter(0)
      .toEqualTypeOf<{ readonly orderId: string; readonly amount?: number | undefined }>();
    expectTypeOf(refund).returns.resolves.toEqualTypeOf<string>();
    expectTypeOf(money).parameter(0).toEqualTypeOf<{ readonly amount: number }>();
  });

  test('what JSON cannot carry does not compile', () => {
    const { client } = agentIn(allowed());
    const pay = client.gate('Pay', (input: { to: Map<string, number> }) => input);
    // @ts-expect-error a Map is no argument
    expect(() => pay({ to: new Map() }).catch(() => undefined)).not.toThrow();
    const when = client.gate('Pay', (input: { at: Date; big?: bigint }) => input);
    // @ts-expect-error neither is a Date
    expect(() => when({ at: new Date(0) }).catch(() => undefined)).not.toThrow();
    // @ts-expect-error a required field may not be left out
    expect(() => pay().catch(() => undefined)).not.toThrow();
  });

  test('a tool without required input is called without', async () => {
    const { client, inputs } = agentIn(allowed());
    expect(await client.gate('Pay', () => 'pong')()).toBe('pong');
    expect(await client.gate('Pay', ({ note = 'none' }: { note?: string }) => note)()).toBe('none');
    expect(inputs()).toEqual([{}, {}]);
  });

  const schema = z.object({ orderId: z.string(), amount: z.number().positive().default(1) });

  test('a schema types the tool, checks the input before it is sent, and fills in its defaults', async () => {
    const { client, sent } = agentIn(allowed());
    const refund = client.gate('Pay', schema, (input) => input);
    expectTypeOf(refund).parameter(0).toEqualTypeOf<{ orderId: string; amount?: number | undefined }>();
    expect(await refund({ orderId: 'o1' })).toEqual({ orderId: 'o1', amount: 1 });
    sent.length = 0;
    await expect(refund({ orderId: 'o1', amount: -1 })).rejects.toMatchObject({
      code: 'invalid_input',
      issues: [{ path: 'amount' }],
    });
    expect(sent).toEqual([]);
  });

  test('an edit that the schema refuses does not run', async () => {
    const world = asked();
    const { client } = agentIn(world, editing(world, { amount: '50 EUR' }));
    const ran: unknown[] = [];
    const refund = client.gate('Pay', z.object({ amount: z.number() }), (input) => ran.push(input));
    await expect(refund({ amount: 25 })).rejects.toMatchObject({
      name: 'SchemaError',
      code: 'invalid_edit',
      message: expect.stringContaining('amount: '),
    });
    expect(ran).toEqual([]);
  });
});

describe('options of one call', () => {
  test('count before those of the tool; the same id is the same proposal', async () => {
    const { client, sent } = agentIn(allowed());
    const pay = client.gate('Pay', (_input: object, context) => context, { title: 'Pay', reason: 'a rule' });
    const first = await pay({ n: 1 }, { id: 'toolu_1', title: 'Pay once' });
    const again = await pay({ n: 1 }, { id: 'toolu_1', title: 'Pay once', reason: undefined });
    expect(sent[0]).toMatchObject({ proposalId: 'toolu_1', title: 'Pay once', reason: 'a rule' });
    expect([first.edited, first.signal.aborted]).toEqual([false, false]);
    expect(first.idempotencyKey).toMatch(/^[0-9a-f]{32}$/);
    expect(again.idempotencyKey).toBe(first.idempotencyKey);
  });

  test.each([Number.NaN, -1, Number.POSITIVE_INFINITY, '1', 'soon'])(
    'a time-out of %s is refused before anything is sent',
    async (timeout) => {
      const { client, sent } = agentIn(allowed());
      const options = { timeout: timeout as number };
      expect(() => client.gate('Pay', () => 1, options)).toThrow(/^timeout: /);
      await expect(client.gate('Pay', () => 1)({}, options)).rejects.toMatchObject({ setting: 'timeout' });
      await expect(client.decide({ tool: 'Pay', input: {}, ...options })).rejects.toMatchObject({ setting: 'timeout' });
      expect(sent).toEqual([]);
    },
  );
});

describe('a wait that nobody needs any more', () => {
  const withdrawn = (world: World) => world.decided('c1');

  test('withdraws the proposal on abort, with the reason of the signal', async () => {
    const world = asked();
    const stop = new AbortController();
    const { client } = agentIn(world, async (sleeps) => sleeps === 3 && stop.abort(new Error('Ctrl-C')));
    const pay = client.gate('Pay', () => 'paid');
    await expect(pay({}, { signal: stop.signal })).rejects.toThrow('Ctrl-C');
    await world.rest();
    expect(await withdrawn(world)).toMatchObject({ outcome: 'cancelled' });
  });

  test('withdraws it after its time-out too, and for decide', async () => {
    const world = asked();
    const { client } = agentIn(world);
    await expect(client.decide({ tool: 'Pay', input: {}, timeout: '3s' })).rejects.toMatchObject({
      code: 'no_decision',
    });
    await world.rest();
    expect(await withdrawn(world)).toMatchObject({ outcome: 'cancelled' });
  });

  test('leaves it where the caller comes back', async () => {
    const world = asked();
    const { client } = agentIn(world);
    const pay = client.gate('Pay', () => 'paid', { onAbort: 'leave' });
    await expect(pay({}, { id: 'c1', timeout: '3s' })).rejects.toMatchObject({ code: 'no_decision' });
    expect(await Array.fromAsync(client.pending())).toMatchObject([
      { proposalId: 'c1', toolName: 'Pay', isAsked: true },
    ]);
    await world.click('c1', 'alice');
    expect(await Array.fromAsync(client.pending())).toEqual([]);
    expect(await pay({}, { id: 'c1' })).toBe('paid');
  });

  test('sends nothing for a signal that has aborted before', async () => {
    const { client, sent } = agentIn(allowed());
    await expect(client.gate('Pay', () => 1)({}, { signal: AbortSignal.abort(new Error('over')) })).rejects.toThrow(
      'over',
    );
    expect(sent).toEqual([]);
  });
});

test('options that several tools share leave each its own output type', async () => {
  const { client } = agentIn(allowed());
  const shared: CallOptions = { timeout: '5m', reason: 'tests' };
  const pay = client.gate('Pay', ({ n }: { n: number }) => `paid ${n}`, shared);
  expectTypeOf(pay({ n: 1 })).toEqualTypeOf<Promise<string>>();
  expect(await pay({ n: 1 }, shared)).toBe('paid 1');
});

describe('decide', () => {
  test('an approval comes with its input and permit, a refusal with its message', async () => {
    const { client } = agentIn(allowed());
    const yes = await client.decide({ tool: 'Pay', input: { n: 1 } });
    if (yes.outcome !== 'approved') throw new Error(yes.message);
    expect(yes).toMatchObject({ input: { n: 1 }, edited: false, permit: { actionDigest: expect.any(String) } });
    expectTypeOf(yes.permit.expiresAt).toEqualTypeOf<string>();
    const no = await client.decide({ tool: 'Bash', input: { command: 'rm -rf /' } });
    expect(no).toMatchObject({ outcome: 'denied', message: expect.any(String) });
    // @ts-expect-error only an approval has a permit
    expect(no.permit).toBeUndefined();
  });

  test('a refusal of a wrapped tool can be told by its code', async () => {
    const { client } = agentIn(allowed());
    const error: unknown = await client
      .gate(
        'Bash',
        (_: { command: string }) => 1,
      )({ command: 'rm -rf /' })
      .catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ name: 'NotApprovedError', code: 'denied', decision: { outcome: 'denied' } });
    expect(isCountersignError(error)).toBe(true);
    const ofAnotherCopy = Object.assign(new Error('x'), { [Symbol.for('countersign.error')]: true });
    expect([isCountersignError(ofAnotherCopy), isCountersignError(new Error('x')), isCountersignError('x')]).toEqual([
      true,
      false,
      false,
    ]);
  });
});
