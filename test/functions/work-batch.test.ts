import type { Context } from 'aws-lambda';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { workBatch } from '../../functions/runtime/intake.ts';
import { loadPolicy } from '../../shared/config/load.ts';
import type { IntakeGate } from '../../shared/pipeline/gate.ts';
import { memoryGate } from './support/memory-gate.ts';

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

let gate: IntakeGate & ReturnType<typeof memoryGate>;
/** The batches that the first read of the tables saw. */
let batches: number[];
/** Proposals whose claim fails. */
let failing: Set<string>;

beforeEach(() => {
  vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  const memory = memoryGate(policy);
  batches = [];
  failing = new Set();
  gate = {
    ...memory,
    claims: {
      ...memory.claims,
      readBatch: async (keys, day) => {
        batches.push(keys.length);
        return memory.claims.readBatch(keys, day);
      },
      claim: async (claim) => {
        if (failing.has(claim.record.entry.proposalId ?? '')) throw new Error('the table is down');
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
        entry: { type: 'refused', reasonCode: 'dead_letter', detail: 'Error; message m-b' },
      },
    ]);
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
    const dying: IntakeGate = {
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

    const alive: IntakeGate = { ...memory, workflow };
    for (let again = 0; again < 2; again++) expect(failures(await workBatch(batch, alive, context()))).toEqual([]);
    expect(new Set(starts).size).toBe(10);
    const records = await memory.audit.recent('coder', 100);
    expect(records.map(({ key }) => key.sort)).toEqual(Array(10).fill('evaluated'));
    for (const pid of new Set(starts)) expect((await memory.approvals.read(pid))?.approval.version).toBe(0);
    // The places that waiting approvals take are counted once: the cap of twenty admits ten more, and not one beyond.
    const more = Array.from({ length: 11 }, (_, index) => message(`q${index}`));
    for (const one of more) await workBatch([one], alive, context());
    expect(memory.decided()).toEqual(['q10']);
  });

  test('names the queue’s own id of a message that was put aside', async () => {
    failing.add('a');
    const result = await workBatch([{ ...message('a'), failureId: 'of-deferred' }], gate, context());
    expect(failures(result)).toEqual(['of-deferred']);
  });

  test('A11 is worked one by one once a message of it came the third time', async () => {
    await workBatch([message('a', 3), message('b'), message('c')], gate, context());
    expect(batches).toEqual([1, 1, 1]);
    await workBatch([message('d', 2), message('e')], gate, context());
    expect(batches).toEqual([1, 1, 1, 2]);
  });

  test('that fails before its messages are told apart is a failure of each', async () => {
    const broken = { ...gate, claims: { ...gate.claims, readBatch: () => Promise.reject(new Error('down')) } };
    expect(failures(await workBatch([message('a'), message('b')], broken, context()))).toEqual(['m-a', 'm-b']);
  });

  test('one by one, a poisonous message takes nobody along', async () => {
    const readBatch: IntakeGate['claims']['readBatch'] = (keys, day) =>
      batches.length === 1 ? Promise.reject(new Error(`poison ${batches.push(0)}`)) : gate.claims.readBatch(keys, day);
    const broken: IntakeGate = { ...gate, claims: { ...gate.claims, readBatch } };
    expect(failures(await workBatch([message('a', 3), message('b', 3), message('c', 3)], broken, context()))).toEqual([
      'm-b',
    ]);
  });

  test('A11 that is not done in time names what is left, and what is done stays done', async () => {
    const never = new Promise<never>(() => undefined);
    const slow: IntakeGate = {
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
