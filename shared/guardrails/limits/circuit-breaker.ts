/** Holds the circuit breaker's rules as pure functions over its row. No state, no clock. */
import type { CircuitRow, CircuitState } from '../../ports/stores/guardrail-state.ts';
import type { GuardrailError } from '../settings/errors.ts';
import type { Settings } from '../settings/settings.ts';

export type CircuitSettings = Pick<
  Settings,
  | 'circuitMode'
  | 'failureThreshold'
  | 'failureRatio'
  | 'windowCalls'
  | 'minimumCalls'
  | 'slowCallMs'
  | 'resetAfterMs'
  | 'halfOpenProbes'
>;

/** Plain data: a call may begin here and be reported from another process. */
export interface CircuitTicket {
  readonly epoch: number;
  readonly probeId?: string;
  /** Nothing to reset when the call was admitted, so that its success needs no write. */
  readonly clean: boolean;
}

type CircuitAdmission =
  | { readonly admitted: true; readonly row: CircuitRow; readonly ticket: CircuitTicket }
  | { readonly admitted: false; readonly state: 'open' | 'half-open'; readonly retryAfterMs: number };

export type CircuitResult = 'success' | 'failure' | 'neutral';

export const CLOSED: CircuitRow = { state: 'closed', epoch: 0, failures: 0, results: [], probeAt: 0, probes: [] };

/** A probe is leased: one whose caller died frees its place after `leaseMs`. */
export function admitCall(
  row: CircuitRow,
  settings: CircuitSettings,
  now: number,
  probe: { readonly id: string; readonly leaseMs: number },
): CircuitAdmission {
  if (row.state === 'closed') return { admitted: true, row, ticket: closedTicket(row, settings) };
  if (row.state === 'open' && now < row.probeAt)
    return { admitted: false, state: 'open', retryAfterMs: Math.ceil(row.probeAt - now) };
  const half: CircuitRow = row.state === 'half-open' ? row : { ...row, state: 'half-open', probes: [] };
  const alive = half.probes.filter(({ expiresAt }) => expiresAt > now);
  if (alive.length >= settings.halfOpenProbes) {
    const firstFree = Math.min(...alive.map(({ expiresAt }) => expiresAt));
    return { admitted: false, state: 'half-open', retryAfterMs: Math.ceil(firstFree - now) };
  }
  const probes = [...alive, { id: probe.id, expiresAt: now + probe.leaseMs }];
  return { admitted: true, row: { ...half, probes }, ticket: { epoch: half.epoch, probeId: probe.id, clean: false } };
}

/** For a call that meets a closed circuit. */
export const closedTicket = ({ epoch, failures }: CircuitRow, { circuitMode }: CircuitSettings): CircuitTicket => ({
  epoch,
  clean: failures === 0 && circuitMode === 'consecutive',
});

/** The row after one result; the same object if nothing changes. Results of an earlier epoch say nothing. */
export function recordResult(
  row: CircuitRow,
  settings: CircuitSettings,
  now: number,
  ticket: CircuitTicket,
  result: CircuitResult,
): CircuitRow {
  if (row.epoch !== ticket.epoch || row.state === 'open') return row;
  if (row.state === 'half-open') {
    // A probe whose lease ran out has no say any more: another one may have taken its place.
    if (!row.probes.some(({ id }) => id === ticket.probeId)) return row;
    if (result === 'success') return { ...CLOSED, epoch: row.epoch + 1 };
    if (result === 'failure') return opened(row, settings, now);
    return { ...row, probes: row.probes.filter(({ id }) => id !== ticket.probeId) };
  }
  if (result === 'neutral') return row;
  if (settings.circuitMode === 'consecutive') {
    if (result === 'success') return row.failures === 0 ? row : { ...row, failures: 0 };
    const failures = row.failures + 1;
    return failures >= settings.failureThreshold ? opened(row, settings, now) : { ...row, failures };
  }
  const results = [...row.results, { at: now, failed: result === 'failure' }].slice(-settings.windowCalls);
  const failed = results.filter((entry) => entry.failed).length;
  const enough = results.length >= Math.min(settings.minimumCalls, settings.windowCalls);
  if (enough && failed / results.length >= settings.failureRatio) return opened(row, settings, now);
  return { ...row, results };
}

const opened = (row: CircuitRow, { resetAfterMs }: CircuitSettings, now: number): CircuitRow => ({
  ...CLOSED,
  state: 'open',
  epoch: row.epoch,
  probeAt: now + resetAfterMs,
});

/**
 * Judges by a finished call whether its tool works. Refusals of the policy and of people never count,
 * and neither does a call that did not reach the tool.
 */
export function circuitResult(
  error: GuardrailError | undefined,
  durationMs: number,
  slowCallMs?: number,
): CircuitResult {
  if (!error) return slowCallMs !== undefined && durationMs > slowCallMs ? 'failure' : 'success';
  if (error.code === 'Cancelled') return 'neutral';
  if (error.category === 'ExecutionError' || error.category === 'SystemError') return 'failure';
  return error.category === 'PolicyError' && error.code === 'Timeout' ? 'failure' : 'neutral';
}

/** The state as a figure for metrics. */
export const CIRCUIT_GAUGE: Readonly<Record<CircuitState, number>> = { closed: 0, 'half-open': 1, open: 2 };
