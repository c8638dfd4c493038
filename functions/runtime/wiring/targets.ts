/** Wires the targets of the policy file with the clients and secrets that they need. */
import { targetTools } from '../../../shared/adapters/targets/tools.ts';
import type { FindTool } from '../../../shared/guardrails/settings/call.ts';
import { systemClock } from '../../../shared/ports/clock.ts';
import { lambda } from '../clients/aws.ts';
import { cachedSecret } from '../clients/secrets.ts';
import { lazy } from '../lazy.ts';
import { policy } from '../policy.ts';

export const targets = lazy(
  (): FindTool =>
    targetTools({ policy: policy().settings, lambda, secret: cachedSecret(systemClock), now: systemClock.now }),
);
