/** Judges what is recorded of runs that tool servers report. */
import type { History, Reported } from '../model/history.ts';
import type { Fail, Remains } from '../world/remains.ts';

/** Tellers who know how a run ended. */
const MAY_TELL: ReadonlySet<Reported['by']> = new Set(['server', 'holder']);

export function judgeReports(history: History, { proposals }: Remains, fail: Fail): void {
  for (const [id, reports] of Map.groupBy(history.reports, (report) => report.id)) {
    const ran = proposals.get(id)?.records.flatMap(({ entry }) => (entry.ran ? [entry.ran] : [])) ?? [];
    const isOf = (one: Reported) =>
      ran.some(({ status, startedAt }) => status === one.as && startedAt === one.startedAt);
    for (const report of reports) {
      const { as, by, told } = report;
      if (told === 'recorded' && !MAY_TELL.has(by)) fail('G35', `the run of ${id} is told by a ${by}, who is believed`);
      else if (told === 'recorded' && !isOf(report))
        fail('G39', `a report on ${id} is taken, and the record has another`);
      if (isOf(report) && !reports.some((one) => MAY_TELL.has(one.by) && one.as === as && isOf(one)))
        fail('G35', `the run of ${id} is recorded as a ${by} told it`);
    }
    // Nobody but its runner knows the end of a run: without a word of theirs it is unknown.
    const known = ran.find(({ status }) => status !== 'unknown');
    if (known && !reports.some(isOf)) fail('G35', `the run of ${id} is recorded as ${known.status}, which nobody told`);
    judgeFirst(id, reports, ran.length > 0 && ran.every(({ status }) => status === 'unknown'), history, fail);
  }
}

/** A run has to be reported within this of its end. */
const IN_TIME_MS = 60_000;

/** Where nothing fails, a report that comes soon is what stands. */
function judgeFirst(id: string, reports: readonly Reported[], isUnknown: boolean, history: History, fail: Fail): void {
  if (history.troubled.length || !isUnknown) return;
  const effect = history.effects.find((one) => one.id === id);
  const isSoon = ({ by, at }: Reported) => effect && MAY_TELL.has(by) && at < effect.until + IN_TIME_MS;
  if (reports.some(isSoon)) fail('G35', `the run of ${id} is told in time, and recorded as unknown`);
}
