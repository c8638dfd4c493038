/** Stores rate limits on DynamoDB: GCRA on one number, one conditional write a decision. */
import { randomUUID } from 'node:crypto';
import { GetItemCommand } from '@aws-sdk/client-dynamodb';
import {
  bookTokens,
  type GcraLimit,
  gcraLimit,
  microseconds,
  takeToken,
  tokensLeft,
  waitsOf,
} from '../../../domain/gcra.ts';
import type { CountedBucket, RateBucket, RateDecision, RateLimitStore } from '../../../ports/stores/guardrail-state.ts';
import { fromItem } from '../items.ts';
import { dayAfter, type GuardrailTable, MAX_TRIES, numberIn, rowKey, type Update, update } from './rows.ts';

const OPEN = '(attribute_not_exists(closedUntil) OR closedUntil <= :nowMs)';
/** Numbers that this process remembers to start with the likelier branch; forgetting them costs one more write. */
const REMEMBERED = 1000;

export class DynamoRateLimits implements RateLimitStore {
  readonly #table: GuardrailTable;
  readonly #fullAtUs = new Map<string, number>();

  constructor(table: GuardrailTable) {
    this.#table = table;
  }

  async take(bucket: RateBucket): Promise<RateDecision> {
    const { key, ratePerSecond, burst } = bucket;
    if (ratePerSecond === undefined) return this.#closing(key);
    const limit = gcraLimit(ratePerSecond, burst);
    if (burst === 0) return { admitted: false };
    for (let tried = 0; tried < MAX_TRIES; tried++) {
      const now = this.#table.now();
      const { written, fullAtUs } = await this.#write(key, limit, now, 1, 0);
      if (written.done) return { admitted: true, tokensLeft: tokensLeft(fullAtUs, now, limit) };
      const closedForMs = (numberIn(written.row, 'closedUntil') ?? 0) - now;
      if (closedForMs > 0) return { admitted: false, retryAfterMs: Math.ceil(closedForMs) };
      // The row tells which branch was the right one, or that neither is.
      const decision = takeToken(fullAtUs, now, limit);
      if (!decision.admitted) return decision;
    }
    return { admitted: false, retryAfterMs: Math.ceil(limit.intervalUs / 1000) };
  }

  async book({ key, ratePerSecond, burst }: CountedBucket, count: number, withinMs: number) {
    const limit = gcraLimit(ratePerSecond, burst);
    if (burst === 0 || !bookTokens(undefined, 0, limit, count, withinMs).booked) return undefined;
    // Each try counts with the time of the first. With a later time, a bucket that refills faster than this process writes would be full again at
    // each try, and emptied by others before the write.
    const now = this.#table.now();
    for (let tried = 0; tried < MAX_TRIES; tried++) {
      const { written, fullAtUs } = await this.#write(key, limit, now, count, withinMs);
      if (written.done) return waitsOf(fullAtUs ?? 0, now, limit, count);
      if ((numberIn(written.row, 'closedUntil') ?? 0) > now) return undefined;
      if (!bookTokens(fullAtUs, now, limit, count, withinMs).booked) return undefined;
    }
    throw new Error('the bucket changed while it was booked, again and again');
  }

  async #write(key: string, limit: GcraLimit, now: number, count: number, withinMs: number) {
    const isFull = (this.#fullAtUs.get(key) ?? 0) <= microseconds(now) + limit.slackUs;
    const change = isFull ? whenFull(limit, now, count) : whenUsed(limit, now, count, withinMs);
    const written = await update(this.#table, rowKey(key, 'rate'), change);
    const fullAtUs = numberIn(written.row, 'fullAtUs');
    this.#remember(key, fullAtUs ?? 0);
    return { written, fullAtUs };
  }

  async refund({ key, ratePerSecond, burst }: RateBucket): Promise<void> {
    if (ratePerSecond === undefined) return;
    const { intervalUs } = gcraLimit(ratePerSecond, burst);
    // Named, so that a write that the SDK repeats gives nothing back a second time.
    const back = {
      set: 'backBy = :by',
      rest: 'ADD fullAtUs :back',
      condition: 'attribute_exists(fullAtUs) AND (attribute_not_exists(backBy) OR backBy <> :by)',
      values: { ':back': -intervalUs, ':by': randomUUID() },
    };
    const written = await update(this.#table, rowKey(key, 'rate'), back);
    this.#remember(key, numberIn(written.row, 'fullAtUs') ?? 0);
  }

  async close(key: string, forMs: number): Promise<void> {
    const until = Math.ceil(this.#table.now() + forMs);
    await update(this.#table, rowKey(key, 'rate'), {
      set: 'closedUntil = :until, #ttl = :ttl',
      condition: 'attribute_not_exists(closedUntil) OR closedUntil < :until',
      names: { '#ttl': 'ttl' },
      values: { ':until': until, ':ttl': dayAfter(until) },
    });
  }

  peek({ key, ratePerSecond, burst }: RateBucket): number | undefined {
    const fullAtUs = this.#fullAtUs.get(key);
    if (ratePerSecond === undefined || fullAtUs === undefined) return undefined;
    return tokensLeft(fullAtUs, this.#table.now(), gcraLimit(ratePerSecond, burst));
  }

  /** A bucket that counts nothing costs a read, not a write. */
  async #closing(key: string): Promise<RateDecision> {
    const { client, table, now } = this.#table;
    const get = new GetItemCommand({ TableName: table, Key: rowKey(key, 'rate'), ConsistentRead: true });
    const { Item } = await client.send(get);
    const closedForMs = ((Item && numberIn(fromItem(Item), 'closedUntil')) ?? 0) - now();
    return closedForMs > 0 ? { admitted: false, retryAfterMs: Math.ceil(closedForMs) } : { admitted: true };
  }

  #remember(key: string, fullAtUs: number): void {
    if (this.#fullAtUs.size >= REMEMBERED) this.#fullAtUs.clear();
    this.#fullAtUs.set(key, fullAtUs);
  }
}

/** Nothing is missing in the bucket: it begins to refill now. */
function whenFull({ intervalUs, slackUs }: GcraLimit, now: number, count: number): Update {
  const nowUs = microseconds(now);
  const next = nowUs + count * intervalUs;
  return {
    set: 'fullAtUs = :next, #ttl = :ttl',
    condition: `(attribute_not_exists(fullAtUs) OR fullAtUs <= :now) AND ${OPEN}`,
    names: { '#ttl': 'ttl' },
    values: { ':next': next, ':now': nowUs + slackUs, ':nowMs': now, ':ttl': dayAfter(next / 1000) },
  };
}

/** So many tokens more are missing, if they are there in time. Adding needs no knowledge of the number, so callers do not collide. */
function whenUsed({ intervalUs, burst, slackUs }: GcraLimit, now: number, count: number, withinMs: number): Update {
  const nowUs = microseconds(now) + slackUs;
  const latest = nowUs + microseconds(withinMs) + (burst - count) * intervalUs;
  return {
    set: '#ttl = :ttl',
    rest: 'ADD fullAtUs :interval',
    condition: `fullAtUs > :now AND fullAtUs <= :latest AND ${OPEN}`,
    names: { '#ttl': 'ttl' },
    values: {
      ':interval': count * intervalUs,
      ':now': nowUs,
      ':latest': latest,
      ':nowMs': now,
      ':ttl': dayAfter((latest + count * intervalUs) / 1000),
    },
  };
}
