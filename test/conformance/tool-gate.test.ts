/** Runs every case of the tool gate (seed 1), one test each. */
import { describe, expect, test } from 'vitest';
import { withOwn } from './case-files.ts';
import type { SeedCase } from './seeds/judge.ts';
import { interpretToolGate } from './seeds/tool-gate.ts';

const cases = withOwn<SeedCase & { readonly why: string }>('seeds.jsonl').filter(({ seed }) => seed === 1);

describe('the tool gate', () => {
  test.each(cases.map((one) => [`${one.id}: ${one.why}`, one] as const))('%s', async (_name, one) => {
    const { passed, got } = await interpretToolGate(one);
    expect(passed, JSON.stringify({ expected: one.expect, got }, null, 2)).toBe(true);
  });

  test.each([
    [
      'cancel before the approval',
      { tool: 'a', cancelled_before: true },
      { content: 'Error: cancelled while awaiting approval', approve_calls: 0 },
    ],
    ['a screen that is gone', { tool: 'a', handler: 'reply channel dropped' }, { decision: { Deny: 'UI gone' } }],
    [
      'events',
      { turns: [{ tool_use: 'bash' }, { text: 'x' }], handler: { deny_all: 'no' } },
      { events_in_order: ['ToolUse', 'ToolCallPending'], pending: { name: 'bash', class: 'Mutating' } },
    ],
    [
      'sub-agents',
      { subagent: 'bash', parent_handler: { deny_all: 'not here' } },
      { subagent_tool_result: { is_error: true, contains: 'not here' } },
    ],
    [
      'input unchanged',
      { tool: 'a', input: { x: 1 }, handler: 'record' },
      { approve_input: 'same', executed_input: 'same' },
    ],
    [
      'readers side by side',
      {
        batch: [
          ['a', 'ReadOnly', 50],
          ['b', 'ReadOnly', 10],
        ],
      },
      { order: ['a', 'b'], parallel: true, max_elapsed_ms: 60 },
    ],
    [
      'cancelled run',
      { turns: [{ tool_use: 'm1' }, { text: 'x' }], cancel_during: 'm1' },
      { agent_result: 'Cancelled', history_len: 3 },
    ],
  ])('reads other cases of the same shapes: %s', async (_name, given, expectation) => {
    const one = { id: 'x', seed: 1, feature: 'approval', given, expect: expectation };
    const { passed, got } = await interpretToolGate(one);
    expect(passed, JSON.stringify(got, null, 2)).toBe(true);
  });

  test('what cannot be interpreted has failed', async () => {
    const base = { id: 'x', seed: 1, feature: 'approval', given: { tool: 'a' }, expect: { is_error: false } };
    expect((await interpretToolGate(base)).passed).toBe(true);
    expect((await interpretToolGate({ ...base, feature: 'no_such_feature' })).passed).toBe(false);
    expect((await interpretToolGate({ ...base, given: { tool: 'a', handler: 'asks the stars' } })).passed).toBe(false);
    expect((await interpretToolGate({ ...base, expect: { mood: null } })).passed).toBe(false);
  });
});
