/**
 * Writes logs and metrics of every function, one JSON line an event.
 * Nothing of a message's content goes into either.
 */
import { isWritten, type MetricMode, type MetricName } from '../../../shared/config/metric-names.ts';
import { objectivesOf } from '../../../shared/config/objectives.ts';
import { faultOf } from './fault.ts';
import type { Figures } from './figures.ts';
import { LogLines } from './log-lines.ts';
import { idsOfWork } from './message-in-work.ts';
import { MetricLines, type RunFacts } from './metric-lines.ts';

/** The deployment's name: two gates of one account have series of their own. */
const serviceName = process.env['DEPLOYMENT'] || 'countersign';
/** The name of this function within its gate. */
const functionName = process.env['GATE_FUNCTION'] || 'unknown';
/** The version of the package. */
export const version = process.env['COUNTERSIGN_VERSION'] || 'unknown';

const lines = new LogLines(serviceName, { function: functionName });

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
type LineIds = { [Name in keyof Ids]: Readonly<Pick<Ids, Name>> }[keyof Ids] &
  Readonly<Partial<Record<string, unknown>>>;

type Level = 'info' | 'warn' | 'error';

/** Every line of the log is written here, and carries an id: the line's own, and those of the message or approval in work. */
export function log(level: Level, message: string, ids: LineIds): void {
  lines.write(level, message, { ...idsOfWork(), ...ids });
}

/** Puts the request id of the invocation into every line from now on. */
export const beginInvocation = (requestId: string): void => lines.beginInvocation(requestId);

/** Names of the errors by which the gate answers or waits: no faults. */
const ANSWERS: ReadonlySet<string> = new Set(['StillWaiting', 'AlreadyDecided', 'SlackBusyError', 'CardInLineError']);

export const isAnswer = (error: unknown): boolean => error instanceof Error && ANSWERS.has(error.name);

/** Remembers for which messages an error was logged: it is caught again on its way out, and one error may fail a whole batch. */
const loggedFor = new WeakMap<object, Set<string>>();

/** Whether the error is new. False if a line of the same message or approval has it, or any line if this one names neither. */
function isNew(error: unknown, { messageId, pid }: Readonly<Record<string, unknown>>): boolean {
  if (typeof error !== 'object' || error === null) return true;
  const known = loggedFor.get(error) ?? new Set();
  const id = messageId ?? pid;
  if (typeof id === 'string' ? known.has(id) : known.size) return false;
  loggedFor.set(error, known.add(typeof id === 'string' ? id : ''));
  return true;
}

/** Logs a fault with its cause and counts it by function and kind: once for each message, however often the error is met. */
export function logFault(message: string, error: unknown, ids: LineIds, level: Level = 'error'): void {
  if (!isNew(error, ids)) return;
  const facts = faultOf(error);
  // A frame names a line in the code of one version only.
  log(level, message, { ...ids, version, ...facts });
  if (isAnswer(error)) return;
  count('Faults', 1, { function: functionName }, { fault: facts.fault });
}

const figures = new MetricLines(serviceName);
const mode: MetricMode = process.env['METRICS'] === 'lean' ? 'lean' : 'full';

/** Adds to a total, and to one series for each set of dimensions. `publishMetrics` writes them. */
export const count = (name: MetricName, value = 1, ...by: readonly Readonly<Record<string, string>>[]): void =>
  measure({ values: { [name]: value }, by });

/** Does the same for several metrics. `ids` stand in the log line, and are no dimensions. */
export function measure({ values, by }: Figures, ids: Readonly<Record<string, string>> = {}): void {
  const entries = Object.entries(values) as [MetricName, number][];
  if (mode === 'full') figures.add({ values, by }, ids);
  else
    for (const [name, value] of entries)
      figures.add({ values: { [name]: value }, by: by.filter((set) => isWritten(mode, name, Object.keys(set))) }, ids);
  for (const [name, value] of entries)
    for (const { name: objective, withinMs } of objectivesOf(name, by))
      count('Sli', value <= withinMs ? 1 : 0, { objective });
}

/** Writes what was counted since the last time, in as few lines as there can be. */
export const publishMetrics = (run?: RunFacts): void => figures.publish(run);

/** Counts a decision that was sent to its agent's own queue. */
export const replySent = ({ decidedAt }: { readonly decidedAt: string }): void =>
  count('ReplyDelay', Math.max(0, Date.now() - Date.parse(decidedAt)));

/** Counts a decision that an agent's own queue refused for too long; an alarm names the agent. */
export function replyLost(agent: string): void {
  count('RepliesLost', 1, { agent });
  log('error', "decisions could not be sent to an agent's queue; its record has them", { agent });
}

/** The name of an error, never its text, which may quote the message. */
export const faultName = (error: unknown): string => faultOf(error).fault;
