/**
 * Measures calls of models and hooks: calls, errors by kind, latency, tokens and cost.
 *
 * Each failed call is a line of the log.
 */
import { ApiError, NetworkError, ParseError, type TokenUsage } from '../../../shared/ports/llm-client.ts';
import { systemTimers } from '../../../shared/ports/timers.ts';
import { type Dependency, figuresOfCall } from './dependency-figures.ts';
import { faultOf } from './fault.ts';
import { log, measure } from './observe.ts';

/** Errors of reading a key, which the record names as they are. */
const withoutKey = new WeakSet<object>();

/** Reads the key of a model or a hook; a failed call is known to have had none. */
export async function readKey(read: () => Promise<string>): Promise<string> {
  try {
    return await read();
  } catch (error) {
    if (typeof error === 'object' && error !== null) withoutKey.add(error);
    throw error;
  }
}

/** Reads an answer. `isUsable` is false for an answer that arrived but cannot be used. */
interface Read {
  readonly usage?: TokenUsage | undefined;
  readonly isUsable: boolean;
}

/**
 * Runs one call and writes its figures when it ends, or after `timeoutMs`: nobody waits for it then.
 *
 * @throws what the call throws
 */
export async function measured<Answer>(
  dependency: Dependency,
  timeoutMs: number,
  call: () => Promise<Answer>,
  read: (answer: Answer) => Read,
): Promise<Answer> {
  const begun = performance.now();
  let isTold = false;
  const tell = (code: string | undefined, usage?: TokenUsage, error?: unknown) => {
    if (isTold) return;
    isTold = true;
    cancel();
    const latencyMs = Math.round(performance.now() - begun);
    for (const figures of figuresOfCall(dependency, { code, usage, latencyMs })) measure(figures);
    if (code === undefined) return;
    const facts = error === undefined ? {} : faultOf(error);
    const name = dependency.kind === 'model' ? dependency.model : dependency.hook;
    log('warn', `a ${dependency.kind} gave no answer that can be used`, {
      ...facts,
      dependency: name,
      ...(dependency.kind === 'model' ? { use: dependency.use } : {}),
      kind: code,
      latencyMs,
    });
  };
  const cancel = systemTimers.after(timeoutMs, () => tell('timeout'));
  try {
    const answer = await call();
    const { usage, isUsable } = read(answer);
    tell(isUsable ? undefined : 'garbled', usage);
    return answer;
  } catch (error) {
    tell(kindOf(error), undefined, error);
    throw error;
  }
}

/** The kind of the error. There are few kinds, because each is a series of its own. */
export function kindOf(error: unknown): string {
  if (typeof error !== 'object' || error === null) return 'other';
  if (withoutKey.has(error)) return 'no_secret';
  if (error instanceof ParseError) return 'garbled';
  if (error instanceof ApiError) return kindOfStatus(error.status);
  const { code, status } = error as { readonly code?: unknown; readonly status?: unknown };
  if (code === 'hook_secret') return 'no_secret';
  if (code === 'hook_answer') return 'garbled';
  if (code === 'hook_status') return kindOfStatus(status);
  if (code === 'hook_failed') return 'failed';
  // `fetch` throws a TypeError where nobody answers.
  if (error instanceof NetworkError || error instanceof TypeError) return 'network';
  // AWS refuses to invoke the function of a hook.
  const { status: answered } = faultOf(error);
  return answered === undefined ? 'other' : kindOfStatus(answered);
}

function kindOfStatus(status: unknown): string {
  if (status === 429) return 'http_429';
  return Number(status) >= 500 ? 'http_5xx' : 'http_4xx';
}
