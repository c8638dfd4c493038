/** Lets messages of processes that ended come again within seconds, as often as it takes. */
import { GetQueueAttributesCommand, SetQueueAttributesCommand } from '@aws-sdk/client-sqs';
import { e2eGate } from '../e2e/gate.ts';
import { queueUrl } from '../e2e/harness/resources.ts';

/** Minutes on AWS, where nobody waits for the end of a campaign. */
const REDELIVERED_S = 5;
/** The most that SQS knows. */
const MAX_RECEIPTS = 1_000;
const QUEUES = ['Proposals', 'Deferred', 'Operators', 'Cards', 'Talk', 'Executions', 'Outcomes', 'Webhooks'] as const;

/** However often it takes: nothing is set aside for being killed again and again. */
export async function comingAgainSoon(): Promise<void> {
  const { root } = await e2eGate();
  for (const name of QUEUES) {
    const QueueUrl = await queueUrl(name);
    const read = new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['RedrivePolicy'] });
    const { RedrivePolicy = '{}' } = (await root.sqs.send(read)).Attributes ?? {};
    const patient = JSON.stringify({ ...JSON.parse(RedrivePolicy), maxReceiveCount: MAX_RECEIPTS });
    const Attributes = { VisibilityTimeout: String(REDELIVERED_S), RedrivePolicy: patient };
    await root.sqs.send(new SetQueueAttributesCommand({ QueueUrl, Attributes }));
  }
}
