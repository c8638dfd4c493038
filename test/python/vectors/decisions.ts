/** Builds decisions of every outcome, each as its row holds it and as agents read it. */
import { type CallDecision, type Decision, decision } from '../../../shared/contract/decision.ts';
import { attributesOf } from '../../../shared/dev/endpoint/dynamo-json.ts';
import { actionDigest, sha256Hex } from '../../../shared/domain/digest.ts';

const HUMAN = { type: 'human', id: 'T1/U2' } as const;
const RULE = { type: 'rule', id: 'Bash(git status:*)' } as const;
const REFUND = { toolName: 'Refund', input: { orderId: 'o-1', amount: 25.5 } } as const;

/** The call `REFUND` with the amount that a person made of it. */
const EDITED = { ...REFUND, input: { ...REFUND.input, amount: 5, reference: sha256Hex('a digest within an input') } };

const permitOf = (digest: string, more: Partial<NonNullable<CallDecision['permit']>> = {}) => ({
  permitId: sha256Hex(`permit of ${digest}`).slice(0, 32),
  actionDigest: digest,
  permitEpoch: 3,
  issuedAt: '2026-11-21T09:00:00.000Z',
  expiresAt: '2026-11-21T09:15:00.000Z',
  ...more,
});

const verdict = {
  approved: {
    outcome: 'approved',
    message: 'Alice approved it. Run it now.',
    reasonCode: 'approved',
    decidedBy: HUMAN,
  },
  allowed: { outcome: 'approved', message: 'A rule allows it.', reasonCode: 'rule', decidedBy: RULE },
  denied: { outcome: 'denied', message: 'Too much. Do not ask again.', reasonCode: 'rejected', decidedBy: HUMAN },
} as const;

const common = { policyVersion: sha256Hex('policy'), decidedAt: '2026-11-21T09:00:00.000Z' };

function one(id: string, verdictOfAll: Omit<Decision, keyof typeof common | 'calls' | 'schemaVersion' | 'proposalId'>) {
  return (...calls: readonly CallDecision[]): Decision =>
    decision.parse({ schemaVersion: '2026-11-01', proposalId: id, ...common, ...verdictOfAll, calls });
}

const refund = actionDigest(REFUND);
const edited = actionDigest(EDITED);
const status = actionDigest({ toolName: 'Bash', input: { command: 'git status' }, cwd: '/srv/app' });

const DECISIONS: Readonly<Record<string, Decision>> = {
  'allowed by a rule': one('p-rule', { ...verdict.allowed, actionDigest: status })({
    id: 'call',
    ...verdict.allowed,
    actionDigest: status,
    permit: permitOf(status),
  }),
  'approved, with guardrails, a definition and a state': one('p-person', {
    ...verdict.approved,
    actionDigest: refund,
    state: '',
  })({
    id: 'c-1',
    ...verdict.approved,
    actionDigest: refund,
    permit: permitOf(refund, {
      definition: sha256Hex('definition'),
      guardrails: { effect: 'NonIdempotentWrite', timeoutMs: 8000, maxRetries: 0 },
    }),
  }),
  'approved with other arguments, one of them a digest': one('p-edit', { ...verdict.approved, actionDigest: edited })({
    id: 'c-1',
    ...verdict.approved,
    reasonCode: 'edited',
    actionDigest: edited,
    effective: { input: EDITED.input, proposedDigest: refund },
    permit: permitOf(edited, { guardrails: { effect: 'Pure', timeoutMs: 1.5, maxRetries: 2 } }),
  }),
  'two calls, one of them refused': one('p-two', {
    ...verdict.approved,
    message: '1 of 2 calls is approved.',
    actionDigest: sha256Hex(`${refund}${status}`),
  })(
    { id: 'c-1', ...verdict.approved, actionDigest: refund, permit: permitOf(refund) },
    { id: 'c-2', ...verdict.denied, actionDigest: status },
  ),
  'refused, in several scripts': one('p-no', { ...verdict.denied, message: 'Nein – 不行 🚫', actionDigest: refund })({
    id: 'c-1',
    ...verdict.denied,
    message: 'Nein – 不行 🚫',
    actionDigest: refund,
  }),
  'expired, without a person': one('p-late', {
    outcome: 'expired',
    message: 'Nobody answered in time.',
    reasonCode: 'expired',
    decidedBy: { type: 'system', id: 'gate' },
    actionDigest: refund,
  })({
    id: 'c-1',
    outcome: 'expired',
    message: 'Nobody answered in time.',
    reasonCode: 'expired',
    decidedBy: { type: 'system', id: 'gate' },
    actionDigest: refund,
  }),
  'a question, answered': one('p-question', {
    outcome: 'answered',
    message: 'Alice answered: Berlin',
    reasonCode: 'answered',
    decidedBy: HUMAN,
    actionDigest: null,
    answer: 'Berlin',
  })(),
  'a choice, answered with an action': one('p-choice', {
    outcome: 'answered',
    message: 'Do it.',
    reasonCode: 'answered',
    decidedBy: { type: 'policy', id: 'risk-based' },
    actionDigest: sha256Hex('action'),
    answer: { flow_id: 'refund', persona_id: 'seller', instance_bindings: { order: ['o-1', sha256Hex('o-2')] } },
  })(),
  'a message that could not be read': {
    ...one('x', {
      outcome: 'error',
      message: 'The message is not JSON.',
      reasonCode: 'invalid_json',
      decidedBy: { type: 'system', id: 'reader' },
      actionDigest: null,
      messageId: 'm-1',
      rawDigest: sha256Hex('{'),
    })(),
    proposalId: null,
  },
  'of a later version': {
    ...one('p-later', { ...verdict.denied, actionDigest: refund })({
      id: 'c-1',
      ...verdict.denied,
      actionDigest: null,
    }),
    schemaVersion: '2027-05-01',
  },
};

export const decisionVectors = () =>
  Object.entries(DECISIONS).map(([name, each]) => ({
    name,
    stored: attributesOf({ decision: each }).decision,
    decision: each,
  }));
