/**
 * Measures end-to-end times on the deployed stack, beside a bare echo function.
 *
 * The echo function makes the same calls on the same endpoint in the same run.
 */
import { randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { startLocalGate } from '../local/gate/gate.ts';
import { POLICY } from './support/bench-world.ts';
import { startEcho } from './support/echo.ts';
import { gateTrips, type HumanTrip } from './support/gate-trips.ts';
import { against, type Cell, ms, note, printTable } from './support/print.ts';
import { best, median, p95 } from './support/stats.ts';

const WARM_UP = 8;
const AUTOMATIC = 50;
const HUMAN = 20;
const AIM_RATIO = 1.08;
/** The endpoint looks at no queue for 50 ms after a look in vain: what follows another trip at once would wait for that. */
const REST_MS = 150;

/** One agent asks here as often as it can: its cards are not to wait in line. */
const policyFile = join(mkdtempSync(join(tmpdir(), 'countersign-latency-')), 'countersign.yaml');
const LINE = 'newCards: { burst: 1000, perMinute: 600, listFrom: 1000 }';
writeFileSync(policyFile, readFileSync(POLICY, 'utf8').replace(/^approvals:$/m, `approvals:\n  ${LINE}`));

const gate = await startLocalGate({
  policyFile,
  onProgress: (line) => line.startsWith('cdk ') || note(`${line} …`),
});
try {
  const trips = await gateTrips(gate, 'demo-agent');
  const echo = await startEcho(gate.endpoint);
  const samples = { gate: [] as number[], echo: [] as number[], limited: [] as number[] };
  // Turn by turn, so that whatever else this machine does meets all three alike.
  for (let index = 0; index < WARM_UP + AUTOMATIC; index++) {
    const round = {
      gate: await rested(() => trips.automatic()),
      echo: await rested(() => echo.once(randomUUID(), false)),
      limited: await rested(() => echo.once(randomUUID(), true)),
    };
    if (index < WARM_UP) continue;
    for (const name of ['gate', 'echo', 'limited'] as const) samples[name].push(round[name]);
  }
  printAutomatic(samples);
  const human: HumanTrip[] = [];
  for (let index = 0; index < HUMAN + 1; index++) {
    const trip = await rested(() => trips.human());
    if (index > 0) human.push(trip);
  }
  printHuman(human);
  const [load = 0] = loadavg();
  note(
    `Load of this machine: ${load.toFixed(1)} on ${availableParallelism()} cores; above its cores, times say little.`,
  );
} finally {
  await gate.stop();
}

async function rested<Trip>(trip: () => Promise<Trip>): Promise<Trip> {
  await delay(REST_MS);
  return trip();
}

function printAutomatic({ gate: gates, echo, limited }: Record<'gate' | 'echo' | 'limited', number[]>): void {
  const row = (name: string, times: readonly number[], calls: string): Cell[] => {
    const ratio = (of: (times: readonly number[]) => number) => (of(gates) / of(times)).toFixed(2);
    const ratios = times === gates ? ['', '', ''] : [ratio(best), ratio(median), ratio(p95)];
    return [name, calls, ms(best(times)), ms(median(times)), ms(p95(times)), ...ratios];
  };
  printTable(
    `An automatic decision, from SendMessage to the agent's read of it (${gates.length} of each, in turns, batch of 1)`,
    ['what', 'calls to DynamoDB', 'best', 'p50', 'p95', 'gate / it, best', 'p50', 'p95'],
    [
      row('gate', gates, 'update, batch get, put'),
      row('echo', echo, 'batch get, put'),
      row('echo with a limiter', limited, 'update, batch get, put'),
    ],
  );
  const ratio = median(gates) / median(limited);
  const text = `Aim: ratio to an echo with the same number of calls ≤ ${AIM_RATIO}; it is ${ratio.toFixed(2)}`;
  note(`${text}: ${against(ratio, AIM_RATIO)}.`);
}

function printHuman(trips: readonly HumanTrip[]): void {
  const row = (name: string, of: (trip: HumanTrip) => number): Cell[] => [
    name,
    ms(best(trips.map(of))),
    ms(median(trips.map(of))),
    ms(p95(trips.map(of))),
  ];
  printTable(
    `A human decision (${trips.length})`,
    ['from … to', 'best', 'p50', 'p95'],
    [
      row('proposed → the card is there', ({ asked }) => asked),
      row('click → acknowledged', ({ acknowledged }) => acknowledged),
      row('click → card updated', ({ redrawn }) => redrawn),
      row("click → the agent's wait ends", ({ decided }) => decided),
    ],
  );
  const methods = Map.groupBy(
    trips.flatMap(({ slackCalls }) => slackCalls),
    (method) => method,
  );
  printTable(
    "Calls of Slack's Web API, each per human decision",
    ['method', 'calls'],
    [...methods].map(([method, calls]) => [method, (calls.length / trips.length).toFixed(1)]),
  );
  note('The directory of people is kept for a while: users.info is asked once per person and five minutes at most.');
  const late = trips.filter(({ inTime }) => !inTime).length;
  if (late) note(`${late} of the clicks were answered too late for Slack.`);
  note('A channel takes one new card a second (Slack’s limit, kept by the local one), which the first line includes.');
}
