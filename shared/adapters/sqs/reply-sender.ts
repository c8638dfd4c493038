/** Sends decisions to the queues that agents registered. */
import type { Decision } from '../../contract/index.ts';
import { withoutGrounds } from '../../domain/approval/grounds.ts';
import { canonicalJson } from '../../domain/digest.ts';
import { ReplyQueueUnknownError, ReplyRefusedError, type ReplySender } from '../../ports/stores/outbox.ts';

/** Sends to the queue that an agent registered, if it did. `givenUp` is told of an agent whose queue stays dead, `sent` of each decision that its queue took the first time. */
export function sqsReplySender(
  send: (queueUrl: string, text: string) => Promise<void>,
  queueOf: (agent: string) => Promise<string | undefined>,
  givenUp: (agent: string) => void,
  sent: (decision: Decision) => void = () => undefined,
): ReplySender {
  return {
    async send(agent, decision, isRepeat) {
      const queueUrl = await queueOf(agent).catch((cause: unknown) => {
        throw new ReplyQueueUnknownError("where the agent's decisions go could not be read", { cause });
      });
      if (!queueUrl) return;
      try {
        await send(queueUrl, canonicalJson(withoutGrounds(decision)));
      } catch (cause) {
        if (!isRefusal(cause)) throw cause;
        throw new ReplyRefusedError("the agent's queue is gone, or closed to the gate", { cause });
      }
      if (!isRepeat) sent(decision);
    },
    async giveUp(agent) {
      givenUp(agent);
    },
  };
}

/** Refusals that are no word about the queue: the gate is too fast, or its own credentials or clock are not in order. */
const NOT_OF_QUEUE = /Throttl|TooManyRequests|OverLimit|Expired|Token|Signature|Skew|Credentials/;

/** SQS says that the queue is gone or forbidden. The SDK calls a fault that it does not know the client's, whatever its status. */
function isRefusal(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { $fault, $metadata } = error as { $fault?: unknown; $metadata?: { httpStatusCode?: number } };
  const { httpStatusCode: status = 400 } = $metadata ?? {};
  const isTheirs = status >= 400 && status < 500 && status !== 408 && status !== 429;
  return $fault === 'client' && isTheirs && !NOT_OF_QUEUE.test(error.name);
}
