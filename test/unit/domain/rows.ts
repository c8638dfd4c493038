/** Makes an approval that waits, and people who may or may not answer it. */
import type { Approval } from '../../../shared/contract/index.ts';
import type { Ballot, Voter } from '../../../shared/domain/approval/approval.ts';
import { sha256Hex } from '../../../shared/domain/digest.ts';

export const ASKED = Date.parse('2026-11-21T09:00:00.000Z');
export const HOUR = 3_600_000;
const QUESTION = sha256Hex('question');

export function waiting(over: Partial<Approval> = {}): Approval {
  const digest = sha256Hex('any');
  return {
    pid: digest,
    proposalId: 'p1',
    agent: 'coder',
    owner: { team: 'T1', user: 'OWNER' },
    sessionId: 'main',
    version: 0,
    round: 1,
    status: 'pending',
    question: {
      kind: 'calls',
      offers: ['approve', 'edit', 'reject'],
      severity: 'medium',
      place: 'calls',
      digest: QUESTION,
      calls: [{ id: 'call', toolName: 'Bash', actionDigest: digest, why: 'a rule', severity: 'medium' }],
      stages: [{ group: 'platform', quorum: 1, team: 'T1', channel: 'C1' }],
      stagesDigest: digest,
    },
    votes: [],
    requestedAt: new Date(ASKED).toISOString(),
    expiresAt: new Date(ASKED + HOUR).toISOString(),
    policyVersion: digest,
    ...over,
  };
}

/** Somebody who is in every group that a test asks, unless told otherwise. */
export function voter(user: string, over: Partial<Voter> = {}): Voter {
  const seats = ['platform', 'security', 'managers'].map((group) => ({ group }));
  return { person: { team: 'T1', user }, isBot: false, seats, ...over };
}

export function ballot(choice: 'approve' | 'reject', over: { questionDigest?: string; reason?: string } = {}): Ballot {
  return { choice, questionDigest: QUESTION, via: 'slack', ...(choice === 'reject' ? { reason: 'no' } : {}), ...over };
}
