/** Calls a tool at an HTTPS endpoint: its input as a JSON POST, once, without redirects. */
import { providerThrottledError } from '../../guardrails/limits/limit-errors.ts';
import type { Attempt } from '../../guardrails/settings/call.ts';
import { executionError, GuardrailError } from '../../guardrails/settings/errors.ts';
import { outputOf, retryAfterOf, tooLarge } from './output.ts';

interface HttpsTarget {
  readonly url: string;
  readonly maxBytes: number;
  /** Names whose bucket a 429 closes. */
  readonly origin: string;
  readonly token?: (() => Promise<string>) | undefined;
  readonly now: () => number;
}

export async function callHttps(target: HttpsTarget, attempt: Attempt): Promise<unknown> {
  const { input, idempotencyKey, correlationId, signal, deadlineAt } = attempt;
  const token = await target.token?.();
  const headers = {
    'content-type': 'application/json',
    accept: 'application/json',
    'x-correlation-id': correlationId,
    'x-deadline': new Date(deadlineAt).toISOString(),
    ...(idempotencyKey ? { 'idempotency-key': idempotencyKey } : {}),
    ...(token ? { authorization: `Bearer ${token}` } : {}),
  };
  const request = { method: 'POST', headers, body: JSON.stringify(input), signal, redirect: 'error' } as const;
  const response = await fetch(target.url, request).catch((cause: unknown) => {
    throw unreachable(cause);
  });
  if (response.ok) return outputOf(await bodyOf(response, target.maxBytes), target.maxBytes);
  // The answer beside its status is not for the agent: it may hold anything.
  await response.body?.cancel().catch(() => undefined);
  throw refusalOf(response, target);
}

/** Never connected is surely not run; anything later may have been. */
function unreachable(cause: unknown): GuardrailError {
  const code = codeOf(cause);
  const surely =
    code === 'ECONNREFUSED' ||
    code === 'ENOTFOUND' ||
    code === 'CERT_HAS_EXPIRED' ||
    code === 'DEPTH_ZERO_SELF_SIGNED_CERT';
  return executionError('The tool could not be reached.', {
    code: 'TargetUnreachable',
    transient: true,
    effect: surely ? 'failed' : 'unknown',
    cause,
  });
}

function codeOf(cause: unknown): unknown {
  const inner = cause instanceof Error ? cause.cause : undefined;
  return inner && typeof inner === 'object' && 'code' in inner ? inner.code : undefined;
}

function refusalOf({ status, headers }: Response, { origin, now }: HttpsTarget): GuardrailError {
  const retryAfterMs = retryAfterOf(headers.get('retry-after'), now());
  if (status === 429) return providerThrottledError(origin, retryAfterMs);
  const message = `The tool answered with status ${status}.`;
  if (status >= 500 || status === 408) {
    const details = retryAfterMs === undefined ? {} : { retryAfterMs };
    return new GuardrailError('ExecutionError', 'ToolFailed', message, {
      details,
      isRetryable: true,
      effect: 'unknown',
    });
  }
  // A mistake of the caller is no failure of the tool: one agent's bad input must not open its circuit for all.
  const category = REFUSED.get(status);
  if (category) return new GuardrailError(category, 'TargetRefused', message, { effect: 'failed' });
  return executionError(message, { effect: 'failed' });
}

/** Statuses that say of the request what is wrong with it. */
const REFUSED: ReadonlyMap<number, 'ContractError' | 'AuthError'> = new Map([
  [400, 'ContractError'],
  [401, 'AuthError'],
  [403, 'AuthError'],
  [409, 'ContractError'],
  [413, 'ContractError'],
  [415, 'ContractError'],
  [422, 'ContractError'],
]);

/** Read to its end, or to the limit: an endless body is not read on. */
async function bodyOf(response: Response, maxBytes: number): Promise<string> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  try {
    for await (const part of response.body ?? []) {
      bytes += part.byteLength;
      if (bytes > maxBytes) throw tooLarge(maxBytes);
      parts.push(part);
    }
  } catch (error) {
    throw error instanceof GuardrailError ? error : unreachable(error);
  }
  return Buffer.concat(parts).toString('utf8');
}
