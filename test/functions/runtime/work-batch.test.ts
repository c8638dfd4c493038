/** Checks a batch of messages: decided together, answered, set aside, or delivered again. */
import type { Context } from 'aws-lambda';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { visibilityDelay } from '../../../functions/runtime/queues/visibility.ts';
import { workBatch } from '../../../functions/runtime/queues/work-batch.ts';
import { loadPolicy } from '../../../shared/config/load.ts';
import type { DeferredMessage } from '../../../shared/ports/stores/outbox.ts';
import type { IntakeDependencies } from '../../../shared/use-cases/intake/dependencies.ts';
import { memoryGate } from '../support/memory-gate.ts';

const policy = loadPolicy(
  `people: { olga: { team: T0T, user: U0O, name: Olga } }
agents: { coder: { owner: olga } }
rules: { allow: [Read] }
`,
  'test.yaml',
);

const ASKING = `people: { olga: { team: T0T, user: U0O, name: Olga }, ann: { team: T0T, user: U0A, name: Ann } }
agents: { coder: { owner: olga } }
channels: { approvals: { team: T0T, id: C0A } }
approvers: { platform: { members: [ann], channel: approvals } }
approvals: { approvers: platform }
rules: { ask: [Read] }
`;

const deadLetters = () => gate.audit.ofProposal('-dead-letters', '0'.repeat(64));
const proposal = (id: string) =>
  JSON.stringify({
    kind: 'tool-call',
    proposalId: id,
    calls: [{ id: 'c1', toolName: 'Read', input: { file_path: id } }],
  });
const message = (id: string, receiveCount = 1, raw = proposal(id)) => ({
  messageId: `m-${id}`,
  raw,
  principal: 'sender',
  firstSentAt: Date.now(),
  rounds: 0,
  receiveCount,
});
const context = (remainingMs = 10_000) => ({ getRemainingTimeInMillis: () => remainingMs }) as Context;
const failures = (result: { batchItemFailures: { itemIdentifier: string }[] }) =>
  result.batchItemFailures.map(({ itemIdentifier }) => itemIdentifier);

let gate: IntakeDependencies & ReturnType<typeof memoryGate>;
/** The batches that the first read of the tables saw. */
let batches: number[];
/** Proposals whose claim fails. */
let failing: Set<string>;
/** No claim can be written. */
let isDown: boolean;

beforeEach(() => {
  vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  const memory = memoryGate(policy);
  batches = [];
  failing = new Set();
  isDown = false;
  gate = {
    ...memory,
    claims: {
      ...memory.claims,
      readBatch: async (keys, day) => {
        batches.push(keys.length);
        return memory.claims.readBatch(keys, day);
      },
      claim: async (claim) => {
        if (failing.has(claim.record.entry.proposalId ?? '')) throw new TypeError('poison');
        if (isDown) throw new Error('the table is down');
        return memory.claims.claim(claim);
      },
    },
  };
});
afterEach(() => vi.restoreAllMocks());

describe('a batch', () => {
  test('is worked in one read, and nothing comes again', async () => {
    expect(failures(await workBatch([message('a'), message('b'), message('c')], gate, context()))).toEqual([]);
    expect(batches).toEqual([3]);
    expect(gate.decided()).toEqual(['a', 'b', 'c']);
  });

  test('whose one message fails names that one; its mates are decided', async () => {
    failing.add('b');
    const result = await workBatch([message('a'), message('b'), message('c')], gate, context());
    expect(failures(result)).toEqual(['m-b']);
    expect(gate.decided()).toEqual(['a', 'c']);
  });

  test('whose messages fail is told of by their ids, but for one that holds a secret (G37)', async () => {
    isDown = true;
    await workBatch([message('a'), message('login:token:abcd1234efgh5678')], gate, context());
    const lines = [process.stdout, process.stderr].flatMap(({ write }) => vi.mocked(write).mock.calls.map(String));
    expect(lines.join('')).toContain('"proposalId":"a"');
    expect(lines.join('').replaceAll('m-login:token', '')).not.toContain('login:token');
  });

  test('of what cannot be read at all is answered, not repeated', async () => {
    const result = await workBatch([message('a', 1, '{'), message('b', 1, ''), message('c', 1, '[]')], gate, context());
    expect(failures(result)).toEqual([]);
  });

  test('GR-035 a message that fails at its last receipt is in the record, by its id and the kind of fault', async () => {
    failing.add('b');
    await workBatch([message('b', 4)], gate, context());
    expect(await deadLetters()).toEqual([]);
    for (let again = 0; again < 2; again++) {
      expect(failures(await workBatch([message('a', 5), message('b', 5)], gate, context()))).toEqual(['m-b']);
    }
    expect(await deadLetters()).toMatchObject([
      {
        key: { sort: 'dead#m-b' },
        entry: {
          type: 'refused',
          reasonCode: 'dead_letter',
          detail: expect.stringMatching(/^TypeError; message m-b; proposal \S+ of \S+$/),
        },
      },
    ]);
  });

  test('that a store refuses comes again at once the first time; then it is sent anew, so that its receipts count from one', async () => {
    const sentAnew: DeferredMessage[] = [];
    const delays: number[] = [];
    const deferred = {
      ...gate.deferred,
      defer: async (again: DeferredMessage, seconds: number) => {
        sentAnew.push(again);
        delays.push(seconds);
      },
    };
    isDown = true;
    expect(failures(await workBatch([message('a', 1)], { ...gate, deferred }, context()))).toEqual(['m-a']);
    const again = { ...message('a', 2), groupId: 'coder', admitted: true };
    expect(failures(await workBatch([again], { ...gate, deferred }, context()))).toEqual([]);
    const { receiveCount: _, ...whole } = again;
    expect(sentAnew).toEqual([whole]);
    expect(delays[0]).toBeGreaterThanOrEqual(1);
    expect(delays[0]).toBeLessThanOrEqual(2);
    const old = { ...again, firstSentAt: Date.now() - 3 * 3_600_000 };
    await workBatch([old], { ...gate, deferred }, context());
    expect(delays[1]).toBeGreaterThanOrEqual(30);
    expect(delays[1]).toBeLessThanOrEqual(60);
    expect(await deadLetters()).toEqual([]);
  });

  test('that a store refuses and the deferred queue too comes back to its own queue', async () => {
    isDown = true;
    const deferred = { ...gate.deferred, defer: () => Promise.reject(new Error('the queue is down')) };
    expect(failures(await workBatch([message('a', 3)], { ...gate, deferred }, context()))).toEqual(['m-a']);
  });

  test('GR-035 with the record down too, the message still comes back to its queue', async () => {
    failing.add('b');
    const broken = { ...gate, audit: { ...gate.audit, put: () => Promise.reject(new Error('down')) } };
    expect(failures(await workBatch([message('b', 5)], broken, context()))).toEqual(['m-b']);
  });

  test('GR-033 nine are done when the function dies: delivered again, each has happened once', async () => {
    const asking = loadPolicy(ASKING, 'asking.yaml');
    const memory = memoryGate(asking);
    const batch = Array.from({ length: 10 }, (_, index) => message(`p${index}`));
    const starts: string[] = [];
    const workflow = { ...memory.workflow, start: async (pid: string) => void starts.push(pid) };
    let opened = 0;
    const dying: IntakeDependencies = {
      ...memory,
      workflow,
      claims: {
        ...memory.claims,
        // The process is gone with the tenth: nothing of it is ever answered.
        open: (claim, opening, sessions) =>
          ++opened > 9 ? new Promise<never>(() => undefined) : memory.claims.open(claim, opening, sessions),
      },
    };
    await workBatch(batch, dying, context(1_600));
    expect(new Set(starts).size).toBe(9);

    const alive: IntakeDependencies = { ...memory, workflow };
    for (let again = 0; again < 2; again++) expect(failures(await workBatch(batch, alive, context()))).toEqual([]);
    expect(new Set(starts).size).toBe(10);
    const records = await memory.audit.recent('coder', 100);
    expect(records.map(({ key }) => key.sort)).toEqual(Array(10).fill('evaluated'));
    for (const pid of new Set(starts)) expect((await memory.approvals.read(pid))?.approval.version).toBe(0);
    // The slots that waiting approvals take are counted once: the cap of twenty admits ten more, and not one beyond.
    const more = Array.from({ length: 11 }, (_, index) => message(`q${index}`));
    for (const one of more) await workBatch([one], alive, context());
    expect(memory.decided()).toEqual(['q10']);
  });

  test('names the queue’s own id of a message that was put aside', async () => {
    failing.add('a');
    const result = await workBatch([{ ...message('a'), failureId: 'of-deferred' }], gate, context());
    expect(failures(result)).toEqual(['of-deferred']);
  });

  test('A11 what comes the third time is worked by itself, after the others', async () => {
    await workBatch([message('a', 3), message('b'), message('c'), message('d', 4)], gate, context());
    expect(batches).toEqual([2, 1, 1]);
    await workBatch([message('e', 2), message('f')], gate, context());
    expect(batches).toEqual([2, 1, 1, 2]);
  });

  test('that fails before its messages are told apart is a failure of each', async () => {
    const broken = { ...gate, claims: { ...gate.claims, readBatch: () => Promise.reject(new Error('down')) } };
    expect(failures(await workBatch([message('a'), message('b')], broken, context()))).toEqual(['m-a', 'm-b']);
  });

  test('one by one, a poisonous message takes nobody along', async () => {
    const readBatch: IntakeDependencies['claims']['readBatch'] = (keys, day) =>
      batches.length === 1
        ? Promise.reject(new TypeError(`poison ${batches.push(0)}`))
        : gate.claims.readBatch(keys, day);
    const broken: IntakeDependencies = { ...gate, claims: { ...gate.claims, readBatch } };
    expect(failures(await workBatch([message('a', 3), message('b', 3), message('c', 3)], broken, context()))).toEqual([
      'm-b',
    ]);
  });

  test('A11 that is not done in time names what is left, and what is done stays done', async () => {
    const never = new Promise<never>(() => undefined);
    const slow: IntakeDependencies = {
      ...gate,
      claims: {
        ...gate.claims,
        readBatch: (keys, day) => (batches.length ? never : gate.claims.readBatch(keys, day)),
      },
    };
    const began = performance.now();
    const result = await workBatch([message('a', 3), message('b', 3), message('c', 3)], slow, context(1_600));
    expect(failures(result)).toEqual(['m-b', 'm-c']);
    expect(performance.now() - began).toBeLessThan(1_500);
  });

  test('without any time left is not lost', async () => {
    const never = { ...gate, claims: { ...gate.claims, readBatch: () => new Promise<never>(() => undefined) } };
    expect(failures(await workBatch([message('a')], never, context(0)))).toEqual(['m-a']);
  });
});

describe('a batch of several senders (G34)', () => {
  const shared = loadPolicy(
    `people: { olga: { team: T0T, user: U0O, name: Olga } }
agents: { coder: { owner: olga }, calm: { owner: olga } }
rules: { allow: [Read] }
`,
    'shared.yaml',
  );
  const of = (principal: string, id: string, receiveCount = 1) => ({ ...message(id, receiveCount), principal });
  const flood = ['f1', 'f2', 'f3'].map((id) => of('flooder', id));
  const never = () => new Promise<never>(() => undefined);
  let decided: () => string[];
  let back: string[];
  const refund = async (messages: readonly { readonly messageId: string }[]) => {
    back.push(...messages.map(({ messageId }) => messageId));
  };

  function sharedGate(change: (memory: IntakeDependencies) => Partial<IntakeDependencies>): IntakeDependencies {
    const memory = memoryGate(shared);
    decided = memory.decided;
    const names: Readonly<Record<string, string>> = { flooder: 'coder', steady: 'calm' };
    // Coder's bucket is empty.
    const rates: IntakeDependencies['rates'] = {
      ...memory.rates,
      peek: () => undefined,
      book: async ({ key }, count) => Array.from({ length: count }, () => (key.includes('coder') ? 1_000 : 0)),
    };
    const parts = { ...memory, rates, agents: { nameOf: async (id: string) => names[id] } };
    return { ...parts, ...change(parts) };
  }
  /** Works it with nine seconds to go, and says what came of it once they are over. */
  async function worked(
    batch: readonly ReturnType<typeof of>[],
    parts: IntakeDependencies | Promise<IntakeDependencies>,
  ) {
    const result = workBatch(batch, parts, context(9_000), refund);
    await vi.advanceTimersByTimeAsync(8_000);
    return failures(await result);
  }

  beforeEach(() => {
    vi.useFakeTimers();
    back = [];
  });
  afterEach(() => vi.useRealTimers());

  test('one whose flood cannot be put aside holds up nobody, and is given back early', async () => {
    const parts = sharedGate(() => ({ deferred: { defer: never, handOver: never } }));
    const result = workBatch([...flood, of('steady', 'c1')], parts, context(9_000), refund);
    await vi.advanceTimersByTimeAsync(0);
    expect(decided()).toEqual(['c1']);
    await vi.advanceTimersByTimeAsync(7_500);
    expect(failures(await result)).toEqual(['m-f1', 'm-f2', 'm-f3']);
    expect(back).toEqual(['m-f1', 'm-f2', 'm-f3']);
  });

  test.each(['limiter', 'read'])('one whose %s hangs holds up nobody', async (what) => {
    const parts = sharedGate(({ rates, claims }) => ({
      rates: {
        ...rates,
        book: async ({ key }, count) =>
          what === 'limiter' && key.includes('coder') ? never() : Array.from({ length: count }, () => 0),
      },
      claims: {
        ...claims,
        readBatch: (keys, day) =>
          what === 'read' && keys[0]?.agent === 'coder' ? never() : claims.readBatch(keys, day),
      },
    }));
    expect(await worked([of('flooder', 'f1'), of('steady', 'c1')], parts)).toEqual(['m-f1']);
    expect({ decided: decided(), back }).toEqual({ decided: ['c1'], back: ['m-f1'] });
  });

  test('one who is looked up for ever holds up nobody else', async () => {
    const parts = sharedGate(() => ({
      agents: { nameOf: (id) => (id === 'steady' ? Promise.resolve('calm') : never()) },
    }));
    expect(await worked([of('AROASOMEBODY:x', 'u1'), of('steady', 'c1')], parts)).toEqual(['m-u1']);
    expect({ decided: decided(), back }).toEqual({ decided: ['c1'], back: ['m-u1'] });
  });

  test('what was put aside is done: of a flood only what was not comes again', async () => {
    const put: string[] = [];
    const defer: IntakeDependencies['deferred']['defer'] = async ({ messageId }) =>
      messageId === 'm-f2' ? never() : void put.push(messageId);
    const parts = sharedGate(() => ({ deferred: { defer, handOver: never } }));
    expect(await worked(flood, parts)).toEqual(['m-f2']);
    expect(put).toEqual(['m-f1', 'm-f3']);
  });

  test('a fault of one sender is nobody else’s, and what failed is not given back early', async () => {
    const parts = sharedGate(() => ({
      deferred: { defer: () => Promise.reject(new Error('down')), handOver: never },
    }));
    expect(await worked([...flood, of('steady', 'c1')], parts)).toEqual(['m-f1', 'm-f2', 'm-f3']);
    expect({ decided: decided(), back }).toEqual({ decided: ['c1'], back: [] });
    const unknown = sharedGate(() => ({
      agents: { nameOf: (id) => (id === 'steady' ? Promise.resolve('calm') : Promise.reject(new Error('down'))) },
    }));
    expect(await worked([...flood, of('steady', 'c2')], unknown)).toEqual(['m-f1', 'm-f2', 'm-f3']);
    expect(decided()).toEqual(['c2']);
  });

  test('what cannot be put aside fails by itself while the rest of the same sender is still read', async () => {
    const unhandled: unknown[] = [];
    const listen = (reason: unknown) => void unhandled.push(reason);
    process.on('unhandledRejection', listen);
    const parts = sharedGate(({ claims }) => ({
      deferred: { defer: () => Promise.reject(new Error('down')), handOver: never },
      claims: {
        ...claims,
        readBatch: async (keys, day) => {
          await new Promise((resolve) => setTimeout(resolve, 1_000));
          return claims.readBatch(keys, day);
        },
      },
    }));
    const foreign = { ...of('flooder', 'x1'), groupId: 'calm' };
    expect(await worked([...flood, foreign], parts)).toEqual(['m-f1', 'm-f2', 'm-f3']);
    vi.useRealTimers();
    await new Promise((resolve) => setImmediate(resolve));
    process.off('unhandledRejection', listen);
    expect(unhandled).toEqual([]);
  });

  test('a gate that is not made in time gives all back; one that cannot be made fails', async () => {
    expect(await worked([of('steady', 'c1')], never())).toEqual(['m-c1']);
    expect(back).toEqual(['m-c1']);
    await expect(workBatch([], Promise.reject(new Error('no secret')), context())).rejects.toThrow('no secret');
  });

  test('a queue that does not hear of it has them later', async () => {
    const result = workBatch([of('steady', 'c1')], never(), context(0), () => Promise.reject(new Error('down')));
    await vi.advanceTimersByTimeAsync(0);
    expect(failures(await result)).toEqual(['m-c1']);
  });

  test('the receipts of a message are further and further apart', () => {
    expect([1, 2, 3, 4, 5].map(visibilityDelay)).toEqual([1, 4, 16, 60, 60]);
  });
});
