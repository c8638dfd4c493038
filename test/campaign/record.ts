/** Reads from the deployed stack what the judge has to know of a campaign. */
import { setTimeout as delay } from 'node:timers/promises';
import { paginateScan, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { ListExecutionsCommand } from '@aws-sdk/client-sfn';
import { DeleteMessageCommand, GetQueueAttributesCommand, ReceiveMessageCommand } from '@aws-sdk/client-sqs';
import { recordFromItem } from '../../shared/adapters/dynamodb/audit/audit-item.ts';
import { toItem } from '../../shared/adapters/dynamodb/items.ts';
import { dueAtOf } from '../../shared/adapters/dynamodb/reconcile-index.ts';
import type { Decision } from '../../shared/contract/index.ts';
import { withoutGrounds } from '../../shared/domain/approval/grounds.ts';
import { sha256Hex } from '../../shared/domain/digest.ts';
import { unreadableId } from '../../shared/domain/proposal/reserved-ids.ts';
import type { ApprovalView } from '../../shared/ports/stores/approval-store.ts';
import type { AuditRecord } from '../../shared/ports/stores/audit-log.ts';
import { offLongAgo } from '../e2e/harness/damage.ts';
import { invoke } from '../e2e/harness/functions.ts';
import { deadLetterUrl, type QueueName, resources } from '../e2e/harness/resources.ts';
import { allRows, approvalOf } from '../e2e/harness/rows.ts';
import { judge, type Problem } from '../simulation/judge/judge.ts';
import type { Propose } from '../simulation/model/plan.ts';
import type { Remaining } from '../simulation/world/remains.ts';
import type { Actors } from './actors.ts';
import { HAS_QUEUE } from './gate.ts';
import { hasCard } from './people.ts';

/** A run of `resume` and of what it calls begins at most so long before its entry. */
const RUN_MS = 20_000;
/** Some runs of the reconciler set right what a lost process left. */
const LEFT_MS = 5 * 60_000;
const LOOK_MS = 2_500;
/** Readers side by side. */
const AT_ONCE = 16;

export interface Judged {
  readonly problems: readonly Problem[];
  readonly records: ReadonlyMap<string, readonly AuditRecord[]>;
  readonly decisions: ReadonlyMap<string, Decision>;
}

/** Once everything that was sent has its end, or the patience of `untilDecided` is over. */
export async function judged(actors: Actors, leftMs = LEFT_MS): Promise<Judged> {
  const { history } = actors;
  const left = await leftOf(actors, leftMs);
  const records = await recordsByPid(actors);
  const replies = await repliesOf(actors);
  const proposals = new Map<string, Remaining>();
  const all: readonly (Named & Pick<Propose, 'spoilt'>)[] = [...history.sent, ...history.choices];
  await eachOf(all, async (sent) => {
    const pid = actors.pid(sent);
    const its = (records.get(pid) ?? [])
      .map(asAgentsRead)
      .toSorted((one, other) => (one.entry.recordedAt < other.entry.recordedAt ? -1 : 1));
    const isAsked = its.some(({ verdict }) => verdict === 'ask');
    const read = (await actors.read(sent)) ?? (sent.spoilt === 'no id' ? await readElsewhere(sent, actors) : undefined);
    proposals.set(sent.id, {
      read,
      records: its,
      view: isAsked && !history.broken.has(sent.id) ? viewOf(await approvalOf(pid)) : undefined,
      replies: replies.filter(
        ({ proposalId, reasonCode }) => proposalId === sent.id && reasonCode !== 'proposal_id_conflict',
      ),
      isShown: isAsked && (await hasCard(pid)),
    });
    for (const { decision, entry } of its) {
      if (!decision) continue;
      const at = Date.parse(entry.recordedAt);
      const since = at - (entry.durationUs === undefined ? RUN_MS : entry.durationUs / 1_000 + 1_000);
      history.decided.push({ at, since, agent: sent.agent, decision });
    }
  });
  noteOpened(actors, proposals);
  const decisions = new Map([...proposals].flatMap(([id, { read }]) => (read ? [[id, read] as const] : [])));
  return { problems: judge(history, { proposals, left }), records, decisions };
}

async function eachOf<Item>(items: readonly Item[], work: (item: Item) => Promise<void>): Promise<void> {
  const line = items.values();
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      for (const item of line) await work(item);
    }),
  );
}

/** The grounds of an approval are for redemption, and no agent may read them. */
const asAgentsRead = <Kept extends { readonly decision?: Decision | undefined }>(one: Kept): Kept =>
  one.decision ? { ...one, decision: withoutGrounds(one.decision) } : one;
const viewOf = (view: ApprovalView | undefined) => view && asAgentsRead(view);

type Named = Pick<Propose, 'id' | 'agent'>;

/** Without an id of its own the answer is filed under the digest of the bytes. */
const pidElsewhere = ({ id, agent }: Named, actors: Actors): string =>
  actors.agent(agent).pid(unreadableId(sha256Hex(actors.raw.get(id) ?? '')));
const readElsewhere = (sent: Named, actors: Actors) => actors.read(sent, pidElsewhere(sent, actors));

async function recordsByPid({ gate, names }: Actors): Promise<ReadonlyMap<string, readonly AuditRecord[]>> {
  const records: AuditRecord[] = [];
  const table = { TableName: gate.outputs.AuditTable, ConsistentRead: true };
  for await (const { Items = [] } of paginateScan({ client: gate.root.dynamodb }, table))
    records.push(...Items.map(recordFromItem));
  return Map.groupBy(await names.inRecords(records), ({ key }) => key.pid);
}

/** Questions of one agent, each with those that waited when it was asked. */
function noteOpened({ history }: Actors, proposals: ReadonlyMap<string, Remaining>): void {
  const asked = history.sent.flatMap(({ id, agent }) => {
    const end = proposals.get(id);
    const claim = end?.records.find(({ verdict }) => verdict === 'ask');
    if (!end?.view || !claim) return [];
    const { endedAt } = end.view.approval;
    const at = Date.parse(claim.entry.recordedAt);
    return [{ id, agent, at, until: endedAt === undefined ? Number.POSITIVE_INFINITY : Date.parse(endedAt) }];
  });
  for (const one of asked) {
    const waiting = asked.filter(
      ({ agent, at, until }) => agent === one.agent && at <= one.at && until > one.at,
    ).length;
    history.opened.push({ at: one.at, since: one.at, id: one.id, agent: one.agent, waiting });
  }
}

/** Everything that the one agent with a queue was sent; it is taken from there. */
async function repliesOf(actors: Actors): Promise<readonly Decision[]> {
  const { sqs } = actors.agent(HAS_QUEUE);
  const QueueUrl = actors.gate.outputs['RepliesQueueUrl'];
  const replies: Decision[] = [];
  for (;;) {
    const { Messages = [] } = await sqs.send(new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10 }));
    if (!Messages.length) return Promise.all(replies.map((reply) => actors.names.inDecision(reply)));
    for (const { Body = '', ReceiptHandle } of Messages) {
      replies.push(JSON.parse(Body) as Decision);
      await sqs.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle }));
    }
  }
}

interface Depth {
  readonly visible: number;
  readonly inFlight: number;
  readonly delayed: number;
}

/** Messages in every queue of the gate, by its name. */
export async function depths({ gate }: Pick<Actors, 'gate'>): Promise<ReadonlyMap<string, Depth>> {
  const queues = [...(await resources('AWS::SQS::Queue'))].filter(([name]) => name.startsWith('GateQueues'));
  const found = queues.map(async ([name, QueueUrl]) => {
    return [name.replace('GateQueues', ''), await depthOf(gate, QueueUrl)] as const;
  });
  return new Map(await Promise.all(found));
}

async function depthOf({ root }: Actors['gate'], QueueUrl: string): Promise<Depth> {
  const { Attributes } = await root.sqs.send(new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['All'] }));
  return {
    visible: Number(Attributes?.ApproximateNumberOfMessages),
    inFlight: Number(Attributes?.ApproximateNumberOfMessagesNotVisible),
    delayed: Number(Attributes?.ApproximateNumberOfMessagesDelayed),
  };
}

/** Whether nobody has a dead letter of the queue to answer, or is answering one now. */
export async function isDeadLetterFree({ gate }: Pick<Actors, 'gate'>, queue: QueueName): Promise<boolean> {
  const { visible, inFlight } = await depthOf(gate, await deadLetterUrl(queue));
  return visible + inFlight === 0;
}

/** Runs the reconciler on what is due, as its schedule would, until nothing is left or it has had its time. */
async function leftOf(actors: Actors, patienceMs: number): Promise<string[]> {
  for (const until = Date.now() + patienceMs; ; await delay(LOOK_MS)) {
    await makeDue(actors);
    await invoke('reconcile', {});
    const left = await lookForLeft(actors);
    if (!left.length || Date.now() > until) return left;
  }
}

async function lookForLeft(actors: Actors): Promise<string[]> {
  const { gate, history } = actors;
  const left: string[] = [];
  for (const row of await allRows(gate.outputs.StateTable)) {
    const [kind, ...name] = String(row['pk']).split('#');
    if (kind === 'waiting' && Number(row['waiting']) !== 0 && !name.includes('canary'))
      left.push(`${row['waiting']} are counted as waiting under ${name.join(' ')}`);
    if (kind === 'approval' && row['look'] !== undefined && !(row['agent'] ?? '').toString().startsWith('-'))
      left.push(`approval ${name.join(' ').slice(0, 8)} is due`);
    const dueAt = dueAtOf(row['lookAt']);
    if (kind === 'permit' && row['look'] !== undefined && dueAt < Date.now() - 2 * 60_000)
      left.push(`a permit of ${name.join(' ').slice(0, 8)} is due`);
  }
  const pids = new Set(history.sent.map((sent) => actors.pid(sent)));
  const running = new ListExecutionsCommand({ stateMachineArn: gate.outputs.StateMachineArn, statusFilter: 'RUNNING' });
  for (const { name = '' } of (await gate.root.sfn.send(running)).executions ?? [])
    if (pids.has(name)) left.push(`the execution of ${name.slice(0, 8)} waits`);
  for (const [name, depth] of await depths(actors)) {
    const lying = lyingIn(name, depth);
    if (lying) left.push(`${lying} messages lie in ${name}`);
  }
  return left;
}

/**
 * An event whose webhook refused it, or whose process ended, is in flight until its next try: the third one comes after
 * half an hour (`WEBHOOK_PAUSES_S`), and no judge waits for it. One that nobody works any more is visible, or a dead letter.
 */
export const lyingIn = (queue: string, { visible, inFlight, delayed }: Depth): number =>
  visible + delayed + (queue === 'Webhooks' ? 0 : inFlight);

/** Rows of approvals and counters that are off are looked at now, as if the time that they were given had come. */
async function makeDue({ gate }: Actors): Promise<void> {
  const { StateTable: TableName } = gate.outputs;
  for (const row of await allRows(TableName)) {
    if (String(row['pk']).startsWith('waiting#') && row['off'])
      await offLongAgo(toItem({ pk: row['pk'], sk: row['sk'] }));
    if (!String(row['pk']).startsWith('approval#') || row['look'] === undefined) continue;
    const lookAt = String(row['lookAt']);
    const now = `${String(Date.now() - 1).padStart(16, '0')}${lookAt.slice(16)}`;
    await gate.root.dynamodb
      .send(
        new UpdateItemCommand({
          TableName,
          Key: toItem({ pk: row['pk'], sk: row['sk'] }),
          UpdateExpression: 'SET lookAt = :now',
          ConditionExpression: 'lookAt = :before',
          ExpressionAttributeValues: toItem({ ':now': now, ':before': lookAt }),
        }),
      )
      .catch((error: Error) => {
        // Somebody was a moment faster.
        if (error.name !== 'ConditionalCheckFailedException') throw error;
      });
  }
}

/** Proposals that the record has no decision on: of thousands, a read of each takes the endpoint longer than the gate takes to decide. */
export async function openOnRecord(actors: Actors): Promise<Named[]> {
  const records = await recordsByPid(actors);
  const isDecided = (pid: string) => records.get(pid)?.some(({ decision }) => decision) === true;
  return actors.history.sent.filter(
    (sent) => !isDecided(actors.pid(sent)) && !(sent.spoilt === 'no id' && isDecided(pidElsewhere(sent, actors))),
  );
}

/** Waits until each has its decision; those that have none. */
export async function undecided(actors: Actors, ids: readonly string[], patienceMs: number): Promise<string[]> {
  const open = new Set(ids);
  for (const until = Date.now() + patienceMs; open.size && Date.now() < until; await delay(500)) {
    const sent = actors.history.sent.filter(({ id }) => open.has(id));
    await eachOf(sent, async (one) => {
      if ((await actors.read(one)) || (one.spoilt === 'no id' && (await readElsewhere(one, actors))))
        open.delete(one.id);
    });
  }
  return [...open];
}
