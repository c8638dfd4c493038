/**
 * Checks that events become the metrics that `METRICS` promises (R3-094 … R3-097).
 *
 * Every promised metric is written somewhere.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { figuresOfCall } from '../../../functions/runtime/telemetry/dependency-figures.ts';
import { events as collected, sendEvents } from '../../../functions/runtime/telemetry/events.ts';
import { type Figures, figuresOf } from '../../../functions/runtime/telemetry/figures.ts';
import { count, measure, publishMetrics } from '../../../functions/runtime/telemetry/observe.ts';
import { METRICS, type MetricName } from '../../../shared/config/metric-names.ts';
import { OBJECTIVES, type Objective } from '../../../shared/config/objectives.ts';
import { CANARY } from '../../../shared/domain/canary.ts';
import type { EmittedEvent, GateEvent, GateEventName } from '../../../shared/ports/gate-events.ts';
import type { GuardrailEvent, GuardrailEventName } from '../../../shared/ports/guardrail-events.ts';
import { logged } from '../support/logged.ts';

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
  ProposalDecided: { outcome: 'denied', durationUs: 1500, latencyMs: 20, way: 'rules', answerMs: 7 },
  ProposalRefused: {},
  ProposalCancelled: {},
  ApprovalOpened: { latencyMs: 30, way: 'rules' },
  ApprovalEnded: { status: 'approved', waitedMs: 60_000, group: 'platform' },
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

test('what the canary is told is in no figure and no event', async () => {
  const emit = (agentId: string) =>
    logged(async () => {
      for (const event of events) collected.emit({ ...event, agentId } as EmittedEvent);
      await sendEvents('request', { EVENT_BUS: 'log' });
    });
  expect(await emit(CANARY)).toEqual([]);
  expect((await emit('coder')).length).toBeGreaterThan(events.length);
});

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
  const expired = figures('ProposalDecided', { outcome: 'expired', status: 'expired', answerMs: 9 });
  for (const { values, by } of [...events.flatMap(figuresOf), ...expired, ...calls])
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
  const folder = resolve(import.meta.dirname, '../../../functions');
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
  const named = (name: MetricName, of: Figures[]) => of.filter(({ values }) => name in values);

  test.each([
    ['approved', 'allow'],
    ['answered', 'allow'],
    ['denied', 'deny'],
    ['error', 'error'],
    ['cancelled', 'error'],
  ])('an automatic decision that came out %s waited on the path %s', (outcome, path) => {
    const decided = figures('ProposalDecided', { outcome, latencyMs: 431, way: 'model' });
    expect(named('DecisionLatency', decided)).toEqual([
      { values: { DecisionLatency: 431 }, by: [{ path }, { way: 'model' }] },
    ]);
  });

  test('a question to people is the end of what its agent waits for the gate', () => {
    expect(named('DecisionLatency', figures('ApprovalOpened'))).toEqual([
      { values: { DecisionLatency: 30 }, by: [{ path: 'ask' }, { way: 'rules' }] },
    ]);
  });

  test.each([
    ['approved', ['AnswerDelay']],
    ['rejected', ['AnswerDelay']],
    ['expired', ['ExpiryLag']],
    ['cancelled', []],
  ])('the decision of an approval that ended %s is late by %j', (status, names) => {
    const decided = figures('ProposalDecided', { outcome: 'approved', status, answerMs: 12 });
    expect(decided.flatMap(({ values }) => Object.keys(values)).filter((name) => /Answer|Expiry/.test(name))).toEqual(
      names,
    );
  });

  test.each([
    ['approved', 1],
    ['rejected', 1],
    ['edited', 1],
    ['expired', 0],
    ['cancelled', 0],
  ])('%s: people answered %i times', (status, times) => {
    const ended = figures('ApprovalEnded', { status, waitedMs: 5, group: 'platform' });
    expect(named('TimeToAnswer', ended)).toHaveLength(times);
    expect(named('ApprovalWait', ended)[0]?.by).toEqual([{ status }]);
  });

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
  publishMetrics();
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

/** The lines that `work` writes. */
function written(work: () => void): Record<string, unknown>[] {
  const lines: string[] = [];
  const out = vi.spyOn(process.stdout, 'write').mockImplementation((text) => lines.push(String(text)) > 0);
  work();
  publishMetrics();
  out.mockRestore();
  return lines.map((line) => JSON.parse(line));
}

/** The samples of a line by series, as CloudWatch reads them: `Decisions outcome=denied` has 1. */
function seriesIn(lines: readonly Record<string, unknown>[]): Record<string, number[]> {
  const found: Record<string, number[]> = {};
  for (const line of lines) {
    const { CloudWatchMetrics: directives } = line['_aws'] as {
      CloudWatchMetrics: { Dimensions: string[][]; Metrics: { Name: string }[] }[];
    };
    for (const { Dimensions, Metrics } of directives)
      for (const set of Dimensions)
        for (const { Name } of Metrics) {
          const key = [Name, ...set.filter((name) => name !== 'service').map((name) => `${name}=${line[name]}`)];
          const name = key.join(' ');
          found[name] = [...(found[name] ?? []), ...[line[Name] as number | number[]].flat()];
        }
  }
  return found;
}

describe('one invocation', () => {
  const decided = (outcome: string, latencyMs: number) =>
    figures('ProposalDecided', { outcome, durationUs: 900, latencyMs, way: 'rules' });
  const batch = () => {
    for (let each = 0; each < 10; each++)
      for (const one of decided('approved', 40 + each)) measure(one, { pid: `${each}`.repeat(64), agentId: 'coder' });
    count('ProposalsWorked', 10);
  };

  test('a batch of ten that rules allow is one line', () => {
    const lines = written(batch);
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatchObject({ agentId: 'coder', pid: expect.arrayContaining(['3'.repeat(64)]) });
    expect(seriesIn(lines)).toMatchObject({
      ProposalsWorked: [10],
      'Decisions outcome=approved': Array(10).fill(1),
      'DecisionLatency path=allow': [40, 41, 42, 43, 44, 45, 46, 47, 48, 49],
      'Sli objective=decisions': Array(10).fill(1),
    });
  });

  test('values of one dimension that differ are lines of their own, and no sample is lost or told twice', () => {
    const lines = written(() => {
      for (const [outcome, ms] of [
        ['approved', 10],
        ['denied', 20],
        ['approved', 30],
      ] as const)
        for (const one of decided(outcome, ms)) measure(one);
    });
    expect(lines).toHaveLength(2);
    expect(seriesIn(lines)).toMatchObject({
      Decisions: [1, 1, 1],
      'Decisions outcome=approved': [1, 1],
      'Decisions outcome=denied': [1],
      'DecisionLatency path=deny': [20],
      'DecisionLatency way=rules': [10, 30, 20],
    });
  });

  test('more samples than CloudWatch takes of a metric in one line begin another', () => {
    const lines = written(() => {
      for (let each = 0; each < 250; each++) count('CardDelay', each);
    });
    expect(lines.map((line) => [line['CardDelay']].flat().length)).toEqual([99, 99, 52]);
  });

  test('nothing counted writes nothing', () => expect(written(() => undefined)).toEqual([]));

  test.each(Object.entries(OBJECTIVES as Record<string, Objective>))(
    '%s: its bound is good, one more is not',
    (name, one) => {
      const { metric, where, withinMs } = one;
      const by = where ? [{ ...where }] : [];
      const samples = (ms: number) =>
        seriesIn(written(() => measure({ values: { [metric]: ms }, by })))[`Sli objective=${name}`];
      expect([samples(withinMs), samples(withinMs + 1)]).toEqual([[1], [0]]);
    },
  );

  test('a message that its own rate put off, counts for no objective', () => {
    const late = figures('ProposalDecided', { outcome: 'approved', latencyMs: 60_000, way: 'rate' });
    const lines = written(() => late.forEach((one) => void measure(one)));
    expect(Object.keys(seriesIn(lines)).filter((name) => name.startsWith('Sli'))).toEqual([]);
  });
});
