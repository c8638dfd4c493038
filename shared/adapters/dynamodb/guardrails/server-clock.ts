/**
 * Gives all processes one clock: the table's.
 *
 * Every answer of DynamoDB states a time. A process whose own clock is wrong uses that time, so that it can neither open
 * tomorrow's budget nor keep a lease for ever.
 */
import { type DynamoDBClient, GetItemCommand } from '@aws-sdk/client-dynamodb';
import { rowKey } from './rows.ts';

/** The header has whole seconds: a difference below this is no difference. */
const TOLERANCE_MS = 2000;

interface ServerClock {
  readonly now: () => number;
  /** Resolves once the server has been heard; asks it if nobody has yet. */
  readonly ready: () => Promise<void>;
}

export function serverClock(client: DynamoDBClient, table: string, local: () => number = Date.now): ServerClock {
  let offsetMs: number | undefined;
  const learn = (date: unknown, sentAt: number) => {
    const stated = typeof date === 'string' ? Date.parse(date) : Number.NaN;
    if (Number.isNaN(stated)) return;
    const heardAt = local();
    const measured = stated + 500 - (sentAt + heardAt) / 2;
    const known = offsetMs ?? 0;
    // A slow answer, a frozen process's above all, was stated at any time between: only an offset beyond that is a difference.
    const toleranceMs = TOLERANCE_MS + (heardAt - sentAt) / 2;
    offsetMs = Math.abs(measured - known) > toleranceMs ? measured : known;
  };
  client.middlewareStack.add(
    (next) => async (args) => {
      const sentAt = local();
      const result = await next(args);
      const { headers } = result.response as { headers?: Readonly<Record<string, string>> };
      learn(headers?.['date'], sentAt);
      return result;
    },
    // Low: nearest to the wire, where the answer still is what was sent, also when it says that a condition failed.
    { step: 'deserialize', priority: 'low', name: 'countersignServerClock', override: true },
  );
  return {
    now: () => Math.round(local() + (offsetMs ?? 0)),
    async ready() {
      if (offsetMs !== undefined) return;
      await client.send(new GetItemCommand({ TableName: table, Key: rowKey('clock', 'clock') }));
    },
  };
}
