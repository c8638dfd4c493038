/**
 * Measures how long after an outage the last card is posted and the last agent is answered.
 *
 * Runs the gate in memory in virtual time: each service is away for three minutes and for three hours (Slack for a
 * weekend, too) with 10 and 1,000 approvals that wait, and for three minutes with 10,000 (`BENCH_WAITING=1000` for one
 * size). Each line is played in a process of its own, as many at once as there are cores. Slack limits as the real one
 * does: a post a second in a channel, fifty updates a minute. Figures are printed, not asserted.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import type { OutageLine } from './support/outage-line.ts';
import type { OutageOptions } from './support/outage-run.ts';
import { note, printTable } from './support/print.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const SIZES = (process.env['BENCH_WAITING'] ?? '10,1000,10000').split(',').map(Number);
/** The reconciler has just run when the service is back: nobody looks for a minute. */
const SHORT = { '3 minutes': 3 * MINUTE + 1 };
const LENGTHS = { ...SHORT, '3 hours': 3 * HOUR + 1 };
/** A token that was revoked on Friday; services of AWS come back sooner. */
const WEEKEND = { ...LENGTHS, 'a weekend': 62 * HOUR + 1 };
/** More than so many are played with the short outage alone: of each, the gate tries once a minute while a service is away. */
const MANY = 1_000;

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
  const lines = Object.entries(SERVICES).flatMap(([service, ports]) =>
    Object.entries(lengthsOf(service, waiting)).map(([length, ms]) => ({
      names: [service, length],
      options: { waiting, ports, ms, isSealed: service === 'KMS' },
    })),
  );
  const played = await playAll(lines.map(({ options }) => options));
  const rows = lines.map(({ names }, index) => {
    const { cards = [], answers = [], lost = waiting, tookMs = 0 } = played[index] ?? {};
    const took = `${(tookMs / 1_000).toFixed(1)} s`;
    return [...names, at(cards, 0.5), at(cards, 1), at(answers, 0.5), at(answers, 1), String(lost), took];
  });
  const head = ['away', 'for', 'half the cards', 'last card', 'half the answers', 'last answer', 'lost', 'played in'];
  printTable(`${waiting} approvals wait, after the end of the outage`, head, rows);
  const floor = seconds(played[0]?.floorMs ?? 0);
  note(`Slack alone takes ${floor} for so many cards in these channels: one post a second in each.`);
}
note('A person answers each card half a minute after it stands. "before": while the service was still away.');
note('Twenty approvals of each agent, two hundred of each group and channel: as many as wait at most by default.');

function lengthsOf(service: string, waiting: number): Readonly<Record<string, number>> {
  if (waiting > MANY) return SHORT;
  return service === 'Slack' ? WEEKEND : LENGTHS;
}

/** In the order of the lines; @throws Error if one of them breaks. */
async function playAll(lines: readonly OutageOptions[]): Promise<readonly OutageLine[]> {
  const played: OutageLine[] = [];
  const open = lines.entries();
  const worker = async () => {
    for (const [index, options] of open) {
      const line = await play(options);
      played[index] = line;
      // A run that is cut short has told of the lines that were played.
      const { ports, ms, waiting } = options;
      const [card, answer] = [at(line.cards, 1), at(line.answers, 1)];
      console.error(`${waiting}, ${ports.join(' ')} for ${seconds(ms)}: last card ${card}, last answer ${answer}`);
    }
  };
  await Promise.all(Array.from({ length: availableParallelism() }, worker));
  return played;
}

async function play(options: OutageOptions): Promise<OutageLine> {
  const child = fork(join(import.meta.dirname, 'support/outage-line.ts'));
  child.send(options);
  const ended = once(child, 'exit').then(([code]) => {
    throw new Error(`an outage of ${options.ports.join(', ')} broke: its process ended with ${code}`);
  });
  const [line] = (await Promise.race([once(child, 'message'), ended])) as [OutageLine];
  return line;
}

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
