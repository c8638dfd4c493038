/**
 * Measures how late the reconciler is at a hundred asks a second, each an hour long.
 *
 * The run lasts an hour of virtual time and times reminders, escalations and stage ends, with the cards posted and
 * with Slack down all the time. The code is the gate's own; the tables are played, with DynamoDB's limits on a list
 * and assumed latencies. Figures are printed, not asserted.
 */
import type { Approval, Stage } from '../../shared/contract/index.ts';
import { isTerminal } from '../../shared/domain/approval/approval.ts';
import { nextLookAt } from '../../shared/domain/approval/due.ts';
import { nextStepAt } from '../../shared/domain/approval/stage.ts';
import { sha256Hex } from '../../shared/domain/digest.ts';
import { type ReconcileDependencies, reconcile } from '../../shared/use-cases/reconcile/reconcile.ts';
import { World } from '../unit/use-cases/world.ts';
import { DueRows } from './support/due-rows.ts';
import { printHumanDecision } from './support/human-decision.ts';
import { against, note, printTable } from './support/print.ts';
import { bytesOfRow, saturations } from './support/saturation.ts';
import { VirtualTime } from './support/virtual-time.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const PER_SECOND = Number(process.env['BENCH_ASKS_PER_SECOND'] ?? 100);
/** Latencies within one AWS region, in milliseconds; assumptions. */
const LATENCY = { list: 12, read: 6, write: 8, transaction: 15 };
const SEND_MS = 10;
/** As `functions/reconcile.ts`: the function's fifty seconds without its reserve. */
const RUN_MS = 40_000;
const POSTED_AFTER_MS = 2_000;
const AIM_MS = 2 * MINUTE;

const STAGE = { quorum: 1, team: 'T0DEMO', channel: 'C0APPROVALS', group: 'platform' };
/** A third of the asks each: reminders, an escalation, a stage that ends. */
const STAGES: readonly Stage[] = [
  { ...STAGE, remindMs: 20 * MINUTE },
  { ...STAGE, timeoutMs: 30 * MINUTE, escalateTo: { group: 'security', channel: 'C0SECURITY', team: 'T0DEMO' } },
  { ...STAGE, timeoutMs: 40 * MINUTE },
] as unknown as readonly Stage[];

interface Played {
  readonly steps: number;
  readonly lateMs: readonly number[];
  readonly looked: number;
  readonly longestRunMs: number;
  readonly oldestMs: number;
  readonly writesPerSecond: number;
  readonly seconds: number;
}

async function play(isSlackUp: boolean): Promise<Played> {
  const began = performance.now();
  const time = new VirtualTime(Date.parse('2026-11-21T09:00:00.000Z'));
  const start = time.now();
  const rows = new DueRows(time, LATENCY);
  const lateMs: number[] = [];
  rows.onWrite = (before, after) => {
    const due = nextStepAt(before);
    if (due !== undefined && (isTerminal(after.status) || after.stage === before.stage)) lateMs.push(time.now() - due);
  };
  const { parts } = new World().gate;
  const send = () => time.sleep(SEND_MS);
  const gate: ReconcileDependencies = Object.create(parts, {
    clock: { value: time },
    approvals: { value: rows.store },
    permits: { value: { due: async () => [] } },
    cards: { value: { refresh, ran: send, announce: send, isIdle: async () => isSlackUp } },
    workflow: { value: { start: send, wake: async () => 'woken' } },
    replies: { value: { send, giveUp: send } },
  });

  let looked = 0;
  let oldestMs = 0;
  let longestRunMs = 0;
  void (async () => {
    for (let second = 0; second < HOUR / 1_000; second++) {
      for (let index = 0; index < PER_SECOND; index++) ask(second * PER_SECOND + index);
      await time.sleep(1_000);
    }
  })();
  void (async () => {
    for (let minute = 0; minute < 122; minute++) {
      const from = time.now();
      const repaired = await reconcile(gate, from + RUN_MS);
      looked += repaired.looked;
      oldestMs = Math.max(oldestMs, repaired.oldestMs);
      longestRunMs = Math.max(longestRunMs, time.now() - from);
      await time.sleep(Math.max(0, from + MINUTE - time.now()));
    }
  })();
  await time.run(start + 2 * HOUR + 2 * MINUTE);
  const seconds = (performance.now() - began) / 1_000;
  return {
    steps: lateMs.length,
    lateMs,
    looked,
    longestRunMs,
    oldestMs,
    writesPerSecond: rows.writes / 7_200,
    seconds,
  };

  function ask(index: number): void {
    const approval = approvalOf(index, time.now());
    rows.add(approval, time.now() + MINUTE);
    // The execution ends the wait; the reconciler would a minute later.
    void time.sleep(HOUR).then(() => {
      rows.setDue(approval.pid, undefined);
      rows.rows.delete(approval.pid);
    });
    draw(approval.pid);
  }

  async function refresh(pid: string): Promise<void> {
    await send();
    draw(pid);
  }

  /** As `slack-out` leaves a row: with its cards, and due when time has something to do to it. */
  function draw(pid: string): void {
    if (!isSlackUp) return;
    void time.sleep(POSTED_AFTER_MS).then(() => {
      const row = rows.rows.get(pid);
      if (!row || isTerminal(row.approval.status)) return;
      if (!row.cards.length)
        row.cards.push({ channel: 'C0APPROVALS', ts: '1.1' }, { channel: 'C0SECURITY', ts: '1.2' });
      rows.setDue(pid, nextLookAt(row.approval, time.now()));
    });
  }
}

function approvalOf(index: number, now: number): Approval {
  const stage = STAGES[index % STAGES.length] as Stage;
  const who = { team: 'T0DEMO', user: 'U0OLGA' };
  return {
    pid: sha256Hex(`ask ${index}`),
    proposalId: `p${index}`,
    agent: 'coder',
    owner: who,
    sessionId: 'main',
    version: 0,
    round: 1,
    status: 'pending',
    question: {
      kind: 'calls',
      offers: ['approve', 'reject'],
      severity: 'medium',
      place: 'calls',
      digest: sha256Hex('question'),
      calls: [],
      stages: [stage],
      stagesDigest: sha256Hex('stages'),
    },
    votes: [],
    requestedAt: new Date(now).toISOString(),
    expiresAt: new Date(now + HOUR).toISOString(),
    policyVersion: sha256Hex('policy'),
  };
}

note(
  `${PER_SECOND} asks a second for an hour, each waiting an hour; a run each minute, ${RUN_MS / 1_000} s long at most.`,
);
const results = { 'cards posted after 2 s': await play(true), 'Slack down all the time': await play(false) };
printTable(
  'How late time is (R4-058, A9)',
  ['', 'steps', 'worst', 'p99', 'mean', 'against 2 min', 'rows looked at', 'longest run', 'row writes/s', 'played in'],
  Object.entries(results).map(([name, one]) => {
    const sorted = one.lateMs.toSorted((a, b) => a - b);
    const worst = sorted.at(-1) ?? 0;
    const s = (value: number) => `${(value / 1_000).toFixed(1)} s`;
    return [
      name,
      one.steps,
      s(worst),
      s(sorted[Math.floor(sorted.length * 0.99)] ?? 0),
      s(sorted.reduce((sum, each) => sum + each, 0) / Math.max(1, sorted.length)),
      against(worst, AIM_MS),
      one.looked,
      s(one.longestRunMs),
      one.writesPerSecond.toFixed(0),
      `${one.seconds.toFixed(0)} s`,
    ];
  }),
);
note('Not played: throttles of a partition or its index, and what a page of 100 rows costs the CPU of one function.');

const asked = approvalOf(0, Date.parse('2026-11-21T09:00:00.000Z'));
const call = {
  id: 'call',
  toolName: 'Bash',
  actionDigest: sha256Hex('action'),
  why: 'Rule Bash(git push:*) of the policy file asks: a push leaves this machine and others see it at once.',
  severity: 'medium',
} as const;
const sample = { ...asked, question: { ...asked.question, calls: [call] } } as Approval;
printTable(
  `What a second carries, by 1,000 write and 3,000 read units a partition (a row of ${bytesOfRow(sample)} bytes)`,
  ['part', 'of', 'units', 'a second'],
  saturations(sample).map(({ part, unit, units, perSecond }) => [part, unit, units, perSecond.toFixed(0)]),
);
note(
  'Sixteen shards are taken as evenly full; of real ones the fullest has some tenth more. Slack and Step Functions bound sooner: see docs/scale.md.',
);
await printHumanDecision();
