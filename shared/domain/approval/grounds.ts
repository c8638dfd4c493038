/**
 * Separates a decision as agents read it from the grounds that allowed its calls.
 *
 * Grounds are for redemption alone: no agent needs them. Clients of earlier releases refuse a decision with keys that
 * they do not know.
 */
import type { Decision } from '../../contract/decision.ts';
import type { AllowedBy, Permit } from '../../contract/permit.ts';

/** By the id of the call. */
type Grounds = Readonly<Record<string, AllowedBy>>;

/** Reads what each permit rests on. Undefined where nothing is permitted, or no permit says why. */
export function groundsOf({ calls }: Decision): Grounds | undefined {
  const grounds = calls.flatMap(({ id, permit }) => (permit?.allowedBy ? [[id, permit.allowedBy] as const] : []));
  return grounds.length ? Object.fromEntries(grounds) : undefined;
}

export const withoutGrounds = (decision: Decision): Decision =>
  withPermits(decision, ({ allowedBy: _, ...permit }) => permit);

export const withGrounds = (decision: Decision, grounds: Grounds): Decision =>
  withPermits(decision, (permit, id) => {
    const allowedBy = Object.hasOwn(grounds, id) ? grounds[id] : undefined;
    return allowedBy ? { ...permit, allowedBy } : permit;
  });

const withPermits = (decision: Decision, change: (permit: Permit, callId: string) => Permit): Decision => ({
  ...decision,
  calls: decision.calls.map((call) => (call.permit ? { ...call, permit: change(call.permit, call.id) } : call)),
});
