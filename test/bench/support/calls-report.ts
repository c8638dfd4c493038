/** Prints what was counted. */
import { METRIC_MODES, type MetricMode } from '../../../shared/config/metric-names.ts';
import { type CostLine, canaryCost, ON_REQUEST, PARTS, totalOf } from './cost.ts';
import type { Call } from './meter.ts';
import { ASSUMED, COUNTED, PRICES } from './prices.ts';
import { against, type Cell, decimals, dollars, note, printTable } from './print.ts';
import { alarmDollars, type PolicySize, SIZES, seriesDollars, seriesOf } from './series.ts';
import { sum } from './stats.ts';

const AIM_HUMAN_CALLS = 14;
const AIM_GATE_DOLLARS = { tens: 0.9, ones: 2.9, human: 80 } as const;

interface Counted {
  readonly calls: readonly Call[];
  readonly decisions: number;
}

export function printAutomatic(tens: Counted, ones: Counted): void {
  const groups = [...groupsOf([...tens.calls, ...ones.calls]).keys()];
  printTable(
    'An automatic decision: calls and bytes, each per decision',
    ['where', 'call', 'batch of 10', 'sent B', 'got B', 'batch of 1', 'sent B', 'got B'],
    [
      ...groups.map((name) => [...name.split(' '), ...figuresOf(tens, name), ...figuresOf(ones, name)]),
      ['gate', 'all', ...figuresOf(tens, 'gate'), ...figuresOf(ones, 'gate')],
    ],
  );
  note(
    'Aim: one batched read and one write a decision. Beside them stands one limiter write per sender and batch (A14).',
  );
}

export function printHuman(what: string, calls: readonly Call[], decisions: number): void {
  const human = { calls, decisions };
  const gate = callsOf(human, 'gate');
  printTable(
    `${what}: calls, bytes and units, each per decision`,
    ['where', 'call', 'calls', 'sent B', 'got B', 'write units', 'read units'],
    [
      ...[...groupsOf(calls).keys()].map((name) => [...name.split(' '), ...withUnits(human, name)]),
      ['gate', 'all', ...withUnits(human, 'gate')],
      ['agent', 'all', ...withUnits(human, 'agent')],
    ],
  );
  note(`Aim: at most ${AIM_HUMAN_CALLS} calls; the gate makes ${decimals(gate)}: ${against(gate, AIM_HUMAN_CALLS)}.`);
  note('The agent reads once more for each five seconds that people take (each fifteen after ten minutes).');
}

/** Prints each item that one kind of decision writes, in the order of its first write. */
export function printItems(kind: string, { calls, decisions }: Counted): void {
  const written = calls.flatMap(({ phase, billed }) => billed.items.map((item) => ({ ...item, phase })));
  const groups = Map.groupBy(written, ({ phase, what }) => `${phase} ${what}`);
  const rows = [...groups.values()].map((items): Cell[] => {
    const [{ phase, what } = { phase: '', what: '' }] = items;
    const bytes = items.map((item) => item.bytes);
    const each = (value: (item: (typeof items)[number]) => number) => decimals(sum(items.map(value)) / decisions);
    return [
      ...[phase, what, each(() => 1), Math.round(sum(bytes) / bytes.length), Math.max(...bytes)],
      ...[each(({ units }) => units), each(({ indexUnits }) => indexUnits)],
    ];
  });
  printTable(
    `${kind}: items as they are stored (DynamoDB’s own measure), each per decision`,
    ['where', 'item', 'writes', 'mean B', 'largest B', 'units', 'of indexes'],
    rows,
  );
}

export function printPrices(tens: readonly CostLine[], ones: readonly CostLine[], human: readonly CostLine[]): void {
  const rowsOf = (lines: readonly CostLine[]) =>
    lines.map(({ part, what, takes, perMillion }): Cell[] => [part, what, takes, dollars(perMillion)]);
  const head = ['part', 'what', 'takes', '$ per million'];
  printTable('A million automatic decisions, batches of 10', head, rowsOf(tens));
  printTable('A million automatic decisions, batches of 1', head, rowsOf(ones));
  printTable('A million human decisions', head, rowsOf(human));
  const sums = (lines: readonly CostLine[]) => [
    ...PARTS.map((part) => dollars(totalOf(lines, part))),
    dollars(totalOf(lines)),
    ...ON_REQUEST.map((part) => dollars(totalOf(lines, part))),
  ];
  const verdict = (lines: readonly CostLine[], aim: number) =>
    `${dollars(aim)}: ${against(totalOf(lines, 'gate'), aim)}`;
  printTable(
    `Dollars per million decisions (${PRICES.region} list prices, ${PRICES.asOf})`,
    ['path', ...PARTS, 'all', ...ON_REQUEST, 'aim of the gate'],
    [
      ['automatic, batch of 10', ...sums(tens), verdict(tens, AIM_GATE_DOLLARS.tens)],
      ['automatic, batch of 1', ...sums(ones), verdict(ones, AIM_GATE_DOLLARS.ones)],
      ['human', ...sums(human), verdict(human, AIM_GATE_DOLLARS.human)],
    ],
  );
  const { use, fixed } = canaryCost(ones, human);
  note(
    `The canary, a run each five minutes: ${dollars(use)} a month, and ${dollars(fixed)} for its alarms and metrics.`,
  );
  printWatching();
  const { evaluateMs, evaluateGb, agentReads } = ASSUMED;
  note(
    `Assumed, not measured: evaluate bills ${evaluateMs.batchOf10} ms a batch of 10 and ${evaluateMs.batchOf1} ms a`,
  );
  note(
    `batch of 1 at ${evaluateGb} GB; an agent reads ${agentReads} times. Not in it: idle polling, storage, S3 inputs.`,
  );
}

/** Prints what alarms and metrics cost a month, whether or not anything is decided. */
function printWatching(): void {
  const cell = (size: PolicySize, mode: MetricMode) => {
    const series = seriesOf(size, mode);
    return `${series}, ${dollars(seriesDollars(series))}`;
  };
  printTable(
    'Series and dollars a month, each policy busy all the time',
    ['policy', ...METRIC_MODES],
    SIZES.map((size): Cell[] => [size.name, ...METRIC_MODES.map((mode) => cell(size, mode))]),
  );
  const { metrics, composites } = COUNTED.alarms;
  note(`Alarms: ${metrics} metrics of alarms and ${composites} composites, ${dollars(alarmDollars())} a month.`);
  const traced = PRICES.xray.perMillion * ASSUMED.traced.idle;
  note(
    `With tracing on, at less than one invocation a second each is traced: ${dollars(traced)} for a million, not a twentieth.`,
  );
}

/** Prints calls, units and price of each kind of decision: the table of the documents. */
export function printKinds(
  kinds: readonly (Counted & { readonly kind: string; readonly cost: readonly CostLine[] })[],
) {
  printTable(
    'Each kind of decision: counted calls and units, and dollars a million',
    ['kind', 'SDK calls', 'write units', 'of them record', 'read units', 'agent’s calls', 'gate', 'all', ...ON_REQUEST],
    kinds.map(({ kind, cost, ...counted }): Cell[] => {
      const gate = membersOf(counted.calls, 'gate');
      const each = (value: (call: Call) => number) => decimals(sum(gate.map(value)) / counted.decisions);
      return [
        kind,
        decimals(callsOf(counted, 'gate')),
        each(({ billed }) => billed.writes + billed.recordWrites),
        each(({ billed }) => billed.recordWrites),
        each(({ billed }) => billed.reads),
        decimals(callsOf(counted, 'agent')),
        dollars(totalOf(cost, 'gate')),
        dollars(totalOf(cost)),
        ...ON_REQUEST.map((part) => dollars(totalOf(cost, part))),
      ];
    }),
  );
}

/** `where call`, in the order of first appearance. */
const groupsOf = (calls: readonly Call[]): Map<string, Call[]> =>
  Map.groupBy(calls, ({ phase, operation }) => `${phase} ${operation}`);

function membersOf(calls: readonly Call[], name: string): readonly Call[] {
  if (name === 'gate') return calls.filter(({ phase }) => phase !== 'agent');
  if (name === 'agent') return calls.filter(({ phase }) => phase === 'agent');
  return groupsOf(calls).get(name) ?? [];
}

const callsOf = ({ calls, decisions }: Counted, name: string): number => membersOf(calls, name).length / decisions;

function figuresOf({ calls, decisions }: Counted, name: string): Cell[] {
  const members = membersOf(calls, name);
  const each = (value: (call: Call) => number) => Math.round(sum(members.map(value)) / decisions);
  return [decimals(members.length / decisions), each(({ sent }) => sent), each(({ received }) => received)];
}

/** The same with what DynamoDB bills, of the decision and of its record. */
function withUnits(counted: Counted, name: string): Cell[] {
  const each = (value: (call: Call) => number) =>
    decimals(sum(membersOf(counted.calls, name).map(value)) / counted.decisions);
  return [
    ...figuresOf(counted, name),
    each(({ billed }) => billed.writes + billed.recordWrites),
    each(({ billed }) => billed.reads),
  ];
}
