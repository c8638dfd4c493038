/** Lists the questions about the logs of functions. */
import { CloudWatchLogsClient, FilterLogEventsCommand } from '@aws-sdk/client-cloudwatch-logs';
import { InvokeCommand } from '@aws-sdk/client-lambda';
import { clientConfig } from '../endpoint/index.ts';
import { makeFunction, uniqueName } from '../endpoint/testing/fixtures.ts';
import { until } from '../endpoint/testing/until.ts';
import type { Observation } from './observation.ts';

export const LOG_OBSERVATIONS: readonly Observation[] = [
  {
    operation: 'the log of a function whose LoggingConfig names a group',
    aws: 'in the group that is named',
    document: 'lambda/latest/api/API_LoggingConfig.html',
    look: async ({ endpoint, root }) => {
      const named = uniqueName('/own/group');
      const { name } = await makeFunction(root, `console.log('a line');`, { logGroup: named });
      await root.lambda.send(new InvokeCommand({ FunctionName: name }));
      const logs = new CloudWatchLogsClient(clientConfig(endpoint));
      const holdsLine = async (logGroupName: string): Promise<boolean> => {
        const search = new FilterLogEventsCommand({ logGroupName, filterPattern: '"a line"' });
        const { events = [] } = await logs.send(search).catch(() => ({ events: [] }));
        return events.length > 0;
      };
      return until('the line', async () => {
        if (await holdsLine(named)) return 'in the group that is named';
        return (await holdsLine(`/aws/lambda/${name}`)) && 'in /aws/lambda/ and its name';
      });
    },
  },
];
