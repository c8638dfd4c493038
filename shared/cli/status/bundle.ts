/**
 * Collects what helps somebody else to look into a gate, and nothing of what it decided about.
 *
 * Every field is named here: a new one of a row, an alarm or an error is not in it by itself.
 */
import manifest from '../../../package.json' with { type: 'json' };
import { kindOf } from '../support/reason-of.ts';
import { recordedLetters } from './dead-letters.ts';
import { readFaults } from './logged-faults.ts';
import { readStatus, readVersions, watchedOf } from './read.ts';
import type { UnreadPart } from './unread.ts';
import { isoOf } from './with-times.ts';

/** The parts with a sentence on each, which stand in the bundle as well. */
export const HOLDS = {
  versions: 'package version, policy digest and time of the last change, by function',
  alarms: 'name, state, since when, and whether a topic is told; no description',
  queues: 'how many messages wait, are in work, are delayed and dead, by queue; no message',
  pauses: 'effect, kind of scope, since and until; no name, no reason',
  deadLetters: 'time, id of the message in its queue, kind of the fault; no agent, no proposal, no text',
  faults: 'function, kind, AWS call, code, frames, count, first and last time, of lines of the logs; no id, no text',
  metrics: 'totals of the metrics of docs/operate.md, five minutes a value; no dimension',
} as const;

interface BundleOptions {
  readonly deployment: string;
  readonly stateTable: string;
  readonly auditTable: string;
  readonly since: number;
  readonly now: number;
}

type BundlePart = keyof typeof HOLDS;

type Bundle = Partial<Record<BundlePart, unknown>> & {
  readonly holds: typeof HOLDS;
  readonly command: string;
  readonly deployment: string;
  readonly since: string;
  readonly at: string;
  /** Parts that could not be read, or not as a whole, with the kind of the error: its text may name a person. */
  readonly unread: readonly { readonly part: BundlePart; readonly error: string }[];
};

export async function readBundle(options: BundleOptions): Promise<Bundle> {
  const { deployment, since, now } = options;
  const status = readStatus({ ...options, agents: [] });
  const leftOut: unknown[] = [];
  const work: Record<BundlePart, Promise<unknown>> = {
    versions: watchedOf(deployment).then(({ functions }) => readVersions(functions)),
    alarms: watchedOf(deployment).then(({ alarms }) =>
      alarms.map(({ name, state, hasActions: tells, since: from }) => ({ name, state, tells, since: from })),
    ),
    queues: status.then(({ queues, unread }) => queues ?? refused('queues', unread)),
    pauses: status.then(({ control, unread }) =>
      (control ?? refused('control', unread)).pauses.map(({ scope, effect, since: from, until }) => ({
        scope: Object.keys(scope)[0],
        effect,
        since: isoOf(from),
        until: isoOf(until),
      })),
    ),
    deadLetters: recordedLetters(options.auditTable, (problem) => void leftOut.push(problem)).then((letters) =>
      letters.filter(({ at }) => Date.parse(at) >= since).map(({ at, messageId, fault }) => ({ at, messageId, fault })),
    ),
    faults: watchedOf(deployment).then(({ functions }) => readFaults(functions, since, now)),
    metrics: readTotals(options),
  };
  const parts = Object.keys(HOLDS) as BundlePart[];
  const read = await Promise.allSettled(parts.map((part) => work[part]));
  const found = read.flatMap((one, index) =>
    one.status === 'fulfilled' ? [[parts[index] as BundlePart, one.value]] : [],
  );
  const unread = read.flatMap((one, index) =>
    one.status === 'rejected' ? [{ part: parts[index] as BundlePart, error: kindOf(one.reason) }] : [],
  );
  // The part holds what it can of the other dead letters.
  unread.push(...leftOut.slice(0, 1).map((problem) => ({ part: 'deadLetters' as const, error: kindOf(problem) })));
  return {
    holds: HOLDS,
    command: manifest.version,
    deployment,
    since: new Date(since).toISOString(),
    at: new Date(now).toISOString(),
    unread,
    ...Object.fromEntries(found),
  };
}

/** Gives the kind alone of a part that `readStatus` could not read. */
function refused(part: UnreadPart['part'], unread: readonly UnreadPart[]): never {
  const error = new Error();
  error.name = unread.find((one) => one.part === part)?.kind ?? error.name;
  throw error;
}

async function readTotals({ deployment, since, now }: BundleOptions): Promise<unknown> {
  const [{ metricTotals }, { cloudWatch }] = await Promise.all([
    import('../../adapters/cloudwatch/totals.ts'),
    import('../support/clients.ts'),
  ]);
  return metricTotals(await cloudWatch(), deployment, since, now);
}
