/**
 * Plays each incident on the deployed gate, and asks which alarm would tell of it in production.
 *
 * The local endpoint evaluates no alarms. The samples that the functions wrote are given to the alarm's own definition:
 * series, statistic, periods, metric math, missing data. The fault is taken to go on as it was played.
 */
import { writeFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { beforeAll, describe, expect, test } from 'vitest';
import { INCIDENTS, type Incident } from '../../support/incidents.ts';
import { e2eGate } from '../gate.ts';
import { type ProductionAlarms, productionAlarms } from './alarms.ts';
import { type AlarmOf, minutesUntilAlarm, type Sample, seriesIn, stands } from './evaluate-alarm.ts';
import { type Figure, writtenSince } from './figures.ts';
import { PHASES } from './plays.ts';
import { type Seen, withdraw } from './seen.ts';

const HORIZON_MS = 4 * 3_600_000;
const MINUTE_MS = 60_000;
/** Lines reach the log, and the stream of the record its function, a moment after the play. */
const MAX_WAIT_MS = 20_000;

interface Played {
  readonly seen: Seen;
  readonly began: number;
  ended: number;
  readonly error?: unknown;
}

let alarms: ProductionAlarms;
const played = new Map<Incident, Played>();
let began: number;
let figures: readonly Figure[];

beforeAll(async () => {
  const gate = await e2eGate();
  alarms = productionAlarms(gate);
  began = Date.now();
  for (const phase of PHASES) {
    const at = Date.now();
    await Promise.all(
      Object.entries(phase).map(async ([incident, play]) => {
        const result = await play().then(
          (seen) => ({ seen }),
          (error: unknown) => ({ seen: {}, error }),
        );
        played.set(incident as Incident, { ...result, began: at, ended: Date.now() });
      }),
    );
    await metricsOf(Object.keys(phase) as Incident[], at);
    for (const incident of Object.keys(phase)) {
      const one = played.get(incident as Incident);
      if (one) one.ended = Date.now();
      one?.seen.lift?.();
    }
  }
  figures = (await writtenSince(began)).figures;
  await withdraw();
  const file = process.env['COUNTERSIGN_GAME_DAY'];
  if (file)
    writeFileSync(
      file,
      JSON.stringify({ figures, dashboard: alarms.dashboard, names: alarms.names, stands: [...raisedAlarms()] }),
    );
}, 600_000);

/** Waits until the metric of each incident has come that a function writes. */
async function metricsOf(incidents: readonly Incident[], since: number): Promise<void> {
  const wanted = incidents.flatMap((incident) => {
    const [name, metric] = INCIDENTS[incident];
    const seen: Seen = played.get(incident)?.seen ?? {};
    const isOwn = seen.stated !== undefined || seen.own?.some((one) => one.metric === metric);
    return isOwn || seen.before ? [] : seriesOf(name, metric);
  });
  const end = Date.now() + MAX_WAIT_MS;
  while (wanted.length && Date.now() < end) {
    const written = new Set((await writtenSince(since)).figures.map(({ series }) => series));
    if (wanted.every((series) => written.has(series))) return;
    await delay(500);
  }
}

const alarmOf = (name: string): AlarmOf => {
  const alarm = alarms.byName.get(name);
  if (!alarm) throw new Error(`no alarm is named ${name}`);
  return alarm;
};
/** The one series of the metric that the alarm reads, which has to move; none where it reads several. */
const seriesOf = (name: string, metric: string): string[] => {
  const found = seriesIn(alarmOf(name)).filter((series) => series.split(' ')[1] === metric);
  return found.length === 1 ? found : [];
};

/** Samples that the alarm would see if the play's minute came again each minute. */
function samplesOf(incident: Incident): Sample[] {
  const [name] = INCIDENTS[incident];
  const { seen, began: from, ended } = played.get(incident) as Played;
  const { own = [], timesAMinute = 1, before } = seen;
  const read = seriesIn(alarmOf(name));
  const seriesNamed = (metric: string, of = '') => {
    const found = read.filter((series) => series.split(' ')[1] === metric && series.includes(of));
    return found.length ? found.slice(0, 1) : [];
  };
  const written = figures
    .filter(({ at, series }) => at >= from && at <= ended && read.includes(series))
    .map(({ series, at, value }) => ({ series, value, atMs: (at - from) % MINUTE_MS }));
  const stated = own.flatMap(({ metric, of, value }) =>
    seriesNamed(metric, of).map((series) => ({ series, value, atMs: 0 })),
  );
  const minute = Array.from({ length: timesAMinute }, () => [...written, ...stated]).flat();
  const quiet = before
    ? seriesNamed(before.metric).flatMap((series) =>
        Array.from({ length: HORIZON_MS / before.everyMs }, (_, index) => ({
          series,
          value: before.value,
          atMs: -(index + 1) * before.everyMs,
        })),
      )
    : [];
  const repeats = Array.from({ length: HORIZON_MS / MINUTE_MS }, (_, index) => index * MINUTE_MS);
  return [...quiet, ...repeats.flatMap((offset) => minute.map((one) => ({ ...one, atMs: one.atMs + offset })))];
}

/** The alarms that stand once the day is over, as the picture of the dashboard shows them. */
function raisedAlarms(): Set<string> {
  const names = (Object.keys(INCIDENTS) as Incident[]).map((incident) => INCIDENTS[incident][0]);
  return new Set(names.flatMap((name) => [name, alarms.tells(name)]));
}

test('every incident of the table is played', () => {
  const all = PHASES.flatMap((phase) => Object.keys(phase));
  expect(all.toSorted()).toEqual(Object.keys(INCIDENTS).toSorted());
});

describe('an incident raises the alarm that tells of it, by its own definition', () => {
  test.each(Object.entries(INCIDENTS) as [Incident, (typeof INCIDENTS)[Incident]][])(
    '%s: %s',
    (incident, [name, metric, within]) => {
      const { error } = played.get(incident) as Played;
      if (error) throw error;
      const samples = samplesOf(incident);
      const alarm = alarmOf(name);
      expect(stands(alarm, samples, 0), 'it does not stand before the fault').toBe(false);
      const after = minutesUntilAlarm(alarm, samples, HORIZON_MS);
      const moved = samples.filter(({ series, atMs }) => series.split(' ')[1] === metric && atMs < MINUTE_MS);
      expect(after, JSON.stringify(moved.slice(0, 20))).toBeLessThanOrEqual(within);
      expect(alarms.tells(name)).toMatch(/^(page|ticket)\//);
    },
  );
});
