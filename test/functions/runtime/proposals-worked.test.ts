/** Checks the figure of proposals that were worked: each message once, and none of the canary. */
import type { Context } from 'aws-lambda';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { workBatch } from '../../../functions/runtime/queues/work-batch.ts';
import { publishMetrics } from '../../../functions/runtime/telemetry/observe.ts';
import { CANARY } from '../../../shared/domain/canary.ts';
import type { DeferredMessage } from '../../../shared/ports/stores/outbox.ts';
import type { IntakeDependencies } from '../../../shared/use-cases/intake/dependencies.ts';
import { memoryGate } from '../support/memory-gate.ts';
import { message, policy } from '../support/reads.ts';

const context = () => ({ getRemainingTimeInMillis: () => 10_000 }) as Context;

let gate: ReturnType<typeof memoryGate>;
beforeEach(() => {
  vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  gate = memoryGate(policy);
});
afterEach(() => vi.restoreAllMocks());

describe('the figure of proposals that were worked', () => {
  test('counts the messages of agents, and none of the canary', async () => {
    const lines: string[] = [];
    vi.mocked(process.stdout.write).mockImplementation((text) => lines.push(String(text)) > 0);
    const nameOf = async (sender: string) => (sender === 'probe' ? CANARY : 'coder');
    const probes = ['p', 'q'].map((id) => ({ ...message(id), principal: 'probe' }));
    publishMetrics();
    lines.length = 0;
    await workBatch(
      [message('a'), ...probes, message('b')],
      { ...gate, agents: { ...gate.agents, nameOf } },
      context(),
    );
    publishMetrics();
    const counted = lines.flatMap((line) => JSON.parse(line)['ProposalsWorked'] ?? []);
    expect(counted).toEqual([2]);
  });

  test('counts a message that waits for the rate of its sender once, where it is decided', async () => {
    const lines: string[] = [];
    vi.mocked(process.stdout.write).mockImplementation((text) => lines.push(String(text)) > 0);
    const later: DeferredMessage[] = [];
    const deferred = { ...gate.deferred, defer: async (one: DeferredMessage) => void later.push(one) };
    // A second until the next turn: the bucket of the first message is empty for the second.
    let turns = 1;
    const rates = {
      ...gate.rates,
      peek: () => undefined,
      book: async (_: unknown, count: number) => Array.from({ length: count }, () => (turns-- > 0 ? 0 : 1_000)),
    };
    const limited = { ...gate, deferred, rates } as IntakeDependencies;
    const counted = () => lines.splice(0).flatMap((line) => JSON.parse(line)['ProposalsWorked'] ?? []);
    publishMetrics();
    counted();
    await workBatch([message('a'), message('b')], limited, context());
    publishMetrics();
    expect(counted()).toEqual([1]);
    const [again] = later;
    expect(again).toMatchObject({ messageId: 'm-b', admitted: true });
    await workBatch([{ ...(again as DeferredMessage), receiveCount: 1 }], limited, context());
    publishMetrics();
    expect(counted()).toEqual([1]);
    expect(gate.decided()).toEqual(['a', 'b']);
  });
});
