/** Turns the pipeline's verdict into the decision of the contract. */
import type { Decided } from '../model/types.ts';
import type { PermissionDecision } from './config.ts';

/** An ask that no rule asked for is `require_approval`; an error is a denial that says why. */
export function decisionOf(verdict: Decided): PermissionDecision {
  const base = {
    reason: verdict.reason,
    source: verdict.source,
    message: verdict.message,
    suggestions: verdict.suggestions,
    severity: verdict.severity,
    rule: verdict.rule?.id,
    humanRequired: verdict.humanRequired,
  };
  switch (verdict.verdict) {
    case 'allow':
      return {
        ...base,
        decision: 'allow',
        ...(verdict.effective === undefined ? {} : { modifiedArgs: verdict.effective }),
      };
    case 'ask':
      return { ...base, decision: isAskedByRule(verdict) ? 'ask' : 'require_approval' };
    case 'error':
      return { ...base, decision: 'deny', error: verdict.code ?? verdict.reason };
    default:
      return { ...base, decision: 'deny' };
  }
}

/** A rule of the session asks, or one of the parent, whose decision is used (R4-043). */
const isAskedByRule = ({ rule, reason, humanRequired }: Decided): boolean =>
  rule !== undefined || (reason === 'bubble' && humanRequired === true);
