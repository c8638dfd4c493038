/**
 * Measures how long after an outage the last card is posted and the last agent is answered.
 *
 * Runs the gate in memory in virtual time: each service is away for three minutes and for three hours (Slack for a
 * weekend, too), with 10 and 1,000 approvals that wait (`BENCH_WAITING=10000` for more: a minute for each line). Slack
 * limits as the real one does: a post a second in a channel. Figures are printed, not asserted.
 */
import { OutageRun } from './support/outage-run.ts';
import { note, printTable } from './support/print.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const SIZES = (process.env['BENCH_WAITING'] ?? '10,1000').split(',').map(Number);
/** The reconciler has just run when the service is back: nobody looks for a minute. */
const LENGTHS = { '3 minutes': 3 * MINUTE + 1, '3 hours': 3 * HOUR + 1 };
/** A token that was revoked on Friday; services of AWS come back sooner. */
const WEEKEND = { 'a weekend': 62 * HOUR + 1 };

const STORES = ['approvals', 'journal', 'audit', 'sessions', 'permits', 'claims', 'rates', 'control', 'results'];
const QUEUES = ['cards', 'replies', 'deferred'];
/** Services that are away, by the ports that reach them. The first word of a question is taken in: the outage meets everything after it. */
const SERVICES: Readonly<Record<string, readonly string[]>> = {
  SQS: QUEUES,
  DynamoDB: STORES,
  Slack: ['slack'],
  'Step Functions': ['workflow'],
  'Lambda: no function runs': [...STORES, ...QUEUES, 'workflow', 'slack'],
  KMS: ['sealer', 'unsealer'],
};

for (const waiting of SIZES) {
  const rows: string[][] = [];
  let floor = 0;
  for (const [service, ports] of Object.entries(SERVICES))
    for (const [length, ms] of Object.entries(service === 'Slack' ? { ...LENGTHS, ...WEEKEND } : LENGTHS)) {
      const began = performance.now();
      const run = new OutageRun({ waiting, ports, ms, isSealed: service === 'KMS' });
      const { cards, answers, lost } = await run.play();
      floor = run.floorMs;
      const took = `${((performance.now() - began) / 1_000).toFixed(1)} s`;
      rows.push([service, length, at(cards, 0.5), at(cards, 1), at(answers, 0.5), at(answers, 1), String(lost), took]);
    }
  const head = ['away', 'for', 'half the cards', 'last card', 'half the answers', 'last answer', 'lost', 'played in'];
  printTable(`${waiting} approvals wait, after the end of the outage`, head, rows);
  note(`Slack alone takes ${seconds(floor)} for so many cards in these channels: one post a second in each.`);
}
note('A person answers each card half a minute after it stands. "before": while the service was still away.');
note('Twenty approvals of each agent, two hundred of each group and channel: as many as wait at most by default.');

/** When this share of them was done. */
function at(times: readonly number[], share: number): string {
  if (!times.length) return '-';
  const sorted = times.toSorted((a, b) => a - b);
  const time = sorted[Math.ceil(share * sorted.length) - 1] ?? 0;
  return time < 0 ? 'before' : seconds(time);
}

function seconds(ms: number): string {
  return `${Math.round(ms / 1_000)} s`;
}
