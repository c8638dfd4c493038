/**
 * Checks a tool that is looked at before it is called, as an MCP tool is (G32, R3-090).
 *
 * The call has not begun, whatever the look finds.
 */
import { describe, expect, test } from 'vitest';
import { providerThrottledError } from '../../../shared/guardrails/limits/limit-errors.ts';
import type { GuardedTool, OpenTool } from '../../../shared/guardrails/settings/call.ts';
import { authError, executionError } from '../../../shared/guardrails/settings/errors.ts';
import { world } from './harness.ts';

function looked(open: (signal: AbortSignal) => Promise<OpenTool>, more: Parameters<typeof world>[0] = {}) {
  const begun: string[] = [];
  const closed: string[] = [];
  const tool: GuardedTool = {
    name: 'looked',
    origin: 'local',
    open: async (signal) => {
      const { execute } = await open(signal);
      return { execute, close: async () => void closed.push('closed') };
    },
  };
  const w = world({ ...more, tools: [tool] });
  const invoke = () => w.invoke({ toolName: 'looked', begin: async () => void begun.push('begun') });
  return { w, invoke, begun, closed };
}
const runs = async (): Promise<OpenTool> => ({ execute: async ({ input }) => input, close: async () => {} });
const refuses = (error: unknown) => async (): Promise<OpenTool> => {
  throw error;
};

describe('a tool that is looked at before it is called', () => {
  test('runs in the session in which it was looked at, which is closed after it', async () => {
    const { invoke, begun, closed } = looked(runs);
    expect(await invoke()).toMatchObject({ status: 'Ok', output: {} });
    expect([begun, closed]).toEqual([['begun'], ['closed']]);
  });

  test('that changed is refused: nothing began, and its slot and budget are free again', async () => {
    const { w, invoke, begun } = looked(refuses(authError('ToolChanged', 'x')), {
      environment: { maxConcurrent: 1, costPerCall: 1, budget: { costPerDay: 1 }, failureThreshold: 1 },
    });
    for (let n = 0; n < 3; n++)
      expect(await invoke()).toMatchObject({ error: { code: 'ToolChanged' }, effect: 'not-started' });
    expect(begun).toEqual([]);
    expect(w.named('CircuitOpen')).toEqual([]);
  });

  test('that cannot be reached opens its circuit, although it was never called', async () => {
    const unreachable = executionError('no answer', { transient: true, effect: 'unknown' });
    const { invoke, begun } = looked(refuses(unreachable), { environment: { failureThreshold: 2 } });
    for (let n = 0; n < 2; n++) expect(await invoke()).toMatchObject({ effect: 'not-started' });
    expect(await invoke()).toMatchObject({ error: { code: 'CircuitOpen' } });
    expect(begun).toEqual([]);
  });

  test('that never says what it is ends at the deadline', async () => {
    const { invoke, begun } = looked(() => new Promise(() => {}), { environment: { timeoutMs: 500 } });
    expect(await invoke()).toMatchObject({
      durationMs: 500,
      effect: 'not-started',
      error: { code: 'Timeout', details: { deadlineMs: 500 } },
    });
    expect(begun).toEqual([]);
  });

  test('whose server says 429 closes the bucket of its provider (R3-060)', async () => {
    const { w, invoke } = looked(refuses(providerThrottledError('local', 5_000)));
    await invoke();
    expect(await w.invoke()).toMatchObject({ error: { code: 'RateLimited', details: { scope: 'provider' } } });
    expect(w.calls).toEqual([]);
  });

  test('is closed if the call may not begin after all, and whatever it throws', async () => {
    const { w, closed } = looked(runs);
    const refused = await w.invoke({
      toolName: 'looked',
      begin: async () => {
        throw authError('permit_lost', 'x');
      },
    });
    expect(refused).toMatchObject({ error: { code: 'permit_lost' }, effect: 'not-started' });
    expect(closed).toEqual(['closed']);
    const other = looked(async () => ({ execute: () => Promise.reject(new Error('x')), close: async () => {} }));
    expect(await other.invoke()).toMatchObject({ error: { code: 'ToolFailed' }, effect: 'unknown' });
    expect(other.closed).toEqual(['closed']);
  });
});
