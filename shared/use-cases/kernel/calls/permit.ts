/** Issues the right to run one approved call once. Only `redeem` reserves anything. */
import { definitionOf, resolveCall } from '../../../config/readers/guardrails-of.ts';
import type { AllowedBy, Permit } from '../../../contract/index.ts';
import { auditDigest, lengthDelimited } from '../../../domain/digest.ts';
import type { Session } from '../state/session.ts';
import type { KernelPorts } from './authorization/authorize-call.ts';

/** How long a permit lasts. */
const LASTS_MS = { automatic: 15 * 60 * 1000, human: 24 * 60 * 60 * 1000 } as const;

interface PermittedCall {
  readonly id: string;
  readonly toolName: string;
  readonly actionDigest: string;
  readonly allowedBy: AllowedBy;
}

/**
 * Derives the permit of a call; a repeated run derives the same one. The id is keyed: only a reader of the decision knows it, and IAM shows a
 * decision to its own agent only.
 */
export function permitOf(
  { id, toolName, actionDigest, allowedBy }: PermittedCall,
  { pid, agent, control }: Pick<Session, 'pid' | 'agent' | 'control'>,
  by: keyof typeof LASTS_MS,
  { policy, digestKey }: Pick<KernelPorts, 'policy' | 'digestKey'>,
  now: number,
): Permit {
  const { settings, effect } = resolveCall(policy, { toolName, agentId: agent, now });
  const definition = definitionOf(policy.settings, toolName);
  return {
    permitId: permitIdOf(pid, id, actionDigest, digestKey),
    actionDigest,
    ...(definition ? { definition } : {}),
    allowedBy,
    permitEpoch: control.permitEpoch,
    issuedAt: new Date(now).toISOString(),
    expiresAt: new Date(now + LASTS_MS[by]).toISOString(),
    guardrails: { effect, timeoutMs: settings.timeoutMs, maxRetries: settings.maxRetries },
  };
}

function permitIdOf(pid: string, callId: string, actionDigest: string, key: Uint8Array): string {
  return auditDigest(lengthDelimited(['permit', pid, callId, actionDigest]), key).slice(0, 32);
}
