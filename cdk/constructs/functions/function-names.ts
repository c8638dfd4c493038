/** Names the functions of the gate by their verbs; each has a file in `functions/`. */
/** Append only: apps of other releases find the gate's functions by their places here (`fromDeployment`). */
export const FUNCTIONS = [
  'evaluate',
  'deliberate',
  'request-approval',
  'resume',
  'slack-out',
  'slack',
  'converse',
  'operate',
  'reconcile',
  'redeem',
  'execute-tool',
  'record-outcome',
  'collect-outcomes',
  'archive-audit',
  'seal',
  'redrive',
  'send-webhooks',
  'canary',
] as const;
export type GateFunctionName = (typeof FUNCTIONS)[number];
