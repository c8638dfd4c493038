/** Names the canary: a reserved agent whose calls show whether the gate decides as it must. */

/** Begins with a dash, as no name of a policy file does: nobody else can be it. The group of its approvers has the same name. */
export const CANARY = '-canary';

/** A tool that does not exist: a permit for it runs nothing. A policy file may not declare it. */
export const CANARY_TOOL = 'countersign-canary';

/** Ids that nobody has in Slack: a card of the canary is never posted. */
export const CANARY_CHANNEL = { team: 'T0', id: 'C0' } as const;
export const CANARY_OWNER = { team: 'T0', user: 'U0' } as const;
export const CANARY_APPROVER = { team: 'T0', user: 'U1' } as const;

/** One rule of the canary's own for each verdict. */
export const CANARY_VERDICTS = ['deny', 'ask', 'allow'] as const;
export type CanaryVerdict = (typeof CANARY_VERDICTS)[number];

/** A run compares each verdict, that a permit runs one call, and that a question which nobody answers expires. */
export const CANARY_CHECKS = [...CANARY_VERDICTS, 'redeem', 'expire'] as const;
export type CanaryCheckName = (typeof CANARY_CHECKS)[number];

/** Whether something concerns the canary and no agent: its figures are in no objective. */
export const isCanary = (agent: string | undefined): boolean => agent === CANARY;
