/** Sets the queues for one small machine: how soon messages come again, how many are worked at once. */
import { ListEventSourceMappingsCommand, UpdateEventSourceMappingCommand } from '@aws-sdk/client-lambda';
import { GetQueueAttributesCommand, SetQueueAttributesCommand } from '@aws-sdk/client-sqs';
import { e2eGate } from '../e2e/gate.ts';
import { deadLetterUrl, queueUrl } from '../e2e/harness/resources.ts';

/** Minutes on AWS, where nobody waits for the end of a campaign. */
const REDELIVERED_S = 5;
/** The most that SQS knows. */
const MAX_RECEIPTS = 1_000;
const QUEUES = ['Proposals', 'Deferred', 'Operators', 'Cards', 'Talk', 'Executions', 'Outcomes', 'Webhooks'] as const;

/** Messages of processes that ended come again within seconds, however often it takes: nothing is set aside for being killed again and again. */
export async function comingAgainSoon(): Promise<void> {
  const { root } = await e2eGate();
  for (const name of QUEUES) {
    const QueueUrl = await queueUrl(name);
    const read = new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['RedrivePolicy'] });
    const { RedrivePolicy = '{}' } = (await root.sqs.send(read)).Attributes ?? {};
    const patient = JSON.stringify({ ...JSON.parse(RedrivePolicy), maxReceiveCount: MAX_RECEIPTS });
    const Attributes = { VisibilityTimeout: String(REDELIVERED_S), RedrivePolicy: patient };
    await root.sqs.send(new SetQueueAttributesCommand({ QueueUrl, Attributes }));
    // So do dead letters, whose functions may end as well.
    const dead = { QueueUrl: await deadLetterUrl(name), Attributes: { VisibilityTimeout: String(REDELIVERED_S) } };
    await root.sqs.send(new SetQueueAttributesCommand(dead));
  }
}

/** Each more is a process that starts on the same two cores, where AWS has a machine for each. */
const AT_ONCE = 4;

/** A burst is worked by a few processes: fifty that start together would all run out of their time. */
export async function workedByFew(): Promise<void> {
  const { lambda } = (await e2eGate()).root;
  const { EventSourceMappings = [] } = await lambda.send(new ListEventSourceMappingsCommand({}));
  for (const { UUID, ScalingConfig } of EventSourceMappings)
    if ((ScalingConfig?.MaximumConcurrency ?? 0) > AT_ONCE)
      await lambda.send(new UpdateEventSourceMappingCommand({ UUID, ScalingConfig: { MaximumConcurrency: AT_ONCE } }));
}
