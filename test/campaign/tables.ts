/** Prints what a part of the campaign found; each table is false if its part failed. */
import { ms, note, printTable } from '../bench/support/print.ts';
import type { Problem } from '../simulation/judge/judge.ts';
import type { Interleaved } from './interleave.ts';
import type { Killed } from './kill/kill.ts';
import type { Loaded } from './load.ts';
import type { Soaked } from './soak.ts';

const MAX_PROBLEMS = 400;

function tellProblems(problems: readonly Problem[]): boolean {
  note(problems.length ? `The judge finds ${problems.length} problems:` : 'The judge finds no problem.');
  for (const { guarantee, text } of problems.slice(0, MAX_PROBLEMS)) note(`${guarantee} ${text}`);
  return problems.length === 0;
}

export function tellKilled({ rows, problems, unfinished }: Killed): boolean {
  const head = ['function', 'awaits', 'within reach', 'met', 'killed', 'repaired', 'failed', 'not met again', 'unmet'];
  const cells = rows.map(({ verb, awaits, reachable, met, fates: { repaired, failed, missed } }) => {
    return [verb, awaits, reachable, met, repaired + failed, repaired, failed, missed, reachable - met];
  });
  const total = (column: number) => cells.reduce((all, row) => all + Number(row[column]), 0);
  const all = ['all', ...head.slice(1).map((_, index) => total(index + 1))];
  printTable('A process ended at each await', head, [...cells, all]);
  const reasons = new Map<string, Map<string, number>>();
  for (const { verb, unmet } of rows)
    for (const [reason, points] of unmet) {
      const of = reasons.get(reason) ?? new Map<string, number>();
      reasons.set(reason, of.set(verb, points.length));
    }
  printTable(
    'Awaits within reach that no scene comes by',
    ['why', 'awaits', 'functions'],
    [...reasons].map(([why, of]) => [
      why,
      [...of.values()].reduce((all, count) => all + count, 0),
      [...of].map(([verb, count]) => `${verb} ${count}`).join(', '),
    ]),
  );
  if (unfinished.length) note(`${unfinished.length} scenes did not come to their end:`);
  for (const one of unfinished) note(one);
  return tellProblems(problems) && unfinished.length === 0;
}

export function tellInterleaved({ played, done, problems }: Interleaved): boolean {
  printTable(`${played} interleavings`, ['step', 'times'], [...done]);
  return tellProblems(problems);
}

export function tellLoaded(loaded: Loaded): boolean {
  const { rows, seconds, messages, duplicates, poison, problems } = loaded;
  const sent = rows.reduce((all, row) => all + row.sent, 0);
  printTable(
    `${sent} proposals in ${messages} messages, ${seconds.toFixed(0)} s: ${(sent / seconds).toFixed(1)} a second`,
    ['agent', 'sent', 'decided', 'a second', 'p50', 'p95', 'p99', 'twice', 'poison'],
    rows.map((row) => {
      const [p50, p95, p99] = row.ms;
      return [
        row.agent,
        row.sent,
        row.decided,
        row.perSecond.toFixed(1),
        ms(p50),
        ms(p95),
        ms(p99),
        row.duplicates,
        row.poison,
      ];
    }),
  );
  note(`${duplicates.alike} of ${duplicates.sent} that were sent twice have one decision.`);
  printTable('Poison', ['answer', 'proposals'], [...poison.reasons]);
  return tellProblems(problems);
}

export function tellSoaked(soaked: Soaked): boolean {
  const isRight = tellLoaded(soaked);
  const size = (mb: number) => mb.toFixed(0);
  printTable(
    'Memory in MB, of the largest process of each function',
    ['function', 'processes', 'first', 'middle', 'last', 'most'],
    soaked.memory.map(({ name, processes, first, middle, last, most }) => {
      return [name, processes, size(first), size(middle), size(last), size(most)];
    }),
  );
  printTable(
    'Queues',
    ['queue', 'most messages', 'oldest, at most s', 'at the end'],
    soaked.queues.map(({ name, mostMessages, ageS, atEnd }) => [name, mostMessages, ageS, atEnd]),
  );
  return isRight;
}
