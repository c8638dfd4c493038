/** Reads every source of one proposal: a source that cannot be read hides no other. */
import { type RecordedLetter, recordedLetters } from '../status/dead-letters.ts';
import type { UnreadLog } from '../status/logs.ts';
import { readQueues, watchedOf } from '../status/read.ts';
import { type Io, leftOutText } from '../support/io.ts';
import { nextStep, refusalOf, unreadLines } from '../support/reason-of.ts';
import { byDecision, logSteps } from './log-steps.ts';
import { queueSteps } from './queue-steps.ts';
import { approvalSteps, recordSteps } from './record-steps.ts';
import type { Candidate, Step, TracedDecision } from './step.ts';
import { workflowSteps } from './workflow-steps.ts';

interface SourceOptions {
  readonly deployment: string;
  readonly auditTable: string;
  readonly stateTable: string;
  /** Each transition of the workflow in place of its begin and end. */
  readonly hasHistory: boolean;
  /** In milliseconds since 1970: since then logs are read. Absent: since the first step of the other sources. */
  readonly since?: number;
}

export interface Sources {
  readonly found: readonly TracedDecision[];
  /** The next steps for sources that could not be read, after the sentences. */
  readonly unread: string;
}

/** A message may have waited before anybody recorded it, and a line follows its entry. */
const BEFORE_MS = 3_600_000;
const AFTER_MS = 3_600_000;
const DAY_MS = 86_400_000;

/** `candidatesOf`: the proposals that an id may mean, of one agent where it is known. */
export async function readSources(
  id: string,
  options: SourceOptions,
  candidatesOf: (proposalId: string, agent?: string) => Promise<readonly Candidate[]>,
  io: Io,
): Promise<Sources> {
  const unread: UnreadLog[] = [];
  const noted = (source: string) => (error: unknown) => {
    unread.push({ text: `${source} cannot be read: ${refusalOf(error)}`, error });
    return undefined;
  };
  let leftOut = 0;
  const unreadable = () => void leftOut++;
  const watching = watchedOf(options.deployment);
  const queueing = watching.then((watched) => readQueues(watched, io.now()));
  // Both are awaited later, and may fail before.
  void watching.catch(() => undefined);
  void queueing.catch(() => undefined);
  const letters = (await recordedLetters(options.auditTable, unreadable).catch(noted('dead letters'))) ?? [];
  const about = letters.find(({ messageId }) => messageId === id)?.about;
  const candidates = await candidatesOf(about?.proposalId ?? id, about?.agent);

  const read = await Promise.all(
    candidates.map(async (candidate) => {
      const own = letters.filter((letter) => letter.messageId === id || isOf(candidate, letter));
      const [recorded = [], asked = []] = await Promise.all([
        recordSteps(candidate, { audit: options.auditTable, unreadable }, io).catch(noted('record')),
        approvalSteps(candidate, { state: options.stateTable }).catch(noted('approval')),
      ]);
      return { candidate, own, steps: [...recorded, ...asked, ...own.map(letterStep)] };
    }),
  );
  const known = read.filter(({ steps }) => steps.length);
  // The logs may still have a line of an id that is not recorded: an id alone is looked for once, and not for each agent.
  const [first] = read;
  const asked = known.length ? known : first ? [first] : [];
  const watched = await watching.catch(noted('logs, workflow and queues'));
  const queues = watched && (await queueing.catch(noted('queues')));
  const decisions: TracedDecision[] = [];
  for (const { candidate, own, steps } of asked) {
    if (!watched) {
      decisions.push({ candidate, steps });
      continue;
    }
    const words = known.length || read.length === 1 ? [candidate.pid, ...own.map(({ messageId }) => messageId)] : [];
    const [logged, moves] = await Promise.all([
      logSteps(
        watched.functions,
        [...new Set([...words, ...(known.length ? [] : [id])])],
        windowOf(steps, options, io),
      ).catch(noted('logs')),
      workflowSteps(candidate, watched.stateMachine, options.hasHistory).catch(noted('workflow')),
    ]);
    unread.push(...(logged?.unread ?? []));
    const lines = [...(logged?.lines ?? []), ...(moves ?? []).map((step) => ({ step, pids: [candidate.pid] }))];
    if (known.length) decisions.push({ candidate, steps: [...steps, ...lines.map(({ step }) => step)] });
    else decisions.push(...byDecision(lines, candidates));
  }
  return {
    found: decisions
      .filter(({ steps }) => steps.length)
      .map(({ steps, ...one }) => ({
        ...one,
        steps: [...steps, ...queueSteps(queues ?? [], io.now(), hasEnded(steps))].toSorted((a, b) =>
          a.at < b.at ? -1 : a.at > b.at ? 1 : 0,
        ),
      })),
    unread: unreadLines(
      [...unread.map(({ text }) => text), ...leftOutText(leftOut, 'entry', 'entries')],
      unread.map(({ error }) => nextStep(error)),
    ),
  };
}

const isOf = ({ agent, proposalId }: Candidate, { about }: RecordedLetter): boolean =>
  about !== undefined && about.agent === agent && about.proposalId === proposalId;

const letterStep = ({ at, messageId, fault }: RecordedLetter): Step => ({
  at,
  source: 'dead letter',
  what: 'set aside',
  detail: `${fault}; message ${messageId}`,
});

/** A decision without an approval ends with its first entry. */
function hasEnded(steps: readonly Step[]): boolean {
  const has = (of: Step['source'], named?: string) =>
    steps.some(({ source, what }) => source === of && (named === undefined || what === named));
  if (has('approval')) return has('approval', 'ended') || has('record', 'decided');
  return has('record', 'evaluated') || has('record', 'decided');
}

function windowOf(
  steps: readonly Step[],
  { since }: SourceOptions,
  io: Io,
): { readonly from: number; readonly to: number } {
  const times = steps.map(({ at }) => Date.parse(at));
  const now = io.now();
  const last = Math.max(...times);
  return {
    from: since ?? (times.length ? Math.min(...times) - BEFORE_MS : now - DAY_MS),
    to: hasEnded(steps) ? Math.min(now, last + AFTER_MS) : now,
  };
}
