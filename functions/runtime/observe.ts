/**
 * Logs and metrics of every function, one JSON line an event.
 * Nothing of a message's content goes into either.
 */
import { Logger } from '@aws-lambda-powertools/logger';
import { Metrics } from '@aws-lambda-powertools/metrics';
import { METRICS, type MetricName, NAMESPACE } from '../../shared/config/metric-names.ts';
import { faultOf } from './fault.ts';
import type { Figures } from './figures.ts';

/** The deployment's name: two gates of one account have series of their own. */
const serviceName = process.env['DEPLOYMENT'] || 'countersign';
/** The name of this function within its gate. */
const functionName = process.env['GATE_FUNCTION'] || 'unknown';

const logger = new Logger({ serviceName, persistentKeys: { function: functionName } });
const metrics = new Metrics({ namespace: NAMESPACE, serviceName });

/** Ids by which a reader of the log finds the rest of the story. None of them quotes a message. */
interface Ids {
  readonly pid: string;
  readonly proposalId: string;
  readonly agent: string;
  readonly messageId: string;
  readonly permitId: string;
  readonly channel: string;
  readonly queue: string;
  /** An entry of the record. */
  readonly key: string;
  /** A seal of the record. */
  readonly number: number;
  /** A parameter of a registered sender. */
  readonly parameter: string;
  /** A model or a hook of the policy file. */
  readonly dependency: string;
  /** A request of Slack whose signature is not verified: nothing in it is an id. */
  readonly unverified: true;
  /** Concerns a whole process or run, and no proposal: the request id of the line is all there is. */
  readonly run: true;
}

/** At least one of the ids, and further facts of a line. */
export type LineIds = { [Name in keyof Ids]: Readonly<Pick<Ids, Name>> }[keyof Ids] &
  Readonly<Partial<Record<string, unknown>>>;

type Level = 'info' | 'warn' | 'error';

/** Every line of the log is written here, and carries an id. */
export function log(level: Level, message: string, ids: LineIds): void {
  logger[level](message, { ...ids });
}

/** Of one invocation: its request id stands in every line from now on. */
export function beginInvocation(requestId: string): void {
  logger.resetKeys();
  logger.appendKeys({ requestId });
}

/** Names of the errors by which the gate answers or waits: no faults. */
const ANSWERS: ReadonlySet<string> = new Set(['StillWaiting', 'AlreadyDecided', 'SlackBusyError', 'CardInLineError']);

export const isAnswer = (error: unknown): boolean => error instanceof Error && ANSWERS.has(error.name);

/** By error, the messages and approvals of which it was logged: it is met again on its way out, and one error may fail a whole batch. */
const told = new WeakMap<object, Set<string>>();

/** False: a line has the error already, of the same message or approval, or of any if this one names none. */
function isNew(error: unknown, { messageId, pid }: Readonly<Record<string, unknown>>): boolean {
  if (typeof error !== 'object' || error === null) return true;
  const known = told.get(error) ?? new Set();
  const id = messageId ?? pid;
  if (typeof id === 'string' ? known.has(id) : known.size) return false;
  told.set(error, known.add(typeof id === 'string' ? id : ''));
  return true;
}

/** Logs a fault with its cause and counts it by function and kind: once for each message, however often the error is met. */
export function logFault(message: string, error: unknown, ids: LineIds, level: Level = 'error'): void {
  if (!isNew(error, ids)) return;
  const facts = faultOf(error);
  log(level, message, { ...ids, ...facts });
  if (isAnswer(error)) return;
  count('Faults', 1, { function: functionName }, { fault: facts.fault });
}

/** Kept until `publishMetrics`; with sets of dimensions, written at once. */
export function count(name: MetricName, value = 1, ...by: readonly Readonly<Record<string, string>>[]): void {
  if (by.length) measure({ values: { [name]: value }, by });
  else metrics.addMetric(name, METRICS[name].unit, value);
}

/** Written at once: as a total, and once for each set of dimensions. `ids` are found in the log, and are no dimensions. */
export function measure({ values, by }: Figures, ids: Readonly<Record<string, string>> = {}): void {
  const entries = Object.entries(values) as [MetricName, number][];
  if (entries.length === 0) return;
  const line = new Metrics({ namespace: NAMESPACE, serviceName });
  for (const dimensions of [{}, ...by]) line.addDimensions(dimensions);
  for (const [name, value] of entries) line.addMetric(name, METRICS[name].unit, value);
  for (const [name, id] of Object.entries(ids)) line.addMetadata(name, id);
  line.publishStoredMetrics();
}

/** Writes what was counted. The library warns in plain text where there is nothing, and each line has to be one JSON object (AU-014). */
export function publishMetrics(): void {
  if (metrics.hasStoredMetrics()) metrics.publishStoredMetrics();
}

/** An agent's own queue took no decision for too long; an alarm names the agent. */
export function replyLost(agent: string): void {
  count('RepliesLost', 1, { agent });
  log('error', "decisions could not be sent to an agent's queue; its record has them", { agent });
}

/** The name of an error, never its text, which may quote the message. */
export const faultName = (error: unknown): string => faultOf(error).fault;
