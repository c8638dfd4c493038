/** Runs what was approved: by the gate, or by the agent's own tool under a redeemed permit. */
import { MESSAGE_VERSIONS } from '../../contract/bounds.ts';
import type { CallResult } from '../../contract/execution.ts';
import type { Permit } from '../../contract/permit.ts';
import type { DigestedAction } from '../../domain/digest.ts';
import { timeoutError } from '../../guardrails/limits/limit-errors.ts';
import type { GuardrailError } from '../../guardrails/settings/errors.ts';
import { cancelledError } from '../../guardrails/time/retry.ts';
import type { ProposalQueue, Redeemer } from '../../ports/agent-side.ts';
import type { ResultReader } from '../../ports/stores/result-store.ts';
import { NoResultError } from '../calls/errors.ts';
import type { Links } from '../calls/folder.ts';
import { FailingReads } from '../exchange/failing-reads.ts';
import { degraded, errorOf, failureOf } from './refused-run.ts';
import { type Running, type RunOptions, whenFree } from './when-free.ts';

/** An approved call with its permit. */
export interface Permitted {
  readonly agent: string;
  readonly proposalId: string;
  readonly callId: string;
  readonly permit: Permit;
  /** Without its input: what people approved, which the gate keeps. */
  readonly action: Omit<DigestedAction, 'input'> & { readonly input?: Readonly<Record<string, unknown>> };
  /** Present if the folder of the call leads elsewhere than when it was proposed: the gate then refuses it. */
  readonly fs?: Links | undefined;
  /** Guardrail settings of this call alone: they only tighten. */
  readonly limits?: Readonly<Record<string, number>> | undefined;
}

const requestOf = ({ proposalId, callId, permit, action, limits }: Permitted) => ({
  schemaVersion: MESSAGE_VERSIONS[0],
  proposalId,
  callId,
  permitId: permit.permitId,
  ...action,
  ...(limits ? { limits } : {}),
});

const READ_EVERY_MS = 250;
const LATER_MS = 2_000;
const SOON_MS = 10_000;

/** The longest run of the gate, begun in the permit's last moment, and the time until the reconciler has told what became of it. */
const AFTER_PERMIT_MS = 10 * 60_000;

/**
 * Has the gate run the call. By default it waits until the permit has expired and a run that began before must be over.
 * @throws NoResultError after the time-out, or where results cannot be read: the gate may still run it, so it must not be run elsewhere.
 */
export async function runByGate(
  call: Permitted,
  { executions, results }: { readonly executions: ProposalQueue; readonly results: ResultReader },
  pid: string,
  { timeoutMs, signal }: { readonly timeoutMs: number | undefined; readonly signal: AbortSignal | undefined },
  { clock, newId, sleep }: Running,
): Promise<CallResult> {
  // The gate would run a call that its caller was told had ended.
  signal?.throwIfAborted();
  const requestId = newId();
  await executions.publish(JSON.stringify({ ...requestOf(call), requestId }), call.agent);
  const began = clock.now();
  const end = timeoutMs ?? Math.max(0, Date.parse(call.permit.expiresAt) - began) + AFTER_PERMIT_MS;
  const failing = new FailingReads(clock);
  for (;;) {
    signal?.throwIfAborted();
    const waited = clock.now() - began;
    const isLast = waited >= end;
    const read = results.read(call.agent, pid, requestId, isLast ? 'latest' : 'likely');
    const result = await failing.orUndefined(read, (cause) => new NoResultError(call.proposalId, { cause }));
    if (result) return result;
    if (isLast) throw new NoResultError(call.proposalId);
    await sleep(Math.min(waited < SOON_MS ? READ_EVERY_MS : LATER_MS, end - waited), signal);
  }
}

/**
 * Redeems the permit, runs the tool within the deadline that was granted, and reports the outcome. The gate records an outcome that cannot be
 * reported as unknown. @throws GuardrailError if the tool may not run now, or did not end in time; the tool's own errors.
 */
export async function runUnderPermit<Output>(
  call: Permitted,
  run: (granted: { readonly signal: AbortSignal; readonly idempotencyKey: string }) => Promise<Output> | Output,
  { redeemer, outcomes }: { readonly redeemer: Redeemer; readonly outcomes: ProposalQueue },
  { signal, fallback, waits, isNamed }: RunOptions<Output>,
  { clock, sleep }: Running,
): Promise<Output> {
  const request = { ...requestOf(call), agent: call.agent, ...(call.fs ? { fs: call.fs } : {}) };
  const redeem = () => redeemer.redeem(request);
  const answer = waits ? await whenFree(redeem, call.permit, waits, { clock, sleep }) : await redeem();
  const open = { ...call, permit: answer.granted || !isNamed ? undefined : answer.permit };
  if (!answer.granted) return degraded(errorOf(answer.error, 'refused', open), fallback);
  const startedAt = clock.now();
  let isReported = false;
  const report = async (status: 'succeeded' | 'failed' | 'unknown', error?: GuardrailError) => {
    isReported = true;
    const { proposalId, callId, permit } = call;
    // A tool may put anything into the text of its error, and the record keeps it: the text stays with the agent.
    const outcome = {
      schemaVersion: MESSAGE_VERSIONS[0],
      proposalId,
      callId,
      permitId: permit.permitId,
      actionDigest: permit.actionDigest,
      status,
      startedAt: new Date(startedAt).toISOString(),
      durationMs: clock.now() - startedAt,
      ...(error ? { error: { category: error.category, code: error.code, message: '' } } : {}),
    };
    await outcomes.publish(JSON.stringify(outcome), call.agent).catch(() => undefined);
  };
  const ending = waits?.until ?? signal;
  if (ending?.aborted) {
    // The permit is spent, and nobody waits for the tool any more.
    await report('failed', cancelledError());
    throw ending.reason;
  }
  const { timeoutMs, idempotencyKey } = answer;
  const [over, deadline] = [new AbortController(), new AbortController()];
  const stops = { idempotencyKey, signal: AbortSignal.any([deadline.signal, ...(signal ? [signal] : [])]) };
  const late = sleep(timeoutMs, over.signal).then(
    () => 'late' as const,
    () => 'late' as const,
  );
  try {
    const ran = await Promise.race([
      Promise.resolve()
        .then(() => run(stops))
        .then((output) => ({ output })),
      late,
    ]);
    if (ran === 'late') {
      // The call's permit is spent: nothing tries the call again by itself.
      const timedOut = timeoutError(clock.now() - startedAt, timeoutMs, 'unknown').with({ isRetryable: false });
      deadline.abort(timedOut);
      await report('unknown', timedOut);
      throw timedOut;
    }
    await report('succeeded');
    return ran.output;
  } catch (thrown) {
    if (isReported) throw thrown;
    const known = failureOf(thrown, signal);
    await report(known.effect === 'unknown' ? 'unknown' : 'failed', known);
    throw thrown;
  } finally {
    over.abort();
  }
}
