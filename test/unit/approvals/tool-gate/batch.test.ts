/** Checks how a batch of calls runs: its order, its limits, its refusals and its cancel. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ApprovalDecision, type ApprovalHandler } from '../../../../shared/approvals/tool-gate/approval-handler.ts';
import { ToolConcurrency } from '../../../../shared/approvals/tool-gate/concurrency.ts';
import { ToolRegistry } from '../../../../shared/approvals/tool-gate/registry.ts';
import { runsOf } from '../../../../shared/approvals/tool-gate/runs.ts';
import { AllowAll } from '../../../../shared/approvals/tool-gate/tool-policy.ts';
import { call, executorOf, slowTool } from './gate-world.ts';

const namesOf = (tools: readonly string[]) => tools.map((name, i) => call(name, `${name}-${i}`, i));

describe('a batch', () => {
  test('is cut into contiguous runs of one route', () => {
    const tools = [slowTool('r', 'ReadOnly').tool, slowTool('m').tool, slowTool('p').tool];
    const routing = {
      registry: new ToolRegistry(tools),
      policy: { isAllowed: (name: string) => name !== 'denied' },
      concurrency: { p: ToolConcurrency.on(), r: ToolConcurrency.on() },
    };
    const runs = runsOf(routing, namesOf(['r', 'r', 'm', 'm', 'p', 'p', 'denied', 'ghost', 'r']));
    expect(runs.map((run) => [run.route, run.calls.length])).toEqual([
      ['ReadOnly', 2],
      ['SerialMut', 2],
      ['ConcurrentMut', 2],
      ['ShortCircuit', 2],
      ['ReadOnly', 1],
    ]);
  });

  test('runs readers side by side, and changes one after the other', async () => {
    const [reader, writer] = [slowTool('r', 'ReadOnly'), slowTool('m')];
    const executor = executorOf([reader.tool, writer.tool]);
    const results = await executor.executeBatch(namesOf(['r', 'r', 'r', 'm', 'm']));
    expect(results.map((result) => result.toolUseId)).toEqual(['r-0', 'r-1', 'r-2', 'm-3', 'm-4']);
    expect(reader.peak()).toBe(3);
    expect(writer.peak()).toBe(1);
    expect(writer.ran).toEqual([3, 4]);
  });

  test('runs promoted changes side by side, each approved, within the limits', async () => {
    const writer = slowTool('w');
    let asked = 0;
    const approval: ApprovalHandler = {
      approve: () => {
        asked += 1;
        return ApprovalDecision.Allow;
      },
    };
    const peakWith = async (concurrency: ToolConcurrency, mutatorPool?: number) => {
      const fresh = slowTool('w');
      const pool = mutatorPool === undefined ? {} : { mutatorPool };
      const executor = executorOf([fresh.tool], { approval, concurrency: { w: concurrency }, ...pool });
      await executor.executeBatch(namesOf(['w', 'w', 'w', 'w']));
      return fresh.peak();
    };
    expect(await peakWith(ToolConcurrency.on())).toBe(4);
    expect(await peakWith(ToolConcurrency.on(2))).toBe(2);
    expect(await peakWith(ToolConcurrency.on(), 3)).toBe(3);
    expect(await peakWith(ToolConcurrency.off())).toBe(1);
    expect(asked).toBe(16);
    expect(writer.peak()).toBe(0);
  });

  test('a refusal does not touch its siblings', async () => {
    let asked = 0;
    const approval: ApprovalHandler = {
      approve: () => {
        asked += 1;
        return asked === 1 ? ApprovalDecision.Deny('no') : ApprovalDecision.Allow;
      },
    };
    const executor = executorOf([slowTool('w').tool], { approval, concurrency: { w: ToolConcurrency.on() } });
    const results = await executor.executeBatch(namesOf(['w', 'w']));
    expect(results.map((result) => result.isError)).toEqual([true, false]);
  });

  test('cancelled before or in the middle starts nothing more', async () => {
    const cancel = new AbortController();
    const ran: string[] = [];
    const tools = ['m1', 'm2', 'm3'].map((name) => ({
      name,
      execute: () => {
        ran.push(name);
        cancel.abort();
        return 'done';
      },
    }));
    const executor = executorOf(tools);
    const results = await executor.executeBatch(namesOf(['m1', 'm2', 'm3']), { signal: cancel.signal });
    expect(ran).toEqual(['m1']);
    expect(results.map((result) => result.content)).toEqual([
      'done',
      'Error: cancelled before execution',
      'Error: cancelled before execution',
    ]);
    const none = await executor.executeBatch(namesOf(['m1', 'ghost']), { signal: AbortSignal.abort() });
    expect(none.every((result) => result.content === 'Error: cancelled before execution')).toBe(true);
  });

  test('of any make-up gives one result for each call, in order', async () => {
    const name = fc.constantFrom('r', 'm', 'p', 'ghost', 'boom');
    await fc.assert(
      fc.asyncProperty(fc.array(name, { maxLength: 12 }), fc.boolean(), async (names, cancelled) => {
        const boom = { name: 'boom', execute: () => Promise.reject(new Error('x')) };
        const writer = slowTool('m');
        const tools = [slowTool('r', 'ReadOnly').tool, writer.tool, slowTool('p').tool, boom];
        const executor = executorOf(tools, { policy: AllowAll, concurrency: { p: ToolConcurrency.on(2) } });
        const calls = namesOf(names);
        const signal = cancelled ? AbortSignal.abort() : new AbortController().signal;
        const results = await executor.executeBatch(calls, { signal });
        expect(results.map((result) => result.toolUseId)).toEqual(calls.map(({ id }) => id));
        expect(writer.peak()).toBeLessThanOrEqual(1);
      }),
      { numRuns: 200 },
    );
  });
});
