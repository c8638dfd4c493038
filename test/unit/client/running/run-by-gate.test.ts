/** Checks when a run that nobody waits for is begun, and how its result is read. */
import { expect, test } from 'vitest';
import { runByGate } from '../../../../shared/client/running/run.ts';
import type { ResultReader } from '../../../../shared/ports/stores/result-store.ts';

const PERMIT = { permitId: 'p', actionDigest: 'f'.repeat(64), expiresAt: '2026-01-01T00:00:00.000Z' };
const CALL = { agent: 'billing', proposalId: 'p1', callId: 'call', permit: PERMIT, action: { toolName: 'Refund' } };

function gate(read: ResultReader['read'] = async () => undefined) {
  const sent: string[] = [];
  let now = 0;
  const running = {
    clock: { now: () => now },
    newId: () => 'r1',
    sleep: async (ms: number) => {
      now += ms;
    },
  };
  const ports = { executions: { publish: async (body: string) => void sent.push(body) }, results: { read } };
  const run = (timeoutMs: number | undefined, signal?: AbortSignal) =>
    runByGate(CALL as never, ports, 'pid', { timeoutMs, signal }, running);
  return { run, sent };
}

test('an aborted caller has the gate run nothing', async () => {
  const { run, sent } = gate();
  await expect(run(undefined, AbortSignal.abort(new Error('closed')))).rejects.toThrow('closed');
  expect(sent).toEqual([]);
});

test.each([0, 1_000])(
  'the last read of %i ms is the latest, and finds a result that all before it missed',
  async (timeoutMs) => {
    const reads: unknown[] = [];
    const { run } = gate(async (_agent, _pid, _id, wanted) => {
      reads.push(wanted);
      return wanted === 'likely' ? undefined : ({ status: 'succeeded' } as never);
    });
    expect(await run(timeoutMs)).toEqual({ status: 'succeeded' });
    expect(reads.filter((read) => read !== 'likely')).toEqual(['latest']);
  },
);

const throttle = Object.assign(new Error('slow down'), { name: 'ThrottlingException', $fault: 'client' });

test('a read that fails is no end of a run that the gate may have begun', async () => {
  let reads = 0;
  const { run, sent } = gate(async () => {
    if (++reads < 5) throw throttle;
    return { status: 'succeeded' } as never;
  });
  expect(await run(undefined)).toEqual({ status: 'succeeded' });
  expect(sent).toHaveLength(1);
});

test.each([
  ['for minutes', throttle],
  ['for good', Object.assign(new Error('not yours'), { name: 'AccessDeniedException', $fault: 'client' })],
])('results that cannot be read %s: the error says that the gate may still run the call', async (_, cause) => {
  const { run } = gate(async () => {
    throw cause;
  });
  await expect(run(undefined)).rejects.toMatchObject({
    name: 'NoResultError',
    code: 'no_result',
    message: expect.stringContaining('the gate may still run it, do not run it elsewhere'),
    cause,
  });
});
