/** What the agent reads of a call that the gate ran: its output without its secrets, whatever the tool answered (D33, G37). */
import type { CallError, CallResult, ExecutionRequest } from '../contract/execution.ts';
import { SCHEMA_VERSION } from '../contract/primitives.ts';
import { systemError, type ToolResult } from '../guardrails/index.ts';
import type { EndedCall } from '../ports/permit-store.ts';
import type { GateBase } from './gate.ts';

export function endedOf({ effect, error, durationMs }: ToolResult, startedAt: number): EndedCall {
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
  { output, error, attempts, durationMs }: ToolResult,
  { status }: EndedCall,
  gate: Pick<GateBase, 'redactor' | 'clock'>,
): Promise<CallResult> {
  const shown = status === 'succeeded' ? await shownOutput(output ?? null, gate) : {};
  return {
    ...namesOf(request),
    status,
    permit: 'spent',
    ...(error ? { error: withoutExcess(error) } : {}),
    ...shown,
    attempts,
    durationMs,
    endedAt: new Date(gate.clock.now()).toISOString(),
  };
}

type Shown = Pick<CallResult, 'output' | 'redactions' | 'error'>;

/** What cannot be looked through is not shown: the call ran all the same. */
async function shownOutput(output: unknown, { redactor }: Pick<GateBase, 'redactor'>): Promise<Shown> {
  try {
    const { value, found } = await redactor.json(output);
    return { output: value, ...(found ? { redactions: changed(output, value) } : {}) };
  } catch (cause) {
    const error = systemError(
      'RedactionFailed',
      'The output could not be searched for secrets, and is not shown.',
      cause,
    );
    return { error: error.toToolError() };
  }
}

const MOST_PATHS = 100;
const MOST_PATH = 300;

/** Where secrets were taken out, as in `accounts[2].key`. A name that held one is shown without it. */
function changed(before: unknown, after: unknown): string[] {
  const paths: string[] = [];
  const visit = (one: unknown, other: unknown, path: string): void => {
    if (one === other || paths.length >= MOST_PATHS) return;
    if (isObject(one) && isObject(other)) {
      const [from, to] = [Object.entries(one), Object.entries(other)];
      for (const [index, [name, value]] of to.entries()) {
        const at = Array.isArray(other) ? `${path}[${name}]` : path ? `${path}.${name}` : name;
        const [formerly, was] = from[index] ?? [];
        if (formerly === name) visit(was, value, at);
        else paths.push(at.slice(0, MOST_PATH));
      }
    } else paths.push((path || 'output').slice(0, MOST_PATH));
  };
  visit(before, after, '');
  return paths;
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

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

export const withoutExcess = (error: CallError): CallError => ({ ...error, message: error.message.slice(0, 1000) });
