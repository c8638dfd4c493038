/** One message of the cards' queue, done in Slack. */
import type { SlackOutMessage } from '../sqs/outbox.ts';
import { type Drawing, drawCard, tellRan } from './draw.ts';

/** Throws what Slack answered, for the queue to deliver it again; see `errors.ts`. */
export async function deliverToSlack(message: SlackOutMessage, drawing: Drawing): Promise<void> {
  switch (message.kind) {
    case 'card':
      return drawCard(message.pid, drawing);
    case 'ran':
      return tellRan(message.pid, message.ran, drawing);
    case 'announcement':
      return drawing.poster.say(message.channel, message.text);
    default:
      return message satisfies never;
  }
}
