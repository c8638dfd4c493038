/** Checks that one slow or deadly message of a batch takes no other to the dead letters. */
import type { Context } from 'aws-lambda';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { workBatch } from '../../../functions/runtime/queues/work-batch.ts';
import type { DeferredMessage } from '../../../shared/ports/stores/outbox.ts';
import type { IntakeDependencies } from '../../../shared/use-cases/intake/dependencies.ts';
import { memoryGate } from '../support/memory-gate.ts';
import { message, policy } from '../support/reads.ts';

/** Two tenths of a second for the batch. */
const context = { getRemainingTimeInMillis: () => 1_700 } as Context;

let gate: ReturnType<typeof memoryGate>;
/** Ids of messages that were sent anew. */
let anew: string[];
/** No queue takes anything: so it is where the process ends, too. */
let isOut: boolean;

beforeEach(() => {
  vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  gate = memoryGate(policy);
  anew = [];
  isOut = false;
});
afterEach(() => vi.restoreAllMocks());

/** The messages that come again; the claim of the one named `slow` never ends. */
async function worked(slow: string, ...batch: ReturnType<typeof message>[]): Promise<string[]> {
  const claims: IntakeDependencies['claims'] = {
    ...gate.claims,
    claim: (claim) =>
      claim.record.entry.proposalId === slow ? new Promise<never>(() => undefined) : gate.claims.claim(claim),
  };
  const defer = async ({ messageId }: DeferredMessage) => {
    if (isOut) throw new Error('the queue is out of service');
    anew.push(messageId);
  };
  const deps = { ...gate, claims, deferred: { ...gate.deferred, defer } };
  const { batchItemFailures } = await workBatch(batch, deps, context);
  return batchItemFailures.map(({ itemIdentifier }) => itemIdentifier);
}

test('messages behind a slow one are sent anew before their receipts end', async () => {
  expect(await worked('a', message('a', 5), message('b', 5), message('c', 4))).toEqual(['m-a']);
  expect(anew).toEqual(['m-b', 'm-c']);
});

test('messages behind a slow one come again where they cannot be sent anew', async () => {
  isOut = true;
  expect(await worked('a', message('a', 5), message('b', 5))).toEqual(['m-a', 'm-b']);
});

test('messages with one that ends the process are decided before their receipts end, in whatever order they come', async () => {
  isOut = true;
  await worked('b', message('b', 3), message('c', 3), message('a', 3));
  expect(gate.decided()).toEqual(['a']);
  await worked('b', message('b', 4), message('c', 4));
  expect(gate.decided()).toEqual(['a', 'c']);
  await worked('b', message('b', 4), message('d', 5));
  expect(gate.decided()).toEqual(['a', 'c', 'd']);
});
