/** Returns messages to their queue early, so that another instance of the function works them. */

interface Delivered {
  readonly queueArn: string;
  readonly receiptHandle: string;
  readonly receiveCount: number;
}

/** Part of the time reserved for the answer, which counts only if it comes in time. */
const SEND_TIMEOUT_MS = 1_000;
const FIRST_S = 1;
/** The queue's own visibility time: the last receipts of a message are as far apart as those of one that fails. */
const MAX_S = 60;

/** In seconds: 1, 4, 16, then 60, so that a gate that is slow for a while does not spend the receipts of a message in it. */
export const visibilityDelay = (receiveCount: number): number => Math.min(MAX_S, FIRST_S * 4 ** (receiveCount - 1));

/** The address of a queue. `neighbourUrl`: of another queue of the same deployment, whose address differs in the name alone. */
export const addressOf = (queueArn: string, neighbourUrl: string): string =>
  new URL(queueArn.split(':').at(-1) ?? '', neighbourUrl).href;

/** Ten at most, of one queue. */
export const shortenVisibility = (neighbourUrl: string) => async (messages: readonly Delivered[]) => {
  const { changeVisibility } = await import('../clients/sqs.ts');
  const change = {
    QueueUrl: addressOf(messages[0]?.queueArn ?? '', neighbourUrl),
    Entries: messages.map(({ receiptHandle, receiveCount }, index) => ({
      Id: String(index),
      ReceiptHandle: receiptHandle,
      VisibilityTimeout: visibilityDelay(receiveCount),
    })),
  };
  await changeVisibility(change, AbortSignal.timeout(SEND_TIMEOUT_MS));
};
