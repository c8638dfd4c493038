/** The functions of the gate, each named by its verb; a file of `functions/` each. */
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
