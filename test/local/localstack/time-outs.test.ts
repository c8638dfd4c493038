// Checks the time of one request, which Step Functions keeps by itself.
//
// LocalStack runs as it comes; its interpreter is checked against recordings of AWS.
import { DescribeExecutionCommand, StartExecutionCommand } from '@aws-sdk/client-sfn';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Endpoint, startEndpoint } from '../endpoint/index.ts';
import { type Clients, clientsOf, makeMachine, makeQueue } from '../endpoint/testing/fixtures.ts';
import { until } from '../endpoint/testing/until.ts';

let endpoint: Endpoint;
let root: Clients;
beforeAll(async () => {
  endpoint = await startEndpoint({ corrected: false });
  root = clientsOf(endpoint);
});
afterAll(() => endpoint?.stop());

test('each request waits as long as its own expiry says, and ends by States.Timeout, with no correction in between', async () => {
  const queue = await makeQueue(root);
  // As the approval workflow computes it (cdk/constructs/workflow/approval-workflow.ts).
  const left = '$toMillis($states.input.expiresAt) - $toMillis($states.context.State.EnteredTime)';
  const machine = await makeMachine(root, {
    QueryLanguage: 'JSONata',
    StartAt: 'Ask',
    States: {
      Ask: {
        Type: 'Task',
        Resource: 'arn:aws:states:::sqs:sendMessage.waitForTaskToken',
        Arguments: { QueueUrl: queue.url, MessageBody: '{% $states.context.Task.Token %}' },
        TimeoutSeconds: `{% $max([1, $ceil((${left}) / 1000) + 1]) %}`,
        Catch: [{ ErrorEquals: ['States.ALL'], Output: '{% $states.errorOutput %}', Next: 'Caught' }],
        End: true,
      },
      Caught: { Type: 'Succeed', Output: '{% $states.input.Error %}' },
    },
  });
  const waited = async (seconds: number) => {
    const expiresAt = Date.now() + seconds * 1_000;
    const input = JSON.stringify({ expiresAt: new Date(expiresAt).toISOString() });
    const { executionArn } = await root.sfn.send(new StartExecutionCommand({ stateMachineArn: machine, input }));
    const look = async () => {
      const execution = await root.sfn.send(new DescribeExecutionCommand({ executionArn }));
      return execution.status !== 'RUNNING' && execution;
    };
    const ended = await until('the execution to end', look, 90_000);
    expect(JSON.parse(ended.output ?? 'null')).toBe('States.Timeout');
    const end = Number(ended.stopDate);
    expect(end).toBeGreaterThanOrEqual(expiresAt);
    return end;
  };
  const [short, long] = await Promise.all([waited(1), waited(20)]);
  expect(long - short).toBeGreaterThan(3_000);
});
