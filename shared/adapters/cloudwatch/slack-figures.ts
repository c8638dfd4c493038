/** Reads whether Slack took the canary's question, and which cards somebody has to mend. */
import { type CloudWatchClient, GetMetricDataCommand } from '@aws-sdk/client-cloudwatch';
import { type MetricName, NAMESPACE } from '../../config/metric-names.ts';

/** Problems that no waiting mends, by the word under which cards are counted. */
const PROBLEMS = ['channel_gone', 'not_in_channel', 'token_refused', 'missing_scope', 'other_workspace'] as const;
const HOUR_MS = 3_600_000;
/** A card that is blocked is tried again within a quarter of an hour, and counted again: later than this, no card is blocked any more. */
const TRIED_AGAIN_WITHIN_MS = 20 * 60_000;
/** The canary's question answers these by itself; it asks no channel. */
const OF_THE_TOKEN: ReadonlySet<string> = new Set(['token_refused', 'missing_scope', 'other_workspace']);

interface SlackFigures {
  /** Whether the newest question within an hour reached Slack; undefined without one. */
  readonly isReached: boolean | undefined;
  /** Problems of the newest tries: one that was mended since is none. */
  readonly blocked: readonly string[];
}

export async function slackFigures(client: CloudWatchClient, deployment: string, now: number): Promise<SlackFigures> {
  const query = (
    Id: string,
    MetricName: MetricName,
    Stat: string,
    dimensions: Readonly<Record<string, string>> = {},
  ) => ({
    Id,
    MetricStat: {
      Metric: {
        Namespace: NAMESPACE,
        MetricName,
        Dimensions: Object.entries({ service: deployment, ...dimensions }).map(([Name, Value]) => ({ Name, Value })),
      },
      Period: 60,
      Stat,
    },
  });
  const { MetricDataResults = [] } = await client.send(
    new GetMetricDataCommand({
      StartTime: new Date(now - HOUR_MS),
      EndTime: new Date(now),
      ScanBy: 'TimestampDescending',
      MetricDataQueries: [
        query('reached', 'SlackReachable', 'Minimum'),
        ...PROBLEMS.map((problem, index) => query(`p${index}`, 'CardsBlocked', 'Sum', { problem })),
      ],
    }),
  );
  const newestOf = (id: string, isMet: (value: number) => boolean) => {
    const { Values = [], Timestamps = [] } = MetricDataResults.find(({ Id }) => Id === id) ?? {};
    const index = Values.findIndex(isMet);
    return index < 0 ? undefined : { value: Values[index] as number, at: Timestamps[index]?.getTime() ?? now };
  };
  const newest = newestOf('reached', () => true);
  const reachedAt = newest !== undefined && newest.value > 0 ? newest.at : Number.NEGATIVE_INFINITY;
  return {
    isReached: newest === undefined ? undefined : newest.value > 0,
    blocked: PROBLEMS.filter((problem, index) => {
      const last = newestOf(`p${index}`, (count) => count > 0);
      if (last === undefined || now - last.at > TRIED_AGAIN_WITHIN_MS) return false;
      return !OF_THE_TOKEN.has(problem) || reachedAt <= last.at;
    }),
  };
}
