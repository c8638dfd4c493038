/** Tracks denials: after too many, a person is asked. */
import { canonicalJson, sha256Hex } from '../../domain/digest.ts';
import { checkSettings, count, having, natural, record } from '../../domain/settings.ts';
import type { Clock } from '../../ports/clock.ts';
import { systemClock } from '../../ports/clock.ts';
import type { DenialFact } from '../model/types.ts';
import { DEFAULT_MAX_CONSECUTIVE, DEFAULT_MAX_TOTAL } from '../model/types.ts';
import { collapseBlanks } from '../rules/command-spec.ts';
import { isOverThreshold } from '../stages/denial-tracker.ts';

function collapsed(value: unknown): unknown {
  if (typeof value === 'string') return collapseBlanks(value);
  if (Array.isArray(value)) return value.map(collapsed);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, collapsed(each)]));
}

/** A call, blanks collapsed: two that differ only in blanks are the same call to the tracker. */
export function denialKey(toolName: string, input: unknown): string {
  return sha256Hex(canonicalJson([toolName, collapsed(input)]));
}

const MAX_REMEMBERED = 1000;

/**
 * Counts denials of a session, and sends calls to people after too many.
 *
 * @example
 * const service = new PermissionService({ tracker: new DenialTracker({ maxConsecutive: 3, maxTotal: 20 }) });
 * console.log(service.mode);
 */
export class DenialTracker {
  readonly #maxConsecutive: number;
  readonly #maxTotal: number;
  readonly #clock: Clock;
  readonly #denied = new Set<string>();
  #consecutive: number;
  #total: number;
  #lastDenialTime: number | undefined;

  /** @param options `state`: the denials so far, in a row and in all, as another tracker counted them. Default: none */
  constructor(
    options: {
      maxConsecutive?: number;
      maxTotal?: number;
      clock?: Clock;
      state?: Pick<DenialTracker, 'consecutive' | 'total'>;
    } = {},
  ) {
    checkSettings(options, { maxConsecutive: count, maxTotal: count, clock: having('now'), state: record });
    if (options.state) {
      natural(options.state.consecutive, 'state.consecutive');
      natural(options.state.total, 'state.total');
    }
    this.#maxConsecutive = options.maxConsecutive ?? DEFAULT_MAX_CONSECUTIVE;
    this.#maxTotal = options.maxTotal ?? DEFAULT_MAX_TOTAL;
    this.#clock = options.clock ?? systemClock;
    this.#consecutive = options.state?.consecutive ?? 0;
    this.#total = options.state?.total ?? 0;
  }

  withMaxConsecutive(maxConsecutive: number): DenialTracker {
    count(maxConsecutive, 'maxConsecutive');
    return new DenialTracker({ maxConsecutive, maxTotal: this.#maxTotal, clock: this.#clock, state: this });
  }

  withMaxTotal(maxTotal: number): DenialTracker {
    count(maxTotal, 'maxTotal');
    return new DenialTracker({ maxConsecutive: this.#maxConsecutive, maxTotal, clock: this.#clock, state: this });
  }

  get consecutive(): number {
    return this.#consecutive;
  }

  get total(): number {
    return this.#total;
  }

  /** Epoch milliseconds. */
  get lastDenialTime(): number | undefined {
    return this.#lastDenialTime;
  }

  /** Counts a denial; with the call, it is denied again without a classifier. */
  recordDenial(call?: { readonly toolName: string; readonly input: unknown }): void {
    this.#consecutive += 1;
    this.#total += 1;
    this.#lastDenialTime = this.#clock.now();
    if (call !== undefined && this.#denied.size < MAX_REMEMBERED)
      this.#denied.add(denialKey(call.toolName, call.input));
  }

  /** Sets "in a row" to zero; the total never goes back. */
  reset(): void {
    this.#consecutive = 0;
  }

  shouldFallback(): boolean {
    return isOverThreshold(this.fact());
  }

  /** @internal The fact for `evaluateCall`; with a call, whether it was denied before. */
  fact(call?: { readonly toolName: string; readonly input: unknown }): DenialFact {
    return {
      consecutive: this.#consecutive,
      total: this.#total,
      maxConsecutive: this.#maxConsecutive,
      maxTotal: this.#maxTotal,
      deniedBefore:
        call === undefined || this.#denied.size === 0 ? false : this.#denied.has(denialKey(call.toolName, call.input)),
    };
  }
}
