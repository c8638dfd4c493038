/** Checks lean metrics, tools that no policy file names, and the bytes of metric lines. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { withListedTools } from '../../../functions/runtime/telemetry/figures.ts';
import { loadPolicy } from '../../../shared/config/load.ts';
import { listedOrigins, listedTools } from '../../../shared/config/readers/listed-tools.ts';
import type { GateEvent } from '../../../shared/ports/gate-events.ts';
import { COUNTED } from '../../bench/support/prices.ts';

beforeEach(() => vi.resetModules());
afterEach(() => vi.unstubAllEnvs());

/** The text of the metric lines, by modules that begin anew with this environment. */
async function written(mode: string, work: (parts: Parts) => void): Promise<string> {
  vi.stubEnv('METRICS', mode);
  const observe = await import('../../../functions/runtime/telemetry/observe.ts');
  const { events } = await import('../../../functions/runtime/telemetry/events.ts');
  const lines: string[] = [];
  const write = vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    lines.push(String(text));
    return true;
  });
  try {
    work({ ...observe, events });
    observe.publishMetrics({ runMs: 38, memoryMb: 104 });
  } finally {
    write.mockRestore();
  }
  return lines.join('');
}
type Parts = typeof import('../../../functions/runtime/telemetry/observe.ts') &
  Pick<typeof import('../../../functions/runtime/telemetry/events.ts'), 'events'>;

/** The sets of dimensions of each metric, without `service`. */
function seriesIn(text: string): Record<string, string[]> {
  interface Line {
    readonly _aws: { readonly CloudWatchMetrics: { Dimensions: string[][]; Metrics: { Name: string }[] }[] };
  }
  const found: Record<string, string[]> = {};
  for (const line of text.split('\n').filter(Boolean))
    for (const { Dimensions, Metrics } of (JSON.parse(line) as Line)._aws.CloudWatchMetrics)
      for (const { Name } of Metrics) {
        const sets = Dimensions.map((set) => set.filter((name) => name !== 'service').join());
        found[Name] = [...new Set([...(found[Name] ?? []), ...sets])].toSorted();
      }
  return found;
}

const work = ({ measure, count, logFault }: Parts) => {
  measure({ values: { tool_latency_ms: 5 }, by: [{ tool: 'search', origin: 'local' }] });
  measure({ values: { ModelErrors: 1 }, by: [{ model: 'judge', use: 'policy' }, { code: 'timeout' }] });
  measure({ values: { DecisionLatency: 30 }, by: [{ path: 'allow' }, { way: 'rules' }] });
  count('RepliesLost', 1, { agent: 'billing' });
  count('CardsBlocked', 1, { problem: 'token_refused' });
  vi.spyOn(console, 'error').mockImplementation(() => undefined);
  logFault('a function failed', new Error('x'), { run: true });
};

test('lean: totals, and what alarms and objectives read', async () => {
  expect(seriesIn(await written('lean', work))).toEqual({
    tool_latency_ms: [''],
    ModelErrors: [''],
    DecisionLatency: [''],
    RepliesLost: ['', 'agent'],
    CardsBlocked: ['', 'problem'],
    Faults: ['', 'function'],
    Sli: ['', 'objective'],
  });
});

test.each(['full', ''])('%j: all series', async (mode) => {
  expect(seriesIn(await written(mode, work))).toMatchObject({
    tool_latency_ms: ['', 'tool,origin'],
    ModelErrors: ['', 'code', 'model,use'],
    DecisionLatency: ['', 'path', 'way'],
    Faults: ['', 'fault', 'function'],
  });
});

test('the file names tools in its catalogue, its limits and its rules; any other is one series for all', () => {
  const file = `
agents: {}
tools: { refund: { permissions: [Write], effect: NonIdempotentWrite } }
rules: { allow: ['Bash(git *)', 'mcp__github__*', 'Read'], deny: [{ rule: 'Write(/etc/*)' }] }
`;
  const { policy } = loadPolicy(file, 'countersign.yaml');
  const names = listedTools(policy);
  expect([...names].toSorted()).toEqual(['Bash', 'Read', 'Write', 'refund']);
  const origins = listedOrigins(policy);
  const series = (tool: string) =>
    withListedTools(
      [{ values: { tool_retries_total: 1 }, by: [{ tool, origin: 'local' }] }],
      (one) => names.has(one),
      (one) => origins.has(one),
    );
  expect(series('refund')[0]?.by).toEqual([{ tool: 'refund', origin: 'local' }]);
  for (const invented of ['Invented1', 'toString', 'mcp__elsewhere__x'])
    expect(series(invented)[0]?.by).toEqual([{ tool: 'unknown', origin: 'unknown' }]);
});

test.each([
  ['a pattern of its server', 'mcp__github__create_issue', 'mcp::github', 'mcp::github'],
  ['its declared server', 'mcp__tickets__close', 'mcp::tickets', 'mcp::tickets'],
  ['a server of a listed tool', 'mcp__mail__read', 'mcp::mail', 'mcp::mail'],
  ['nothing', 'mcp__elsewhere__x', 'mcp::elsewhere', 'unknown'],
])(
  'a tool that no rule names by itself, and %s covers: its origin is counted as far as the file names it',
  (_, tool, origin, counted) => {
    const { policy } = loadPolicy(
      `
agents: {}
tools: { mcp__mail__send: { permissions: [Write], effect: NonIdempotentWrite } }
mcpServers: { tickets: { url: 'https://tickets.example/mcp' } }
rules: { ask: ['mcp__github__*', 'mcp__*'] }
`,
      'countersign.yaml',
    );
    const names = listedTools(policy);
    const origins = listedOrigins(policy);
    const [figures] = withListedTools(
      [{ values: { circuit_state: 2 }, by: [{ tool, origin }] }],
      (one) => names.has(one),
      (one) => origins.has(one),
    );
    expect(figures?.by).toEqual([{ tool: 'unknown', origin: counted }]);
  },
);

test.each([
  ['one proposal', 1, COUNTED.metricBytes.batchOf1],
  ['ten proposals', 10, COUNTED.metricBytes.batchOf10],
])('the metric lines of %s are no larger than the price tables count', async (_, size, most) => {
  const decided = (index: number): GateEvent => ({
    name: 'ProposalDecided',
    eventVersion: 1,
    at: 0,
    pid: String(index).repeat(64),
    proposalId: `01890000-0000-7000-8000-00000000000${index}`,
    agentId: 'coder',
    detail: { outcome: index % 2 ? 'approved' : 'denied', durationUs: 15_000, latencyMs: 431, way: 'rules' },
  });
  const text = await written('full', ({ events, count }) => {
    for (let index = 0; index < size; index++) events.emit(decided(index));
    count('ProposalsWorked', size);
  });
  expect(text.length).toBeLessThanOrEqual(most);
  expect(text.length).toBeGreaterThan(0.9 * most);
});

/** An event of one question that a person answers, as the stores emit it, with the detail that is measured. */
const eventOf = (
  name: 'ApprovalOpened' | 'ApprovalEnded' | 'VoteCounted' | 'ProposalDecided',
  detail: object,
): GateEvent => ({
  name,
  eventVersion: 1,
  at: 0,
  pid: 'a'.repeat(64),
  proposalId: '01890000-0000-7000-8000-000000000000',
  agentId: 'demo-agent',
  detail: { ...detail },
});

const HUMAN: readonly (readonly [string, (parts: Parts) => void])[] = [
  [
    'evaluate',
    ({ events, count }) => {
      events.emit(eventOf('ApprovalOpened', { durationUs: 15_000, latencyMs: 431, way: 'rules', group: 'platform' }));
      count('ProposalsWorked');
    },
  ],
  ['request-approval', () => undefined],
  [
    'slack-out, the card',
    ({ count }) => {
      count('CardDelay', 1_431);
      count('CardsDrawn');
    },
  ],
  [
    'slack',
    ({ events, count }) => {
      events.emit(eventOf('VoteCounted', { accepted: true, status: 'approved' }));
      events.emit(eventOf('ApprovalEnded', { status: 'approved', waitedMs: 61_431, group: 'platform' }));
      count('ClickAck', 231);
    },
  ],
  [
    'resume',
    ({ events }) => {
      const ended = { status: 'approved', waitedMs: 61_431, answerMs: 131 };
      events.emit(eventOf('ProposalDecided', { outcome: 'approved', reasonCode: 'approved', ...ended }));
    },
  ],
  ['slack-out, its end', ({ count }) => count('CardsDrawn')],
];

test('the metric lines of a call that a person decides are no larger than the price tables count', async () => {
  let bytes = 0;
  for (const [, work] of HUMAN) {
    vi.resetModules();
    bytes += (await written('full', work)).length;
  }
  expect(bytes).toBeLessThanOrEqual(COUNTED.humanMetricBytes);
  expect(bytes).toBeGreaterThan(0.9 * COUNTED.humanMetricBytes);
});
