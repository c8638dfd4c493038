/** Builds the agent's result of a call that the gate ran: its output without secrets. */
import type { CallError, CallResult, ExecutionRequest } from '../../contract/execution.ts';
import { SCHEMA_VERSION } from '../../contract/primitives.ts';
import { changedPaths } from '../../domain/redaction/changed-paths.ts';
import { cutMarked } from '../../domain/redaction/text/marker.ts';
import type { GuardedResult } from '../../guardrails/settings/call.ts';
import { systemError } from '../../guardrails/settings/errors.ts';
import type { EndedCall } from '../../ports/stores/permit-store.ts';
import type { BaseDependencies } from '../dependencies.ts';
import type { Redactor } from '../redactor.ts';

export function endedOf({ effect, error, durationMs }: GuardedResult, startedAt: number): EndedCall {
  return {
    // Begun and yet not started: nobody can say.
    status: effect === 'succeeded' || effect === 'failed' ? effect : 'unknown',
    startedAt: new Date(startedAt).toISOString(),
    durationMs,
    ...(error ? { errorCode: error.code } : {}),
    reported: true,
  };
}

export async function resultOf(
  request: ExecutionRequest,
  { output, error, attempts, durationMs }: GuardedResult,
  { status }: EndedCall,
  deps: Pick<BaseDependencies, 'redactor' | 'clock'>,
): Promise<CallResult> {
  const shown = status === 'succeeded' ? await shownOutput(output ?? null, deps) : {};
  return {
    ...namesOf(request),
    status,
    permit: 'spent',
    ...(error ? { error: await shownError(error, deps.redactor) } : {}),
    ...shown,
    attempts,
    durationMs,
    endedAt: new Date(deps.clock.now()).toISOString(),
  };
}

/** Whether a result is of a run of this call: an agent may have used the id of its request for another one, or for what was refused. */
export const isOfRun = (known: CallResult | undefined, callId: string): known is RunResult =>
  known?.callId === callId && known.status !== 'refused';

type RunResult = CallResult & { readonly status: Exclude<CallResult['status'], 'refused'> };

type Shown = Pick<CallResult, 'output' | 'redactions' | 'error'>;

/** An output that no message holds, or that cannot be searched for secrets, is not shown: the call ran all the same. */
async function shownOutput(output: unknown, { redactor }: Pick<BaseDependencies, 'redactor'>): Promise<Shown> {
  try {
    JSON.stringify(output);
  } catch (cause) {
    return withheld('OutputNotJson', 'is none that JSON holds', cause);
  }
  try {
    const { value, found } = await redactor.json(output);
    return { output: value, ...(found ? { redactions: changedPaths(output, value, 'output') } : {}) };
  } catch (cause) {
    return withheld('RedactionFailed', 'could not be searched for secrets', cause);
  }
}

const withheld = (code: string, why: string, cause: unknown): Shown => ({
  error: systemError(code, `The call ran. Its output ${why}, and is not shown.`, cause).toToolError(),
});

type Names = Pick<CallResult, 'schemaVersion' | 'requestId' | 'proposalId' | 'callId'>;

export const namesOf = ({
  requestId,
  proposalId,
  callId,
}: Pick<ExecutionRequest, 'requestId' | 'proposalId' | 'callId'>): Names => ({
  schemaVersion: SCHEMA_VERSION,
  requestId,
  proposalId,
  callId,
});

/** An error as the agent reads it: what is wrong with an argument or a limit may quote it. */
export async function shownError(error: CallError, redactor: Redactor): Promise<CallError> {
  const message = cutMarked(await redactor.text(error.message), 1000);
  return { ...error, message, details: (await redactor.json(error.details)).value };
}
