/** Delegates a person's seat until a date, besides what the policy file states. */
import { LIMITS } from '../../contract/bounds.ts';
import type { Delegation, Delegations } from '../../contract/delegation.ts';
import type { Person } from '../../contract/index.ts';
import { samePerson } from '../../domain/approval/approval.ts';
import {
  type Arrival,
  type OrderRefusal,
  orderIn,
  orderRefusal,
  withOperation,
  withOrderIn,
} from '../../domain/approval/order.ts';
import { rememberedEnd, withRemembered } from '../../domain/record/remembered-operations.ts';
import type { Clock } from '../../ports/clock.ts';
import type { DelegationStore } from '../../ports/stores/delegation-store.ts';
import { CONFLICT, retryOnConflict } from '../retry-on-conflict.ts';

/** A change: a seat that goes to somebody, or comes back. */
type DelegationRequest = Pick<Delegation, 'person'> & Partial<Pick<Delegation, 'to' | 'from' | 'until'>>;

interface DelegationDependencies {
  readonly delegations: DelegationStore;
  readonly clock: Clock;
}

export const MAX_REMEMBERED = 50;
const MAX_DELEGATIONS = 500;

/** An operation that ended so is remembered with its code. */
const REMEMBERED_REFUSALS = ['no_delegation'] as const;

type Refusal = 'until_is_over' | 'until_is_too_late' | 'until_is_before_from' | 'no_delegation' | 'too_many';
export type DelegationChange = { readonly code: 'changed' | Refusal } | OrderRefusal;

/**
 * `changed`, or why not. `id` names the operation: one delivered again is done once, whatever was done after it. `sent`: one that gives a place
 * has no effect after a newer one on the same place; one that takes it back always has.
 */
export async function changeDelegation(
  request: DelegationRequest,
  by: string,
  { id, sent }: { readonly id: string; readonly sent: Arrival },
  { delegations, clock }: DelegationDependencies,
): Promise<DelegationChange> {
  const { person, to, from, until } = request;
  const scope = `${person.team}/${person.user}`;
  const gives = to !== undefined;
  return retryOnConflict(
    'the delegations kept changing while they were written',
    async (): Promise<DelegationChange | typeof CONFLICT> => {
      const read = await delegations.read();
      const before = rememberedEnd(read.done, id, REMEMBERED_REFUSALS);
      if (before) return { code: before === 'done' ? 'changed' : before };
      const now = clock.now();
      const others = read.delegations.filter((one) => now < Date.parse(one.until) && !samePerson(one.person, person));
      const added = to && until ? [{ person, to, ...(from ? { from } : {}), until, by: by.slice(0, 200) }] : [];
      const order = orderIn(read.orders, scope);
      const late = gives ? orderRefusal(order, sent, true) : undefined;
      if (late) return late;
      const refusal = refusalOf(request, others.length, now);
      if (refusal) return { code: refusal };
      const isThere = read.delegations.some((one) => samePerson(one.person, person) && now < Date.parse(one.until));
      const code = gives || isThere ? 'changed' : 'no_delegation';
      const next = {
        ...read,
        version: read.version + 1,
        delegations: [...others, ...added],
        done: withRemembered(read.done, id, code === 'changed' ? undefined : code, MAX_REMEMBERED),
        // Also where there was nothing to take back: what was to be taken back may come late.
        orders: withOrderIn(read.orders, scope, withOperation(order, sent, !gives)),
      };
      return (await delegations.write(next)) ? { code } : CONFLICT;
    },
  );
}

/** Why a seat may not be delegated until then; a request that takes it back names no end. */
function refusalOf({ from, until }: DelegationRequest, others: number, now: number): Refusal | undefined {
  if (until === undefined) return undefined;
  const end = Date.parse(until);
  if (end <= now) return 'until_is_over';
  // A longer absence makes no approver: the policy file should name another one.
  if (end > now + LIMITS.laterMs) return 'until_is_too_late';
  if (from !== undefined && Date.parse(from) >= end) return 'until_is_before_from';
  return others >= MAX_DELEGATIONS ? 'too_many' : undefined;
}

/** Whether it holds now. A time that cannot be read compares false. */
export const delegationHolds = ({ from, until }: Pick<Delegation, 'from' | 'until'>, now: number): boolean =>
  (from === undefined || now >= Date.parse(from)) && now < Date.parse(until);

/** Delegations about this person, either way, that are not over. */
export const delegationsAbout = ({ delegations }: Delegations, person: Person, now: number): Delegation[] =>
  delegations.filter(
    (one) => now < Date.parse(one.until) && (samePerson(one.person, person) || samePerson(one.to, person)),
  );
