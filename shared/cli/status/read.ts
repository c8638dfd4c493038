/** Reads what holds in a deployment now, part by part: a part that cannot be read hides no other. */
import type { Watched } from '../../adapters/cloudwatch/alarms.ts';
import type { FunctionVersion } from '../../adapters/lambda/versions.ts';
import type { Delegation } from '../../contract/delegation.ts';
import { EVERY_SESSION, type SessionRow } from '../../contract/session.ts';
import { isRuleVoided, ruleHolds } from '../../domain/session.ts';
import { type Pause, pauseHolds } from '../../ports/stores/control.ts';
import { type UnreadPart, unreadPart } from './unread.ts';

export interface SessionState {
  readonly agent: string;
  /** Absent: every session of the agent. */
  readonly session?: string;
  readonly mode?: string;
  readonly rules: readonly Pick<SessionRow['rules'][number], 'effect' | 'pattern' | 'by' | 'expiresAt'>[];
}

export interface QueueState {
  readonly name: string;
  readonly visible: number;
  readonly inFlight: number;
  readonly delayed: number;
  /** Messages that could not be processed. */
  readonly dead: number;
  /** Absent: the queue is empty, or SQS has told nothing for five minutes; its figures are some minutes late. */
  readonly oldestSeconds?: number;
}

export interface Status {
  readonly control?: {
    readonly pauses: readonly Pause[];
    readonly permitEpoch: number;
    readonly voidedAt?: number | undefined;
  };
  readonly delegations?: readonly Delegation[];
  readonly sessions?: readonly SessionState[];
  readonly queues?: readonly QueueState[];
  readonly alarms?: readonly { readonly name: string; readonly description: string; readonly since?: string }[];
  /** The version of each function that the deployment runs. */
  readonly versions?: readonly FunctionVersion[];
  /** Parts that could not be read, each with the reason. */
  readonly unread: readonly UnreadPart<StatusPart>[];
}

type StatusPart = 'control' | 'delegations' | 'sessions' | 'queues' | 'alarms' | 'versions';

interface StatusOptions {
  readonly deployment: string;
  readonly stateTable: string;
  readonly agents: readonly string[];
  readonly now: number;
}

export async function readStatus(options: StatusOptions): Promise<Status> {
  const watched = watchedOf(options.deployment);
  const reading = readControl(options);
  const known = reading.catch(() => undefined);
  const [control, delegations, sessions, queues, alarms, versions] = await Promise.allSettled([
    reading,
    readDelegations(options),
    known.then((control) => readSessions(options, control ?? {})),
    watched.then((found) => readQueues(found, options.now)),
    watched.then((found) =>
      found.alarms.filter(({ state }) => state === 'ALARM').map(({ state: _, hasActions: __, ...one }) => one),
    ),
    watched.then(({ functions }) => readVersions(functions)),
  ]);
  const parts = { control, delegations, sessions, queues, alarms, versions };
  const unread = Object.entries(parts).flatMap(([part, { status, ...rest }]) =>
    status === 'rejected' ? [unreadPart(part as StatusPart, (rest as PromiseRejectedResult).reason)] : [],
  );
  const read = Object.entries(parts).flatMap(([part, one]) => (one.status === 'fulfilled' ? [[part, one.value]] : []));
  return { ...(Object.fromEntries(read) as Omit<Status, 'unread'>), unread };
}

async function readControl({ stateTable, now }: StatusOptions): Promise<Status['control']> {
  const [{ dynamoControlStore }, { dynamo }] = await Promise.all([
    import('../../adapters/dynamodb/sessions/control-store.ts'),
    import('../support/clients.ts'),
  ]);
  const control = await dynamoControlStore(await dynamo(), { state: stateTable, audit: '' }).read();
  const { permitEpoch, voidedAt } = control;
  const pauses = control.pauses.filter((pause) => pauseHolds(pause, now));
  return { pauses, permitEpoch, ...(voidedAt === undefined ? {} : { voidedAt }) };
}

async function readDelegations({ stateTable, now }: StatusOptions): Promise<readonly Delegation[]> {
  const [{ dynamoDelegationStore }, { dynamo }] = await Promise.all([
    import('../../adapters/dynamodb/approvals/delegation-store.ts'),
    import('../support/clients.ts'),
  ]);
  const { delegations } = await dynamoDelegationStore(await dynamo(), { state: stateTable }).read();
  return delegations.filter(({ until }) => now < Date.parse(until));
}

const PAGE = 1000;

/** Only sessions in which something holds beside the policy file. */
async function readSessions(
  { stateTable, agents, now }: StatusOptions,
  control: NonNullable<Status['control']> | Record<string, never>,
): Promise<readonly SessionState[]> {
  const [{ everySessionOf }, { dynamo }] = await Promise.all([
    import('../../adapters/dynamodb/sessions/session-store.ts'),
    import('../support/clients.ts'),
  ]);
  const client = await dynamo();
  const found: SessionState[] = [];
  for (const agent of agents)
    for await (const { sessionId, mode, rules: all } of everySessionOf(client, stateTable, agent, PAGE)) {
      const rules = all
        .filter((rule) => ruleHolds(rule, now) && !isRuleVoided(rule, control))
        .map(({ effect, pattern, by, expiresAt }) => ({ effect, pattern, by, ...(expiresAt ? { expiresAt } : {}) }));
      if (mode === undefined && !rules.length) continue;
      const session = sessionId === EVERY_SESSION ? {} : { session: sessionId };
      found.push({ agent, ...session, ...(mode ? { mode } : {}), rules });
    }
  return found;
}

/** The code and the policy that each function was deployed with. */
export async function readVersions(functions: readonly string[]): Promise<readonly FunctionVersion[]> {
  const [{ versionsOf }, { lambda }] = await Promise.all([
    import('../../adapters/lambda/versions.ts'),
    import('../support/clients.ts'),
  ]);
  return versionsOf(await lambda(), functions);
}

export async function watchedOf(deployment: string): Promise<Watched> {
  const [{ watchedBy }, { cloudWatch }] = await Promise.all([
    import('../../adapters/cloudwatch/alarms.ts'),
    import('../support/clients.ts'),
  ]);
  const watched = await watchedBy(await cloudWatch(), deployment);
  // Each gate has alarms; none means that another deployment is named, or an older stack.
  if (!watched.alarms.length)
    throw new Error(
      `no alarm begins with ${deployment}/: is COUNTERSIGN_DEPLOYMENT the name of the deployed gate, and AWS_REGION its region?`,
    );
  return watched;
}

/** The queues of a gate, each with the number of its dead letters. */
export const readDeadQueues = async (deployment: string, now: number): Promise<readonly QueueState[]> =>
  readQueues(await watchedOf(deployment), now);

export async function readQueues({ queues }: Pick<Watched, 'queues'>, now: number): Promise<readonly QueueState[]> {
  const [{ oldestOf }, { queueFigures }, { cloudWatch, sqs }] = await Promise.all([
    import('../../adapters/cloudwatch/alarms.ts'),
    import('../../adapters/sqs/queue-figures.ts'),
    import('../support/clients.ts'),
  ]);
  const client = await sqs();
  const live = queues.filter(({ isDead }) => !isDead);
  const [ages, figures] = await Promise.all([
    oldestOf(await cloudWatch(), live, now),
    Promise.all(queues.map(async (queue) => ({ ...queue, ...(await queueFigures(client, queue.queueName)) }))),
  ]);
  return live.map(({ name, queueName }) => {
    const own = figures.find((one) => one.queueName === queueName);
    const dead = figures.find((one) => one.name === `${name}Dead`);
    const age = ages.get(queueName);
    return {
      name,
      visible: own?.visible ?? 0,
      inFlight: own?.inFlight ?? 0,
      delayed: own?.delayed ?? 0,
      // One that waits for its next answer, or is being moved, counts as in flight.
      dead: (dead?.visible ?? 0) + (dead?.inFlight ?? 0),
      // The metric is of minutes ago: of what was worked since it says nothing.
      ...(age === undefined || !own || own.visible + own.inFlight === 0 ? {} : { oldestSeconds: age }),
    };
  });
}
