/** Reads whether Slack took the canary's question, and which cards somebody has to mend. */
import { type CloudWatchClient, GetMetricDataCommand } from '@aws-sdk/client-cloudwatch';
import { type MetricName, NAMESPACE } from '../../config/metric-names.ts';

/** Problems that no waiting mends, by the word under which cards are counted. */
const PROBLEMS = ['channel_gone', 'not_in_channel', 'token_refused', 'missing_scope'] as const;
const HOUR_MS = 3_600_000;

export interface SlackFigures {
  /** Of the newest question within an hour; undefined without one. */
  readonly reached: boolean | undefined;
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
      Period: 300,
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
  const valuesOf = (id: string) => MetricDataResults.find(({ Id }) => Id === id)?.Values ?? [];
  const [newest] = valuesOf('reached');
  return {
    reached: newest === undefined ? undefined : newest > 0,
    blocked: PROBLEMS.filter((_, index) => valuesOf(`p${index}`).some((count) => count > 0)),
  };
}
