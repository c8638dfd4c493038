/** Reads what the functions logged of a proposal. */
import type { LogLine } from '../../adapters/cloudwatch/log-lines.ts';
import { readLogs, type UnreadLog } from '../status/logs.ts';
import type { Candidate, Step, TracedDecision } from './step.ts';

interface LogWindow {
  /** In milliseconds since 1970. */
  readonly from: number;
  readonly to: number;
}

/** A line of a log or a workflow, and the decisions that it names: more than one where it is of a batch. */
interface LoggedStep {
  readonly step: Step;
  readonly pids: readonly unknown[];
}

/** Lines that hold one of the words: the id of a decision, or of a message. */
export async function logSteps(
  functions: readonly string[],
  words: readonly string[],
  window: LogWindow,
): Promise<{ readonly lines: readonly LoggedStep[]; readonly unread: readonly UnreadLog[] }> {
  const { logs, unread } = await readLogs(functions, { words, ...window });
  const lines = logs.flatMap(({ name, lines }) =>
    lines.map((line) => ({ step: stepOf(name, line), pids: [line.fields['pid'] ?? []].flat() })),
  );
  return { lines, unread };
}

/**
 * Lines of an id that neither the record nor an approval has, each under the decision that it names: it may be of another agent's proposal. Of a
 * decision's own id no line says which agent is meant, where several may be.
 */
export function byDecision(lines: readonly LoggedStep[], candidates: readonly Candidate[]): TracedDecision[] {
  const sure = candidates.filter(({ pid }) => candidates.filter((other) => other.pid === pid).length === 1);
  const linesOf = (candidate: Candidate) => lines.filter(({ pids }) => pids.includes(candidate.pid));
  const others = lines.filter(({ pids }) => !sure.some(({ pid }) => pids.includes(pid)));
  return [
    ...sure.map((candidate) => ({ candidate, steps: linesOf(candidate).map(({ step }) => step) })),
    {
      candidate: undefined,
      pids: new Set(others.flatMap(({ pids }) => pids)),
      steps: others.map(({ step, pids }) =>
        pids.length ? { ...step, pid: pids.length === 1 ? pids[0] : pids } : step,
      ),
    },
  ];
}

const stepOf = (name: string, { at, fields }: LogLine): Step => ({
  at: new Date(at).toISOString(),
  source: `log ${name}`,
  ...('_aws' in fields
    ? { what: 'measured', detail: figuresText(fields) }
    : { what: String(fields['message'] ?? ''), detail: factsText(fields) }),
});

/** Stand beside every line, or in its place of the table already. Frames are for `countersign frames`, which wants the whole line. */
const COMMON: ReadonlySet<string> = new Set([
  'agent',
  'at',
  'function',
  'level',
  'message',
  'pid',
  'proposalId',
  'requestId',
  'run',
  'sampling_rate',
  'service',
  'timestamp',
  'version',
  'xray_trace_id',
]);

const factsText = (fields: LogLine['fields']): string =>
  Object.entries(fields)
    .filter(([name]) => !COMMON.has(name))
    .map(([name, value]) => `${name} ${valueText(value)}`)
    .join(' · ');

interface Directive {
  readonly Dimensions?: readonly (readonly string[])[];
  readonly Metrics?: readonly { readonly Name: string; readonly Unit?: string }[];
}

/** A line is of a whole invocation, which may have worked other proposals as well. */
function figuresText(fields: LogLine['fields']): string {
  const { CloudWatchMetrics = [] } = fields['_aws'] as { readonly CloudWatchMetrics?: readonly Directive[] };
  const namesOf = (read: (directive: Directive) => readonly string[]) => [...new Set(CloudWatchMetrics.flatMap(read))];
  const metrics = namesOf(({ Metrics = [] }) => Metrics.map(({ Name }) => Name));
  const dimensions = namesOf(({ Dimensions = [] }) => Dimensions.flat()).filter((name) => name !== 'service');
  const timed = namesOf(({ Metrics = [] }) =>
    Metrics.flatMap(({ Name, Unit }) => (Unit === 'Milliseconds' ? Name : [])),
  );
  const texts = [...metrics, ...dimensions].map(
    (name) => `${name} ${valueText(fields[name])}${timed.includes(name) ? ' ms' : ''}`,
  );
  const { pid } = fields;
  return [...texts, ...(Array.isArray(pid) ? [`together with ${pid.length - 1} others`] : [])].join(' · ');
}

const valueText = (value: unknown): string =>
  typeof value === 'string' ? value : Array.isArray(value) ? value.map(valueText).join(', ') : JSON.stringify(value);
