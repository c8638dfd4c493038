/** Changes the row that every decision reads: the emergency brake, and the epoch of permits. */
import type { PauseOperation, VoidPermitsOperation } from '../../contract/operation.ts';
import { type Arrival, orderIn, orderRefusal, withOperation, withOrderIn } from '../../domain/approval/order.ts';
import { canonicalJson, sha256Hex } from '../../domain/digest.ts';
import { type Control, type Pause, pausedNow } from '../../ports/stores/control.ts';
import { CONFLICT, retryOnConflict } from '../retry-on-conflict.ts';
import type { OperatorDependencies } from './dependencies.ts';
import { type OperationResult, outOfOrder, problemOfEnd, refuse } from './refusal.ts';
import { ownsAgent } from './session-operations.ts';

/** Operations that the control row remembers. */
const REMEMBERED = 20;

export async function pause(
  wanted: PauseOperation,
  operator: string,
  sent: Arrival,
  deps: OperatorDependencies,
): Promise<OperationResult> {
  const { scope, effect } = wanted;
  const done: OperationResult = {
    accepted: true,
    code: wanted.effect === 'lift' ? 'pause_lifted' : `paused_${wanted.effect}`,
  };
  let replaced: Pause | undefined;
  const result = await change(wanted, operator, done, deps, (control) => {
    const now = deps.clock.now();
    const isLooser = loosens(wanted, control, now);
    replaced = isLooser && effect !== 'lift' ? pausedNow(control, scope, now) : undefined;
    // Nobody loosens the pause of an agent of their own, as they could not approve its calls either.
    if (isLooser && 'agent' in scope && ownsAgent(operator, scope.agent, deps)) return refuse('own_agent');
    const end = problemOfEnd(wanted.until, now);
    if (end) return refuse(end);
    const key = JSON.stringify(scope);
    const known = orderIn(control.orders, key);
    const late = isLooser || effect === 'lift' ? orderRefusal(known, sent, true) : undefined;
    if (late) return outOfOrder(late);
    if (effect === 'lift' && !pausedNow(control, scope, now)) return refuse('no_such_pause');
    const orders = withOrderIn(control.orders, key, withOperation(known, sent, effect !== 'lift'));
    return { ...control, orders, pauses: nextPauses(control, wanted, operator, now) };
  });
  return result.accepted && replaced ? { ...result, replaced } : result;
}

/**
 * Voids all earlier permits by a new epoch. The epoch is a time in seconds and not a counter: a restored row may hold an older epoch than permits
 * that were given before the restore, and the next number might be one of theirs.
 */
export async function voidPermits(
  wanted: VoidPermitsOperation,
  operator: string,
  deps: OperatorDependencies,
): Promise<OperationResult> {
  return change(wanted, operator, { accepted: true, code: 'permits_voided' }, deps, (control) => {
    const now = deps.clock.now();
    return { ...control, permitEpoch: Math.max(control.permitEpoch + 1, Math.ceil(now / 1000)), voidedAt: now };
  });
}

/** Writes the row as it was read, a few tries; an operation that it remembers is done already. */
async function change(
  wanted: PauseOperation | VoidPermitsOperation,
  operator: string,
  done: OperationResult,
  deps: OperatorDependencies,
  next: (control: Control) => Control | OperationResult,
): Promise<OperationResult> {
  const id = sha256Hex(canonicalJson({ operator, ...wanted })).slice(0, 16);
  return retryOnConflict('the control row kept changing while it was written', async () => {
    const control = await deps.control.read();
    if (control.done?.includes(id)) return done;
    const changed = next(control);
    if ('accepted' in changed) return changed;
    const remembered = [...(control.done ?? []), id].slice(-REMEMBERED);
    const isWritten = await deps.control.write({ ...changed, version: control.version + 1, done: remembered });
    return isWritten ? done : CONFLICT;
  });
}

/** Whether less is stopped afterwards, or for a shorter time, than by the pause that holds now. */
function loosens({ scope, effect, until }: PauseOperation, control: Control, now: number): boolean {
  const held = pausedNow(control, scope, now);
  if (!held) return false;
  const ends = until === undefined ? Number.POSITIVE_INFINITY : Date.parse(until);
  return (
    effect === 'lift' || (held.effect === 'deny' && effect === 'ask') || ends < (held.until ?? Number.POSITIVE_INFINITY)
  );
}

function nextPauses(
  control: Control,
  { scope, effect, until, reason }: PauseOperation,
  by: string,
  now: number,
): readonly Pause[] {
  const key = JSON.stringify(scope);
  const others = control.pauses.filter((pause) => JSON.stringify(pause.scope) !== key);
  if (effect === 'lift') return others;
  const held = pausedNow(control, scope, now);
  const since = held ? held.since : now;
  const next = { scope, effect, reason, by, ...(until === undefined ? {} : { until: Date.parse(until) }) };
  return [...others, since === undefined ? next : { ...next, since }];
}
