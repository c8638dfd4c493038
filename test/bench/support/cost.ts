/**
 * Computes dollars per million decisions from counted calls, in the three parts of A27.
 *
 * Parts: the gate, the agent's side and the record; and events and traces, which a deployment has only where it asks for them.
 */
import { type Call, PUT_TEXT } from './meter.ts';
import { ASSUMED, COUNTED, PRICES } from './prices.ts';
import { sum } from './stats.ts';

export const PARTS = ['gate', 'agent side', 'record'] as const;
/** Off by default: `eventBus` names a bus, `tracing` is `active`. */
export const ON_REQUEST = ['events', 'traces'] as const;

export interface CostLine {
  readonly part: (typeof PARTS)[number] | (typeof ON_REQUEST)[number];
  readonly what: string;
  /** How much of it a decision takes, in words. */
  readonly takes: string;
  readonly perMillion: number;
}

const { dynamodb, sqs, lambda, logs, s3, stepFunctions } = PRICES;

export function automaticCost(calls: readonly Call[], decisions: number, batch: 10 | 1): CostLine[] {
  const use = usedPer(calls, decisions);
  const ms = batch === 10 ? ASSUMED.evaluateMs.batchOf10 : ASSUMED.evaluateMs.batchOf1;
  const share = 1 / batch;
  const bytes = COUNTED.metricBytes[batch === 10 ? 'batchOf10' : 'batchOf1'];
  return [
    line('gate', 'DynamoDB writes', `${figure(use.writes)} units`, use.writes * dynamodb.perMillionWriteUnits),
    line('gate', 'DynamoDB reads', `${figure(use.reads)} units`, use.reads * dynamodb.perMillionReadUnits),
    line('gate', 'SQS receive, delete', `${figure(2 * share)} requests`, 2 * share * sqs.perMillionFair),
    line('gate', 'Lambda', `${ms} ms a batch, ${ASSUMED.evaluateGb} GB`, share * invocation(ms, ASSUMED.evaluateGb)),
    line('gate', 'logs', `${bytes} B a batch`, share * bytes * MILLION_BYTES_OF_LOG),
    line('agent side', 'SQS send', '1 request', sqs.perMillionFair),
    line(
      'agent side',
      'DynamoDB reads',
      `${ASSUMED.agentReads} reads`,
      ASSUMED.agentReads * ASSUMED.agentReadUnits * dynamodb.perMillionReadUnits,
    ),
    ...record(use, 1),
    ...watching(1, share),
  ];
}

/** Everything from the question to the end; the agent reads once more for each five seconds that people take. */
export function humanCost(calls: readonly Call[], decisions: number): CostLine[] {
  const use = usedPer(calls, decisions);
  const cards = per(decisions, calls, ({ phase, operation }) => phase !== 'agent' && operation === 'SendMessage');
  const runs = (name: string) => (name === 'slack-out' ? cards : 1);
  const invoked = ASSUMED.human.map(({ name, ms, gb }) => runs(name) * invocation(ms, gb));
  const times = sum(ASSUMED.human.map(({ name }) => runs(name)));
  const { transitions } = ASSUMED;
  return [
    line('gate', 'Step Functions', `${transitions} transitions`, transitions * stepFunctions.perMillionTransitions),
    line('gate', 'DynamoDB writes', `${figure(use.writes)} units`, use.writes * dynamodb.perMillionWriteUnits),
    line('gate', 'DynamoDB reads', `${figure(use.reads)} units`, use.reads * dynamodb.perMillionReadUnits),
    line('gate', 'SQS proposals', '2 requests', 2 * sqs.perMillionFair),
    line('gate', 'SQS cards (FIFO)', `${figure(3 * cards)} requests`, 3 * cards * sqs.perMillionFifo),
    line('gate', 'Lambda', `${figure(times)} invocations`, sum(invoked)),
    line('gate', 'logs', `${COUNTED.humanMetricBytes} B`, COUNTED.humanMetricBytes * MILLION_BYTES_OF_LOG),
    line('agent side', 'SQS send', '1 request', sqs.perMillionFair),
    line(
      'agent side',
      'DynamoDB reads',
      `${figure(use.agentReads)} units`,
      use.agentReads * dynamodb.perMillionReadUnits,
    ),
    ...record(use, use.entries),
    ...watching(ASSUMED.humanEvents, times),
  ];
}

/**
 * Dollars a month. A question of the canary is counted as one of people, though nobody clicks, and takes one transition more: one that is
 * withdrawn or expires is decided by its workflow.
 */
export function canaryCost(ones: readonly CostLine[], human: readonly CostLine[]): Record<'use' | 'fixed', number> {
  const { runsAMonth, ms, gb, automatic, questions, alarms, metrics } = ASSUMED.canary;
  const { invocations, writes, ...permit } = ASSUMED.canaryPermit;
  const redeemed = invocations * invocation(permit.ms, permit.gb) + writes * dynamodb.perMillionWriteUnits;
  const question = totalOf(human) + stepFunctions.perMillionTransitions;
  const aMillion = automatic * totalOf(ones) + questions * question + invocation(ms, gb) + redeemed;
  const { perAlarmMonth, perMetricMonth } = PRICES.cloudWatch;
  return { use: (aMillion * runsAMonth) / 1_000_000, fixed: alarms * perAlarmMonth + metrics * perMetricMonth };
}

/** Sums one part, or all that every deployment has. */
export const totalOf = (lines: readonly CostLine[], part?: CostLine['part']): number => {
  const parts: readonly string[] = part === undefined ? PARTS : [part];
  return sum(lines.filter((one) => parts.includes(one.part)).map(({ perMillion }) => perMillion));
};

/** A trigger reads the stream for nothing; what it hands over is archived, so many entries at once. */
function record({ recordWrites, texts }: ReturnType<typeof usedPer>, entries: number): CostLine[] {
  const each = entries / ASSUMED.archiveBatch;
  const archived = each * (s3.perMillionPuts + invocation(ASSUMED.archiveMs, ASSUMED.archiveGb));
  return [
    line('record', 'DynamoDB writes', `${figure(recordWrites)} units`, recordWrites * dynamodb.perMillionWriteUnits),
    line('record', 'S3 texts', `${figure(texts)} objects`, texts * s3.perMillionPuts),
    line('record', 'stream reads', 'by a trigger', 0),
    line('record', 'archive', `1 object per ${ASSUMED.archiveBatch} entries`, archived),
  ];
}

/** Watching a busy gate: at one decision a second every invocation is traced. */
function watching(events: number, invocations: number): CostLine[] {
  const traces = invocations * ASSUMED.traced.busy;
  return [
    line('events', 'events', `${events} on a bus`, events * PRICES.eventBridge.perMillion),
    line('traces', 'traces', `${figure(traces)} traces`, traces * PRICES.xray.perMillion),
  ];
}

/** A million invocations. */
const invocation = (ms: number, gb: number): number =>
  lambda.perMillionRequests + 1_000_000 * (ms / 1000) * gb * lambda.perGbSecond;

/** A million times one byte. */
const MILLION_BYTES_OF_LOG = (1_000_000 / 1_000_000_000) * logs.perGb;

function usedPer(calls: readonly Call[], decisions: number) {
  const gate = calls.filter(({ phase }) => phase !== 'agent');
  const agent = calls.filter(({ phase }) => phase === 'agent');
  const each = (of: readonly Call[], value: (call: Call) => number) => sum(of.map(value)) / decisions;
  return {
    writes: each(gate, ({ billed }) => billed.writes),
    reads: each(gate, ({ billed }) => billed.reads),
    recordWrites: each(gate, ({ billed }) => billed.recordWrites),
    agentReads: each(agent, ({ billed }) => billed.reads),
    texts: each(gate, ({ operation }) => (operation === PUT_TEXT ? 1 : 0)),
    entries: each(gate, ({ billed }) => billed.items.filter(({ what }) => what.startsWith('audit ')).length),
  };
}

const per = (decisions: number, calls: readonly Call[], which: (call: Call) => boolean): number =>
  calls.filter(which).length / decisions;

const line = (part: CostLine['part'], what: string, takes: string, perMillion: number): CostLine => ({
  part,
  what,
  takes,
  perMillion,
});

const figure = (value: number): string => (Number.isInteger(value) ? String(value) : value.toFixed(2));
