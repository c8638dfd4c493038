/** Names the queues, the table and the function that agents of a gate in memory reach. */

export const NAMES = {
  deployment: 'dev',
  proposals: 'countersign-dev-proposals',
  outcomes: 'countersign-dev-outcomes',
  audit: 'countersign-dev-audit',
  redeem: 'countersign-dev-redeem',
} as const;

/** The account that AWS's own examples use. */
const ACCOUNT = '111122223333';

/** Any would do: nothing is elsewhere. */
export const REGION = 'us-east-1';

export const queueUrl = (endpoint: string, name: string): string => `${endpoint}/${ACCOUNT}/${name}`;

export const INVOCATION_PATH = `/2015-03-31/functions/${NAMES.redeem}/invocations`;
