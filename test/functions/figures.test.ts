/**
 * Checks that events become the metrics that `METRICS` promises (R3-094 … R3-097).
 *
 * Every promised metric is written somewhere.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { figuresOfCall } from '../../functions/runtime/dependency-figures.ts';
import { type Figures, figuresOf } from '../../functions/runtime/figures.ts';
import { measure } from '../../functions/runtime/observe.ts';
import { METRICS, type MetricName } from '../../shared/config/metric-names.ts';
import type { EmittedEvent, GateEvent, GateEventName } from '../../shared/ports/gate-events.ts';
import type { GuardrailEvent, GuardrailEventName } from '../../shared/ports/guardrail-events.ts';

const tool = {
  eventVersion: 1,
  at: 0,
  correlationId: 'c1',
  tool: 'search',
  origin: 'mcp::web',
  agentId: 'coder',
} as const;
const toolDetails: Record<GuardrailEventName, GuardrailEvent['detail']> = {
  ToolInvoked: {},
  ToolSucceeded: { durationMs: 12, attempts: 3, budgets: [{ id: 'agent:coder:cost', used: 30, limit: 40 }] },
  ToolFailed: { durationMs: 7, attempts: 1, error: { code: 'Timeout' } },
  PolicyApplied: {
    rateLimit: { burst: 2, limiterState: { available: 4, capacity: 10 } },
    circuitState: 'half-open',
    concurrencyCaps: { maxConcurrent: 2, inUse: 1 },
  },
  RateLimited: {},
  CircuitOpen: { circuitState: 'open' },
  CircuitHalfOpen: { circuitState: 'half-open' },
  CircuitClosed: { circuitState: 'closed' },
  BudgetOverrun: {},
};
const gate = { eventVersion: 1, at: 0, pid: 'a'.repeat(64), proposalId: 'p1', agentId: 'coder' } as const;
const gateDetails: Record<GateEventName, GateEvent['detail']> = {
  ProposalDecided: { outcome: 'denied', durationUs: 1500 },
  ProposalRefused: {},
  ProposalCancelled: {},
  ApprovalOpened: {},
  ApprovalEnded: { status: 'approved', waitedMs: 60_000 },
  VoteCounted: {},
  ClickRefused: { reasonCode: 'not_in_group' },
  OperationDone: {},
  CallRan: {},
  ApprovalPassedOn: {},
  StageEnded: {},
};
const events: EmittedEvent[] = [
  ...Object.entries(toolDetails).map(([name, detail]) => ({ ...tool, name: name as GuardrailEventName, detail })),
  ...Object.entries(gateDetails).map(([name, detail]) => ({ ...gate, name: name as GateEventName, detail })),
];
const figures = (name: EmittedEvent['name'], detail?: EmittedEvent['detail']): Figures[] => {
  const event = events.find((one) => one.name === name);
  return event ? figuresOf(detail ? { ...event, detail } : event) : [];
};

test('every series that an event writes is one that METRICS names, and the other way round', () => {
  const written = new Set<string>();
  const usage = { inputTokens: 1, outputTokens: 1 };
  const calls = [
    ...figuresOfCall({ kind: 'hook', hook: 'review' }, { code: 'timeout', latencyMs: 1 }),
    ...figuresOfCall(
      { kind: 'model', model: 'judge', use: 'classifier', cost: () => 7 },
      { code: 'garbled', usage, latencyMs: 1 },
    ),
  ];
  for (const { values, by } of [...events.flatMap(figuresOf), ...calls])
    for (const name of Object.keys(values)) {
      written.add(`${name} `);
      for (const dimensions of by) written.add(`${name} ${Object.keys(dimensions).join()}`);
    }
  for (const { name, sets } of counted()) {
    written.add(`${name} `);
    for (const dimensions of sets) written.add(`${name} ${dimensions}`);
  }
  const promised = Object.entries(METRICS).flatMap(([name, { by }]) =>
    [[], ...by].map((dimensions) => `${name} ${dimensions.join()}`),
  );
  expect([...written].sort()).toEqual(promised.sort());
});

/** Figures that functions count themselves, by their source. */
function counted() {
  const folder = resolve(import.meta.dirname, '../../functions');
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
  const text = files.map((file) => readFileSync(join(folder, file), 'utf8')).join('\n');
  return [...text.matchAll(/\bcount\(([^)]+)/g)].flatMap(([, counters = '']) => {
    const sets = [...counters.matchAll(/\{ ([^}]+) \}/g)].map(([, set = '']) =>
      set
        .split(',')
        .map((part) => part.trim().split(':')[0])
        .join(),
    );
    const names = [...counters.matchAll(/'(\w+)'/g)].map(([, name = '']) => name as MetricName);
    return names.filter((name) => name in METRICS).map((name) => ({ name, sets }));
  });
}

describe('figures', () => {
  test('R3-094 an error is a sample of one, a success a sample of none: the average is the error rate', () => {
    expect(figures('ToolSucceeded')[1]).toEqual({
      values: { tool_errors_total: 0 },
      by: [{ tool: 'search', origin: 'mcp::web' }],
    });
    expect(figures('ToolFailed')[1]).toEqual({
      values: { tool_errors_total: 1 },
      by: [{ tool: 'search', origin: 'mcp::web' }, { code: 'Timeout' }],
    });
  });

  test('R3-096 gauges: breaker, saturation, concurrency', () => {
    const [applied] = figures('PolicyApplied');
    expect(applied?.values).toEqual({ circuit_state: 1, rate_limiter_saturation: 0.6 });
    expect(figures('PolicyApplied')[1]?.values).toEqual({ concurrency_in_use: 1 });
    expect(figures('PolicyApplied', { circuitState: 'unknown' })[0]?.values).toEqual({});
  });

  test('budgets as a part of their limit', () => {
    expect(figures('ToolSucceeded')[2]).toEqual({
      values: { budget_used: 0.75 },
      by: [{ budget: 'agent:coder:cost' }],
    });
  });

  test('a tool that nobody knows is no series of its own: an agent could name thousands', () => {
    const invented = { ...tool, name: 'ToolInvoked', tool: 'invented-77', origin: 'unknown', detail: {} } as const;
    expect(figuresOf(invented)[0]?.by).toEqual([{ tool: 'unknown', origin: 'unknown' }]);
  });
});

test('EMF through Powertools: one line, the total and each series, ids beside them', () => {
  const lines: string[] = [];
  const out = vi.spyOn(process.stdout, 'write').mockImplementation((text) => lines.push(String(text)) > 0);
  measure({ values: { tool_latency_ms: 5 }, by: [{ tool: 'search', origin: 'local' }] }, { correlationId: 'c1' });
  out.mockRestore();
  const [line] = lines.map((one) => JSON.parse(one));
  expect(lines).toHaveLength(1);
  expect(line).toMatchObject({ tool_latency_ms: 5, tool: 'search', origin: 'local', correlationId: 'c1' });
  expect(line._aws.CloudWatchMetrics).toEqual([
    {
      Namespace: 'Countersign',
      Dimensions: [['service'], ['service', 'tool', 'origin']],
      Metrics: [{ Name: 'tool_latency_ms', Unit: 'Milliseconds' }],
    },
  ]);
});
