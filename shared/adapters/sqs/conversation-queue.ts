/**
 * Sends messages of people to the task agent through a FIFO queue.
 * A group is one person's conversation, so that a yes stays behind its question.
 */
import { SendMessageCommand, type SQSClient } from '@aws-sdk/client-sqs';
import { lengthDelimited, sha256Hex } from '../../domain/digest.ts';
import type { ConversationMessage, ConversationQueue } from '../../ports/conversation.ts';

export const sqsConversationQueue = (client: SQSClient, QueueUrl: string): ConversationQueue => ({
  async send(message) {
    await client.send(
      new SendMessageCommand({
        QueueUrl,
        MessageBody: JSON.stringify(message),
        MessageGroupId: groupOf(message),
        // Slack sends an event again that was not answered in time; its id is a whole digest.
        MessageDeduplicationId: sha256Hex(message.id),
      }),
    );
  },
});

const groupOf = ({ person, conversation }: ConversationMessage): string =>
  sha256Hex(lengthDelimited([person.team, person.user, conversation]));
