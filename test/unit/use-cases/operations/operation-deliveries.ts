/**
 * Delivers operations in any order and as often as a test wants.
 *
 * Each has the time at which its queue received it.
 */
import { memorySenderId } from '../../../../shared/adapters/memory/senders.ts';
import { performOperation } from '../../../../shared/use-cases/operations/perform-operation.ts';
import type { World } from '../world.ts';

export type Wire = Readonly<Record<string, unknown>>;

interface Times {
  /** Milliseconds after the world began. */
  readonly statedAt?: number;
  /** The queue's clock is ahead by so much. */
  readonly ahead?: number;
  /** Set where a message comes again; each delivery is a message of its own otherwise. */
  readonly messageId?: string;
}

const begins = new WeakMap<World, number>();

/** `sentAt`: milliseconds after the first delivery of the world. */
export async function deliver(world: World, sentAt: number, operation: Wire, times: Times = {}): Promise<void> {
  const start = begins.get(world) ?? world.clock.now();
  begins.set(world, start);
  const whole = { operationId: `o${sentAt}`, reason: 'a test', ...operation };
  await performOperation(
    {
      messageId: times.messageId ?? world.ids.next(),
      raw: JSON.stringify(whole),
      principal: memorySenderId('operators', 'oncall'),
      sentAt: start + sentAt + (times.ahead ?? 0),
      statedAt: times.statedAt === undefined ? undefined : start + times.statedAt,
    },
    world.gate.parts,
  );
  await world.clock.advance(1);
}

/** Codes of all operations in the record, the oldest first. */
export async function codes(world: World): Promise<(string | undefined)[]> {
  const records = await world.look.audit.recent('-operations', 1_000);
  return records.map(({ entry }) => entry.reasonCode).toReversed();
}
