/**
 * Holds examples of each word for the published JSON Schemas.
 *
 * A test checks each against its schema.
 */
const ACTION = '5c0ad5b2f66e7b1f0f6f6f2b0d5b1d6c3f1f4a0b8e9d7c6a5b4c3d2e1f0a9b8c';
const POLICY = 'a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f60718293a4b5c6d7e8f90';
const PID = '0f1e2d3c4b5a69788796a5b4c3d2e1f00f1e2d3c4b5a69788796a5b4c3d2e1f0';

const asked = { at: '2026-11-21T09:30:00Z', until: '2026-11-21T10:30:00Z' };
const call = { id: 'call-1', toolName: 'Refund', input: { orderId: 'o-7', amount: 25 } };
const permit = {
  permitId: 'permit-1',
  actionDigest: ACTION,
  permitEpoch: 0,
  issuedAt: asked.at,
  expiresAt: asked.until,
  guardrails: { effect: 'IdempotentWrite', timeoutMs: 10_000, maxRetries: 1 },
};
const byAlice = { type: 'human', id: 'T0DEMO/U0ALICE' };
const decided = {
  outcome: 'approved',
  message: 'Alice approved the call.',
  reasonCode: 'approved_by_human',
  decidedBy: byAlice,
};
const ran = { proposalId: 'p-1', callId: 'call-1', permitId: 'permit-1' };

export const EXAMPLES = {
  proposal: [
    {
      proposalId: 'p-1',
      toolName: 'Refund',
      input: call.input,
      title: 'Refund order o-7',
      reason: 'The parcel was lost.',
    },
    { proposalId: 'p-2', kind: 'cancel', cancels: 'p-1' },
  ],
  decision: [
    {
      schemaVersion: '2026-11-01',
      proposalId: 'p-1',
      ...decided,
      policyVersion: POLICY,
      actionDigest: ACTION,
      decidedAt: '2026-11-21T09:31:00Z',
      calls: [{ id: 'call-1', ...decided, actionDigest: ACTION, permit }],
    },
  ],
  approval: [
    {
      pid: PID,
      proposalId: 'p-3',
      agent: 'billing',
      owner: { team: 'T0DEMO', user: 'U0OLGA' },
      sessionId: 'main',
      version: 1,
      round: 1,
      status: 'pending',
      question: {
        kind: 'input',
        place: 'input',
        digest: ACTION,
        offers: ['respond', 'reject'],
        severity: 'medium',
        stages: [{ group: 'finance', quorum: 1, team: 'T0DEMO', channel: 'C0FINANCE' }],
        stagesDigest: PID,
        question: 'Which account pays?',
      },
      votes: [],
      requestedAt: asked.at,
      expiresAt: asked.until,
      policyVersion: POLICY,
    },
  ],
  permit: [permit],
  outcome: [{ ...ran, actionDigest: ACTION, status: 'succeeded', startedAt: '2026-11-21T09:31:01Z', durationMs: 420 }],
  'execution-request': [{ ...ran, toolName: 'Refund', input: call.input, requestId: 'run-1' }],
  'call-result': [
    {
      schemaVersion: '2026-11-01',
      requestId: 'run-1',
      proposalId: 'p-1',
      callId: 'call-1',
      status: 'succeeded',
      permit: 'spent',
      output: { refundId: 'r-9' },
      attempts: 1,
      durationMs: 420,
      endedAt: '2026-11-21T09:31:02Z',
    },
  ],
  'redeem-request': [{ ...ran, agent: 'billing', toolName: 'Refund', input: call.input }],
  'redeem-answer': [
    {
      granted: true,
      redemptionId: 'redemption-1',
      idempotencyKey: 'key-1',
      effect: 'IdempotentWrite',
      timeoutMs: 10_000,
      deadlineAt: '2026-11-21T09:31:11Z',
      reportBy: '2026-11-21T09:46:11Z',
    },
  ],
  'audit-entry': [
    {
      type: 'decided',
      pid: PID,
      proposalId: 'p-1',
      agent: 'billing',
      sessionId: 'main',
      recordedAt: '2026-11-21T09:31:00Z',
      policyVersion: POLICY,
    },
  ],
  'journal-entry': [
    { type: 'now', place: 'now', round: 0, at: asked.at },
    {
      type: 'classifier',
      place: 'classifier',
      round: 0,
      at: asked.at,
      by: 'patterns',
      answer: { state: 'answered', shouldBlock: false, reason: 'reads only', confidence: 0.9 },
    },
  ],
  operation: [
    {
      kind: 'pause',
      operationId: 'op-7f3a',
      reason: 'The payment provider is down.',
      scope: { tool: 'Refund' },
      effect: 'deny',
    },
  ],
} as const;
