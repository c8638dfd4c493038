/** The targets of the policy file with the clients and secrets that they need. */
import { INVOKE_OPTIONS } from '../../shared/adapters/client-options.ts';
import { targetTools } from '../../shared/adapters/targets/tools.ts';
import type { FindTool } from '../../shared/guardrails/call.ts';
import { systemClock } from '../../shared/ports/clock.ts';
import { lazy, lazyAsync } from './once.ts';
import { policy } from './policy.ts';
import { fetchSecret } from './secrets.ts';

/** The SDK never repeats a call of a tool: only the guardrails may, and only where a repetition does no harm. */
const lambda = lazyAsync(async () => {
  const { LambdaClient } = await import('./late/lambda.ts');
  return new LambdaClient(INVOKE_OPTIONS);
});

const KEEP_MS = 5 * 60_000;
const kept = new Map<string, { readonly at: number; readonly text: Promise<string> }>();

async function secret(name: string): Promise<string> {
  const now = systemClock.now();
  const known = kept.get(name);
  if (known && now - known.at < KEEP_MS) return known.text;
  const text = fetchSecret(name);
  kept.set(name, { at: now, text });
  text.catch(() => kept.delete(name));
  return text;
}

export const targets = lazy(
  (): FindTool => targetTools({ policy: policy().settings, lambda, secret, now: systemClock.now }),
);
