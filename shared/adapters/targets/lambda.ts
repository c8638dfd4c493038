/** Calls a tool that is a Lambda function, once: the SDK must not repeat the call. */
import { InvokeCommand, type LambdaClient } from '@aws-sdk/client-lambda';
import { providerThrottledError } from '../../guardrails/limits/limit-errors.ts';
import type { Attempt } from '../../guardrails/settings/call.ts';
import { executionError, type GuardrailError } from '../../guardrails/settings/errors.ts';
import { outputOf } from './output.ts';

interface LambdaTarget {
  readonly functionName: string;
  readonly toolName: string;
  readonly maxBytes: number;
  readonly origin: string;
}

/** The client has to have `maxAttempts: 1`. */
export async function callLambda(client: LambdaClient, target: LambdaTarget, attempt: Attempt): Promise<unknown> {
  const { input, idempotencyKey, correlationId, deadlineAt, signal } = attempt;
  const { functionName, toolName, maxBytes, origin } = target;
  const invoke = new InvokeCommand({
    FunctionName: functionName,
    Payload: Buffer.from(JSON.stringify({ toolName, input, idempotencyKey, correlationId, deadlineAt })),
  });
  const answer = await client.send(invoke, { abortSignal: signal }).catch((cause: unknown) => {
    throw failureOf(cause, origin);
  });
  // The function's error text and stack are dropped: they may hold anything.
  if (answer.FunctionError) throw executionError('The function of the tool failed.', { effect: 'unknown' });
  return outputOf(Buffer.from(answer.Payload ?? []).toString('utf8'), maxBytes);
}

/** Refused before it ran, or nobody knows. */
const REFUSED: ReadonlySet<string> = new Set([
  'AccessDeniedException',
  'ResourceNotFoundException',
  'InvalidRequestContentException',
  'RequestTooLargeException',
]);

function failureOf(cause: unknown, origin: string): GuardrailError {
  const name = cause instanceof Error ? cause.name : '';
  if (name === 'TooManyRequestsException') return providerThrottledError(origin);
  if (REFUSED.has(name))
    return executionError('The function of the tool cannot be invoked.', {
      code: 'TargetUnavailable',
      effect: 'failed',
      cause,
    });
  return executionError('The function of the tool could not be reached.', {
    code: 'TargetUnreachable',
    transient: true,
    effect: 'unknown',
    cause,
  });
}
