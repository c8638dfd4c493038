/** Calls permission hooks at an address: one signed POST, no redirect, a bounded answer. */
import { CountersignError } from '../../domain/errors.ts';
import { canSign, messageIdOf, signedHeaders } from '../../domain/record/webhook-signature.ts';
import type { Clock } from '../../ports/clock.ts';

export class HookError extends CountersignError {
  override readonly name = 'HookError';
  /** The HTTP status of its answer, if that is the fault. */
  readonly status?: number;
  constructor(code: string, message: string, status?: number) {
    super(code, message);
    if (status !== undefined) this.status = status;
  }
}

const MAX_BYTES = 64 * 1024;

export async function postToHook(
  { url, secret }: { readonly url: string; readonly secret: string },
  body: string,
  clock: Clock,
  signal: AbortSignal,
): Promise<string> {
  if (!canSign(secret)) throw new HookError('hook_secret', 'the secret of the hook is empty, or has an empty key');
  // The body names the call: a question that is asked again, after a crash, is the same message.
  const headers = signedHeaders(secret, clock.now(), body, messageIdOf(body));
  const response = await fetch(url, { method: 'POST', headers, body, redirect: 'error', signal });
  if (!response.ok)
    throw new HookError('hook_status', `the hook answered with status ${response.status}`, response.status);
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > MAX_BYTES) throw new HookError('hook_answer', 'the answer of the hook is too long');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
