/** A run that nobody waits for is not begun. */
import { expect, test } from 'vitest';
import { runByGate } from '../../../../shared/client/running/run.ts';

test('an aborted caller has the gate run nothing', async () => {
  const sent: string[] = [];
  const permit = { permitId: 'p', actionDigest: 'f'.repeat(64), expiresAt: '2026-01-01T00:00:00.000Z' };
  const call = { agent: 'billing', proposalId: 'p1', callId: 'call', permit, action: { toolName: 'Refund' } };
  const ports = {
    executions: { publish: async (body: string) => void sent.push(body) },
    results: { read: async () => undefined },
  };
  const running = { clock: { now: () => 0 }, newId: () => 'r1', sleep: async () => undefined };
  const until = { timeoutMs: undefined, signal: AbortSignal.abort(new Error('closed')) };
  await expect(runByGate(call as never, ports, 'pid', until, running)).rejects.toThrow('closed');
  expect(sent).toEqual([]);
});
