/** Connects the functions to their callers: queues, the clock, Slack. */
import { Duration } from 'aws-cdk-lib';
import type { ITable } from 'aws-cdk-lib/aws-dynamodb';
import { Rule, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction as RuleTarget } from 'aws-cdk-lib/aws-events-targets';
import { type FunctionUrl, FunctionUrlAuthType, StartingPosition } from 'aws-cdk-lib/aws-lambda';
import { DynamoEventSource, SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources';
import type { Construct } from 'constructs';
import { MAX_DELIBERATIONS, MAX_EXECUTIONS } from '../../shared/config/schema/defaults.ts';
import type { GateFunctions } from './gate-functions.ts';
import type { GateQueues } from './queues.ts';
import type { GateTables } from './tables.ts';

export function connect(
  scope: Construct,
  functions: GateFunctions,
  queues: GateQueues,
  { audit }: GateTables,
  hasCanary: boolean,
): FunctionUrl {
  const { evaluate, deliberate, operate, reconcile, slack } = functions;
  // A batch of ten costs one read; the most that the tables and Step Functions' start quota carry at once.
  evaluate.callee.addEventSource(
    new SqsEventSource(queues.proposals, { batchSize: 10, reportBatchItemFailures: true, maxConcurrency: 50 }),
  );
  const single = { batchSize: 1, reportBatchItemFailures: true };
  // Each may hold a model or a hook for a minute: what waits here has been told to wait, and providers limit how much runs at once.
  deliberate.function.addEventSource(
    new SqsEventSource(queues.deferred, { ...single, maxConcurrency: MAX_DELIBERATIONS }),
  );
  // A few people, whose commands follow one another.
  operate.function.addEventSource(new SqsEventSource(queues.operators, { ...single, maxConcurrency: 2 }));
  // Calls that run at once: each holds one run of the function for up to five minutes; the others wait in the queue, fair by agent.
  functions['execute-tool'].function.addEventSource(
    new SqsEventSource(queues.executions, { ...single, maxConcurrency: MAX_EXECUTIONS }),
  );
  // Functions that hold the rights for an answer take the dead letters, because senders wait. Few at once: each may end a process.
  const few = { ...single, maxConcurrency: 2 };
  for (const live of [queues.proposals, queues.deferred])
    deliberate.function.addEventSource(new SqsEventSource(queues.deadOf(live), few));
  for (const [one, live] of [
    [functions['execute-tool'], queues.executions],
    [operate, queues.operators],
    [functions['collect-outcomes'], queues.outcomes],
    [functions.converse, queues.conversation],
  ] as const)
    one.function.addEventSource(new SqsEventSource(queues.deadOf(live), few));
  // A report is a few writes on rows of its own: ten batches of ten at once follow a hundred calls that end together.
  functions['collect-outcomes'].function.addEventSource(
    new SqsEventSource(queues.outcomes, { batchSize: 10, reportBatchItemFailures: true, maxConcurrency: 10 }),
  );
  // Channels are groups of the FIFO queue: each is drawn in order, so many channels at once.
  functions['slack-out'].function.addEventSource(new SqsEventSource(queues.cards, { ...single, maxConcurrency: 10 }));
  // Conversations are groups of the FIFO queue: each is answered in order.
  functions.converse.function.addEventSource(
    new SqsEventSource(queues.conversation, { ...single, maxConcurrency: 10 }),
  );
  // Each posts to somebody else's endpoint and waits: five times ten at once.
  functions['send-webhooks'].function.addEventSource(
    new SqsEventSource(queues.webhooks, { batchSize: 10, reportBatchItemFailures: true, maxConcurrency: 5 }),
  );
  // From the oldest that the stream still has, so that no deployment opens a gap; tried until the stream lets go of it, after a day.
  functions['archive-audit'].function.addEventSource(
    new DynamoEventSource(audit as ITable, {
      startingPosition: StartingPosition.TRIM_HORIZON,
      batchSize: 500,
      maxBatchingWindow: Duration.seconds(5),
    }),
  );
  new Rule(scope, 'EachFiveMinutes', {
    schedule: Schedule.rate(Duration.minutes(5)),
    targets: [new RuleTarget(functions.seal.function, { retryAttempts: 2 })],
  });
  new Rule(scope, 'EachMinute', {
    schedule: Schedule.rate(Duration.minutes(1)),
    targets: [new RuleTarget(reconcile.function, { retryAttempts: 0 })],
  });
  if (hasCanary)
    new Rule(scope, 'CanaryEachFiveMinutes', {
      schedule: Schedule.rate(Duration.minutes(5)),
      targets: [new RuleTarget(functions.canary.function, { retryAttempts: 0 })],
    });
  // Slack signs its requests; the function verifies them before anything else.
  return slack.callee.addFunctionUrl({ authType: FunctionUrlAuthType.NONE });
}
