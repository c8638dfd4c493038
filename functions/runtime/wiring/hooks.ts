/** Wires permission hooks, for `deliberate` alone. The first question loads SDK and secrets. */
import { postToHook } from '../../../shared/adapters/hooks/http.ts';
import { invokeHook } from '../../../shared/adapters/hooks/lambda.ts';
import type { Policy } from '../../../shared/config/compile.ts';
import type { Clock } from '../../../shared/ports/clock.ts';
import { systemTimers } from '../../../shared/ports/timers.ts';
import { type Hooks, isHookAnswer } from '../../../shared/use-cases/resolvers/call-hook.ts';
import { lambda } from '../clients/aws.ts';
import { cachedSecret } from '../clients/secrets.ts';
import { measured, readKey } from '../telemetry/dependencies.ts';

/** Undefined if the policy file names no hook. */
export function hooksOf({ settings }: Pick<Policy, 'settings'>, clock: Clock): Hooks | undefined {
  if (!Object.keys(settings.hooks).length) return undefined;
  const secretOf = cachedSecret(clock);
  return {
    caller: {
      call(target, body, signal, hook, timeoutMs) {
        const ask = async () => {
          if (target.kind === 'function') return invokeHook(await lambda(), target.name, body, signal);
          const secret = await readKey(() => secretOf(target.secret));
          return postToHook({ url: target.url, secret }, body, clock, signal);
        };
        return measured({ kind: 'hook', hook }, timeoutMs, ask, (text) => ({ isUsable: isHookAnswer(text) }));
      },
    },
    after: systemTimers.after,
  };
}
