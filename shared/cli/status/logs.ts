/** Searches the logs of all functions of a gate: a log that cannot be read hides no other. */
import type { LogLine, LogSearch } from '../../adapters/cloudwatch/log-lines.ts';
import { kindOf, refusalOf } from '../support/reason-of.ts';

interface ReadLog {
  /** The function within the gate, such as `evaluate`. */
  readonly name: string;
  readonly lines: readonly LogLine[];
}

/** Requests at a time: the account has five a second in some regions, and the SDK waits where they are refused. */
const AT_ONCE = 5;

/** A log that could not be read, or not to its end. */
export interface UnreadLog {
  /** A sentence with the functions that it is of. */
  readonly text: string;
  /** Absent where the log goes on. */
  readonly error?: unknown;
}

export async function readLogs(
  functions: readonly string[],
  search: Omit<LogSearch, 'group'>,
): Promise<{ readonly logs: readonly ReadLog[]; readonly unread: readonly UnreadLog[] }> {
  const [{ linesWith }, { logGroupsOf }, { cloudWatchLogs, lambda }] = await Promise.all([
    import('../../adapters/cloudwatch/log-lines.ts'),
    import('../../adapters/lambda/log-groups.ts'),
    import('../support/clients.ts'),
  ]);
  const groups = await logGroupsOf(await lambda(), functions);
  const client = await cloudWatchLogs();
  const logs: ReadLog[] = [];
  const failed = new Map<string, { readonly names: string[]; readonly error: unknown }>();
  const cut: string[] = [];
  const left = [...groups];
  const work = async (): Promise<void> => {
    for (let next = left.shift(); next; next = left.shift()) {
      const { name, group } = next;
      try {
        const { lines, isCut } = await linesWith(client, { ...search, group });
        logs.push({ name, lines });
        if (isCut) cut.push(name);
      } catch (error) {
        const known = failed.get(kindOf(error)) ?? { names: [], error };
        failed.set(kindOf(error), { ...known, names: [...known.names, name] });
      }
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return {
    logs: logs.toSorted((a, b) => (a.name < b.name ? -1 : 1)),
    unread: [
      ...[...failed.values()].map(({ names, error }) => ({
        text: `the log of ${names.toSorted().join(', ')} cannot be read: ${refusalOf(error)}`,
        error,
      })),
      ...(cut.length
        ? [
            {
              text: `the log of ${cut.toSorted().join(', ')} is longer than one search: state a shorter time with --since`,
            },
          ]
        : []),
    ],
  };
}
