/** Declares handlers that decide each call: a person, a rule, or nobody. */
import type { ToolClass } from './tool.ts';

export type ApprovalDecision = { readonly type: 'allow' } | { readonly type: 'deny'; readonly reason: string };

/** The decisions as the contract spells them. */
export const ApprovalDecision = {
  Allow: { type: 'allow' },
  Deny: (reason: string) => ({ type: 'deny', reason }),
} as const satisfies Record<string, ApprovalDecision | ((reason: string) => ApprovalDecision)>;

/** Decides whether a tool of an agent may run. */
export interface ApprovalHandler {
  /**
   * May this tool run with this input? May wait as long as a person takes, and be called several times at once.
   * `signal` aborts when nobody waits for the answer any more, so that a prompt can be withdrawn.
   */
  approve(
    toolName: string,
    input: unknown,
    toolClass: ToolClass,
    signal: AbortSignal,
  ): Promise<ApprovalDecision> | ApprovalDecision;
}

/** The handler of programs that ask for none: everything may run. */
export const AutoApprove: ApprovalHandler = { approve: () => ApprovalDecision.Allow };
