/** Groups the faults that the functions logged, by function, kind and frames, without ids and texts. */
import type { LogLine } from '../../adapters/cloudwatch/log-lines.ts';
import { readLogs } from './logs.ts';

interface FaultGroup {
  readonly function: string;
  readonly fault: string;
  /** The version of the package whose frames they are: `countersign frames` reads a group as it reads a line. */
  readonly version?: string;
  /** The AWS call, and its table or queue. */
  readonly operation?: string;
  readonly code?: string;
  readonly slackError?: string;
  /** Frames, the innermost first. */
  readonly at: readonly string[];
  readonly count: number;
  readonly first: string;
  readonly last: string;
}

/** As functions write them: what has another shape is left out, whoever wrote it. */
const SHAPES = {
  fault: /^[A-Za-z_$][\w$.-]{0,79}$/,
  version: /^[\w.+-]{1,80}$/,
  operation: /^[A-Za-z]{1,80}( [\w./-]{1,255})?$/,
  code: /^[A-Za-z][\w.-]{0,79}$/,
  slackError: /^[a-z_]{1,60}$/,
} as const;
const FRAME = /^([\w$.<>#]{1,80} )?[\w$@.+-]{1,80}:\d{1,7}:\d{1,7}$/;

type Name = keyof typeof SHAPES;

/** The most frequent first. @throws Error if a log cannot be read: groups of some logs would pass for all */
export async function readFaults(functions: readonly string[], from: number, to: number): Promise<FaultGroup[]> {
  const { logs, unread } = await readLogs(functions, { words: ['fault'], from, to });
  const [first] = unread;
  if (first) throw first.error ?? new Error(first.text);
  const groups = new Map<string, FaultGroup>();
  for (const { name, lines } of logs)
    for (const line of lines) {
      const group = groupOf(name, line);
      if (!group) continue;
      const { first: _, last: __, count: ___, ...kind } = group;
      const key = JSON.stringify(kind);
      const known = groups.get(key);
      groups.set(key, known ? { ...known, count: known.count + 1, last: group.last } : group);
    }
  return [...groups.values()].toSorted((a, b) => b.count - a.count);
}

/** A metric line has a fault and no message. */
function groupOf(name: string, { at, fields }: LogLine): FaultGroup | undefined {
  const of = (field: Name): string | undefined => {
    const value = fields[field];
    return typeof value === 'string' && SHAPES[field].test(value) ? value : undefined;
  };
  const fault = of('fault');
  if (fault === undefined || !('message' in fields) || '_aws' in fields) return undefined;
  const frames = Array.isArray(fields['at']) ? fields['at'] : [];
  const facts = (['version', 'operation', 'code', 'slackError'] as const).flatMap((field) => {
    const value = of(field);
    return value === undefined ? [] : [[field, value] as const];
  });
  const moment = new Date(at).toISOString();
  return {
    function: name,
    fault,
    ...Object.fromEntries(facts),
    at: frames.filter((frame): frame is string => typeof frame === 'string' && FRAME.test(frame)),
    count: 1,
    first: moment,
    last: moment,
  };
}
