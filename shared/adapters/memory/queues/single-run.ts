/** Works one message at a time in memory, with the pauses of a queue that names its senders. */
import { pauseAfter } from '../../../use-cases/intake/resend.ts';
import type { Worked } from './queue.ts';

export interface RunSteps<Message> {
  work(message: Message): Promise<unknown>;
  /** Answers a message that no further try helps. */
  giveUp?(message: Message): Promise<void>;
  /** True: the message was sent anew, so that this copy is done. */
  renew?(message: Message, received: number, error: unknown): Promise<boolean>;
}

export const runOf =
  <Message extends { readonly messageId: string }>(
    { work, giveUp, renew }: RunSteps<Message>,
    onFault: (error: unknown) => void,
  ) =>
  async ([message]: readonly Message[], [received = 1]: readonly number[]): Promise<Worked[]> => {
    if (message === undefined) return [];
    try {
      await work(message);
      return [{ ok: true }];
    } catch (error) {
      onFault(error);
      if (await renew?.(message, received, error)) return [{ ok: true }];
      const seconds = pauseAfter(error, message.messageId, received);
      if (seconds !== undefined || !giveUp) return [{ ok: false, retryAfterMs: (seconds ?? 60) * 1_000 }];
      await giveUp(message);
      return [{ ok: true }];
    }
  };
