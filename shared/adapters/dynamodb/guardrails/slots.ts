/**
 * Stores concurrency on DynamoDB: N slot items, each taken if free or expired.
 * Two callers can never have the same one.
 */
import { QueryCommand, type QueryCommandOutput } from '@aws-sdk/client-dynamodb';
import { sha256Hex } from '../../../domain/digest.ts';
import type { SlotDecision, SlotLease, SlotRequest, SlotStore } from '../../../ports/stores/guardrail-state.ts';
import { fromItem, type Item, toItem } from '../items.ts';
import { dayAfter, type GuardrailTable, rowKey, update } from './rows.ts';

/** Callers of one agent draw from few slots and lose more often than others: with three tries some were refused beside free slots. */
const MAX_TRIES = 8;

interface Held {
  readonly slot: number;
  readonly holder: string;
  readonly agent: string;
  readonly expiresAt: number;
}

export class DynamoSlots implements SlotStore {
  readonly #table: GuardrailTable;
  readonly #random: () => number;

  /** `random` spreads callers over the free slots. */
  constructor(table: GuardrailTable, random: () => number = Math.random) {
    this.#table = table;
    this.#random = random;
  }

  async acquire(request: SlotRequest): Promise<SlotDecision> {
    const { key, limit, agentLimit, agent, holder, leaseMs } = request;
    for (let tried = 0; tried < MAX_TRIES; tried++) {
      const now = this.#table.now();
      const held = await this.#live(key, now);
      const mine = held.find((one) => one.holder === holder);
      if (mine) return { acquired: true, lease: { key, slot: mine.slot, holder }, inUse: held.length };
      const ofAgent = held.filter((one) => one.agent === agent).length;
      if (held.length >= limit || ofAgent >= (agentLimit ?? limit)) {
        const firstExpiry = Math.min(...held.map(({ expiresAt }) => expiresAt));
        return { acquired: false, retryAfterMs: Math.ceil(firstExpiry - now) };
      }
      const slot = freeSlot(held, request, (agentLimit ?? limit) - ofAgent, this.#random);
      if (slot === undefined) break;
      const expiresAt = now + leaseMs;
      const taken = await update(this.#table, rowKey(key, `slot#${slot}`), {
        set: '#slot = :slot, #holder = :holder, #agent = :agent, expiresAt = :expiresAt, #ttl = :ttl',
        // The holder's own row counts as free: the SDK may have sent this write before.
        condition: 'attribute_not_exists(pk) OR expiresAt <= :now OR #holder = :holder',
        names: { '#slot': 'slot', '#holder': 'holder', '#agent': 'agent', '#ttl': 'ttl' },
        values: {
          ':slot': slot,
          ':holder': holder,
          ':agent': agent,
          ':now': now,
          ':expiresAt': expiresAt,
          ':ttl': dayAfter(expiresAt),
        },
      });
      if (taken.done) return { acquired: true, lease: { key, slot, holder }, inUse: held.length + 1 };
    }
    return { acquired: false };
  }

  async release({ key, slot, holder }: SlotLease): Promise<void> {
    // Expired rather than deleted: one kind of write, and TTL takes the row away.
    await update(this.#table, rowKey(key, `slot#${slot}`), {
      set: 'expiresAt = :none',
      rest: 'REMOVE #holder',
      condition: '#holder = :holder',
      names: { '#holder': 'holder' },
      values: { ':none': 0, ':holder': holder },
    });
  }

  async inUse(key: string): Promise<number> {
    return (await this.#live(key, this.#table.now())).length;
  }

  async #live(key: string, now: number): Promise<Held[]> {
    const { client, table } = this.#table;
    const held: Held[] = [];
    let from: Item | undefined;
    do {
      const page: QueryCommandOutput = await client.send(
        new QueryCommand({
          TableName: table,
          KeyConditionExpression: 'pk = :pk',
          ExpressionAttributeValues: toItem({ ':pk': key }),
          ConsistentRead: true,
          ...(from ? { ExclusiveStartKey: from } : {}),
        }),
      );
      held.push(...(page.Items ?? []).map((item) => fromItem(item) as unknown as Held));
      from = page.LastEvaluatedKey;
    } while (from);
    return held.filter(({ expiresAt }) => expiresAt > now);
  }
}

/**
 * Callers of one agent that read at once choose from the same few slots, as many as its share has left: together they take no more. Each agent
 * begins elsewhere, so that agents do not choose from the same ones.
 */
function freeSlot(
  held: readonly Held[],
  { limit, agent }: SlotRequest,
  left: number,
  random: () => number,
): number | undefined {
  const taken = new Set(held.map(({ slot }) => slot));
  const first = Number.parseInt(sha256Hex(agent).slice(0, 8), 16);
  const free = Array.from({ length: limit }, (_, at) => (first + at) % limit).filter((slot) => !taken.has(slot));
  return free[Math.floor(random() * Math.min(left, free.length))];
}
