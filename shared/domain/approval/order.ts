/** Orders the operations of one scope: no older loosening undoes a newer tightening. Pure. */
import type { OperationOrder, OperationOrders, SentOperation } from '../../contract/operation-order.ts';

const MAX_SCOPES = 20;

/** An operation with the times that count for its order. `isAhead`: it states a time in the future, and therefore loosens nothing. */
export interface Arrival extends SentOperation {
  /**
   * The time at which the queue received it. An operation that tightens is dated by it: a sender's slow clock must not make it older than the call
   * that it forbids.
   */
  readonly receivedAt: number;
  readonly isAhead: boolean;
}

export type OrderRefusal =
  | { readonly code: 'superseded'; readonly by: SentOperation }
  | { readonly code: 'sent_in_future' };

/** Clocks of the gate, its queue and whoever sends may differ by so much. */
const MAX_SKEW_MS = 60_000;

/**
 * Dates an operation that loosens: the time of the queue, or an earlier one that the sender stated. A message that left a dead-letter queue has
 * a new time of the queue. The time that its sender stated stays, and can only make it older.
 */
export function arrivalOf(
  id: string,
  { sentAt, statedAt }: { readonly sentAt: number; readonly statedAt?: number | undefined },
  now: number,
): Arrival {
  const at = Math.min(sentAt, statedAt ?? sentAt);
  const isAhead = sentAt > now + MAX_SKEW_MS || (statedAt !== undefined && statedAt > sentAt + MAX_SKEW_MS);
  // A time ahead must not outdate all that is sent until then.
  const latest = sentAt > now + MAX_SKEW_MS ? now : sentAt;
  return { at: Math.min(at, latest), receivedAt: latest, id, isAhead };
}

/**
 * Why an operation that loosens has no effect any more, or undefined. `replaces`: it changes something that a newer operation may have set,
 * so that any newer one stands against it; one that only adds yields to those that tighten. Two of one millisecond have no order: the one
 * that came first stays.
 */
export function orderRefusal(
  order: OperationOrder | undefined,
  sent: Arrival,
  replaces: boolean,
): OrderRefusal | undefined {
  if (sent.isAhead) return { code: 'sent_in_future' };
  const newer = replaces ? order?.newest : order?.tightened;
  return newer && sent.at <= newer.at ? { code: 'superseded', by: newer } : undefined;
}

/** The order after an operation was taken. */
export function withOperation(
  order: OperationOrder | undefined,
  { at, receivedAt, id }: Arrival,
  tightens: boolean,
): OperationOrder {
  const sent = { at: tightens ? receivedAt : at, id };
  const tightened = tightens ? later(order?.tightened, sent) : order?.tightened;
  return { newest: later(order?.newest, sent), ...(tightened ? { tightened } : {}) };
}

/** The order of one scope. An operation that was left out may have been this one. */
export function orderIn(orders: OperationOrders | undefined, scope: string): OperationOrder | undefined {
  const found = orders?.scopes.find((one) => one.scope === scope);
  if (found) return found;
  return orders?.before && { newest: orders.before, tightened: orders.before };
}

/** With the order of one scope; those whose newest operation is oldest are left out beyond twenty. */
export function withOrderIn(
  orders: OperationOrders | undefined,
  scope: string,
  order: OperationOrder,
): OperationOrders {
  const others = orders?.scopes.filter((one) => one.scope !== scope) ?? [];
  const all = [...others, { scope, ...order }].toSorted((a, b) => b.newest.at - a.newest.at);
  const before = all
    .slice(MAX_SCOPES)
    .reduce<SentOperation | undefined>((newest, one) => later(newest, one.newest), orders?.before);
  return { scopes: all.slice(0, MAX_SCOPES), ...(before ? { before } : {}) };
}

/**
 * Without the person whose place a scope is. Every operation on a place that is not listed counts as older than `sent`: none of theirs gives it
 * away again.
 */
export function withoutUser(orders: OperationOrders, user: string, { receivedAt, id }: Arrival): OperationOrders {
  const scopes = orders.scopes.filter(({ scope }) => scope.slice(scope.indexOf('/') + 1) !== user);
  const before = later(orders.before, { at: receivedAt, id });
  const names = (one: SentOperation) => one.id.split('/').includes(user);
  return { scopes, before: names(before) ? { ...before, id } : before };
}

function later(known: SentOperation | undefined, one: SentOperation): SentOperation {
  return known && known.at >= one.at ? known : one;
}
