/** Stores the emergency brake and what else holds for every decision at once. */
import type { OperationOrders } from '../../contract/operation-order.ts';

export interface Pause {
  readonly scope: { readonly all: true } | { readonly agent: string } | { readonly tool: string };
  readonly effect: 'deny' | 'ask';
  /** Milliseconds since 1970; absent: until lifted. */
  readonly until?: number;
  /** Milliseconds since 1970; absent in a pause of the previous release. Naming the same scope again does not begin it anew. */
  readonly since?: number | undefined;
  readonly reason: string;
  readonly by: string;
}

export interface Control {
  readonly version: number;
  readonly pauses: readonly Pause[];
  /** Permits of an older epoch are void. */
  readonly permitEpoch: number;
  /** Approvals for later that were given until then count no more: milliseconds since 1970. */
  readonly voidedAt?: number | undefined;
  /** The last operations that changed it, so that a copy of one, delivered late, does not undo a newer one. */
  readonly done?: readonly string[] | undefined;
  /** By scope of a pause: the newest operations, so that an older one lifts nothing. */
  readonly orders?: OperationOrders | undefined;
}

export const NO_CONTROL: Control = { version: 0, pauses: [], permitEpoch: 0 };

export const pauseHolds = ({ until }: { readonly until?: number | undefined }, now: number): boolean =>
  until === undefined || now < until;

/** The pause of exactly this scope that holds now. */
export const pausedNow = ({ pauses }: Control, scope: Pause['scope'], now: number): Pause | undefined =>
  pauses.find((pause) => JSON.stringify(pause.scope) === JSON.stringify(scope) && pauseHolds(pause, now));

/** The strongest pause that holds for a call now. */
export function pauseFor(control: Control, agent: string, tool: string, now: number): Pause | undefined {
  const holding = control.pauses.filter(
    ({ scope, until }) =>
      pauseHolds({ until }, now) &&
      ('all' in scope || ('agent' in scope ? scope.agent === agent : scope.tool === tool)),
  );
  return holding.find((pause) => pause.effect === 'deny') ?? holding[0];
}

export interface ControlStore {
  /** Consistent. */
  read(): Promise<Control>;
  /** Written on the condition that the stored version is `next.version - 1`; false if somebody was faster. */
  write(next: Control): Promise<boolean>;
}
