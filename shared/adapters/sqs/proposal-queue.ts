/** Publishes proposals: on a standard queue the message group is the tenant of SQS's fair queues. */
import { SendMessageCommand, type SQSClient } from '@aws-sdk/client-sqs';
import type { ProposalQueue } from '../../ports/agent-side.ts';

export function sqsProposalQueue(client: SQSClient, queueUrl: string): ProposalQueue {
  return {
    async publish(body, agent) {
      await client.send(new SendMessageCommand({ QueueUrl: queueUrl, MessageBody: body, MessageGroupId: agent }));
    },
  };
}
