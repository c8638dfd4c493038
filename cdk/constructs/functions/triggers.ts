/** Connects the functions to their callers: queues, the clock, Slack. */
import { Duration, Names } from 'aws-cdk-lib';
import type { ITable } from 'aws-cdk-lib/aws-dynamodb';
import { Rule, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction as RuleTarget } from 'aws-cdk-lib/aws-events-targets';
import {
  type EventSourceMappingOptions,
  type FunctionUrl,
  FunctionUrlAuthType,
  StartingPosition,
} from 'aws-cdk-lib/aws-lambda';
import { DynamoEventSource } from 'aws-cdk-lib/aws-lambda-event-sources';
import type { IQueue, Queue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import { MAX_DELIBERATIONS, MAX_EXECUTIONS } from '../../../shared/config/schema/defaults.ts';
import { allowThrough } from '../data/encryption.ts';
import type { GateQueues } from '../data/queues.ts';
import type { GateTables } from '../data/tables.ts';
import type { GateFunction } from './gate-function.ts';
import type { GateFunctions } from './gate-functions.ts';

export function connect(
  scope: Construct,
  functions: GateFunctions,
  queues: GateQueues,
  { audit }: GateTables,
  hasCanary: boolean,
): FunctionUrl {
  const { evaluate, deliberate, operate, reconcile, slack } = functions;
  // A batch of ten costs one read; the most that the tables and Step Functions' start quota carry at once.
  take(evaluate, queues.proposals, { batchSize: 10, maxConcurrency: 50, ...POSTPONES });
  // Each may hold a model or a hook for a minute: what waits here has been told to wait, and providers limit how much runs at once.
  take(deliberate, queues.deferred, { batchSize: 1, maxConcurrency: MAX_DELIBERATIONS });
  // A few people, whose commands follow one another.
  take(operate, queues.operators, { batchSize: 1, maxConcurrency: 2 });
  // Calls that run at once: each holds one run of the function for up to five minutes; the others wait in the queue, fair by agent.
  take(functions['execute-tool'], queues.executions, {
    batchSize: 1,
    maxConcurrency: MAX_EXECUTIONS,
    ...POSTPONES,
  });
  // Functions that hold the rights for an answer take the dead letters, because senders wait. Few at once: each may end a process.
  for (const [one, live] of [
    [deliberate, queues.proposals],
    [deliberate, queues.deferred],
    [functions['execute-tool'], queues.executions],
    [operate, queues.operators],
    [functions['collect-outcomes'], queues.outcomes],
    [functions.converse, queues.conversation],
  ] as const)
    take(one, queues.deadOf(live), { batchSize: 1, maxConcurrency: 2, ...POSTPONES });
  // A report is a few writes on rows of its own: ten batches of ten at once follow a hundred calls that end together.
  take(functions['collect-outcomes'], queues.outcomes, { batchSize: 10, maxConcurrency: 10 });
  // Channels are groups of the FIFO queue: each is drawn in order, so many channels at once.
  take(functions['slack-out'], queues.cards, { batchSize: 1, maxConcurrency: 10, ...POSTPONES });
  // Conversations are groups of the FIFO queue: each is answered in order.
  take(functions.converse, queues.conversation, { batchSize: 1, maxConcurrency: 10, ...POSTPONES });
  // Each posts to somebody else's endpoint and waits: five times ten at once.
  take(functions['send-webhooks'], queues.webhooks, { batchSize: 10, maxConcurrency: 5, ...POSTPONES });
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

interface Taking {
  readonly batchSize: number;
  readonly maxConcurrency: number;
  /** Whether the function says itself when a message comes again. */
  readonly postpones?: true;
}
const POSTPONES = { postpones: true } as const;

/**
 * Lets Lambda hand messages of a queue to a function.
 *
 * Without CDK's own event source, which lets every function look up and postpone besides: Lambda needs neither. The name of
 * the mapping is CDK's, so that a stack keeps those that it has.
 */
function take(one: GateFunction, queue: Queue, { postpones, ...limits }: Taking): void {
  const options: EventSourceMappingOptions = { ...limits, reportBatchItemFailures: true };
  one.callee.addEventSourceMapping(`SqsEventSource:${Names.nodeUniqueId(queue.node)}`, {
    ...options,
    eventSourceArn: queue.queueArn,
  });
  const actions = ['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:GetQueueAttributes'];
  one.allow(postpones ? [...actions, 'sqs:ChangeMessageVisibility'] : actions, [queue.queueArn]);
}

/** Lets a function that decides tell it in an agent's own queue; the queue's own grant would let it look the queue up as well. */
export function mayAnswer(one: GateFunction, queue: IQueue): void {
  one.allow(['sqs:SendMessage'], [queue.queueArn]);
  allowThrough(queue.encryptionMasterKey, one.role, 'sqs');
}
