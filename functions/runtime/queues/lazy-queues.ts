/** Sends to queues of the gate by a client that is loaded with the first message. */
import type { DeferredQueue } from '../../../shared/ports/stores/outbox.ts';
import { lazyAsync } from '../lazy.ts';

const outbox = () =>
  Promise.all([import('../../../shared/adapters/sqs/outbox.ts'), import('../clients/sqs.ts')] as const);

/** Messages of one turn wait for the same client, so they still go in one batch. */
export function lazyDeferred(queueUrl: string): DeferredQueue {
  const queue = lazyAsync(async () => {
    const [{ sqsDeferredQueue }, { sqs }] = await outbox();
    return sqsDeferredQueue(sqs(), queueUrl);
  });
  return {
    defer: async (message, delaySeconds) => (await queue()).defer(message, delaySeconds),
    handOver: async (pid) => (await queue()).handOver(pid),
  };
}

export async function sendText(queueUrl: string, text: string): Promise<void> {
  const [{ sqsSendText }, { sqs }] = await outbox();
  await sqsSendText(sqs())(queueUrl, text);
}
