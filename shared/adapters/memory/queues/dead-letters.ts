/** Holds dead letters in memory, by queue, with those that were brought back. */
import { REDRIVEN_QUEUES, type RedrivenQueue } from '../../../contract/redrive.ts';
import type { DeadLetters } from '../../../ports/dead-letters.ts';

type ByQueue = Readonly<Record<RedrivenQueue, string[]>>;

export interface MemoryDeadLetters extends DeadLetters {
  readonly dead: ByQueue;
  readonly broughtBack: ByQueue;
}

export function memoryDeadLetters(): MemoryDeadLetters {
  const [dead, broughtBack] = [none(), none()];
  return {
    dead,
    broughtBack,
    async redrive(queue, limit) {
      const moved = dead[queue].splice(0, limit);
      broughtBack[queue].push(...moved);
      return { moved: moved.length, left: [] };
    },
  };
}

const none = (): ByQueue => Object.fromEntries(REDRIVEN_QUEUES.map((queue) => [queue, []])) as never;
