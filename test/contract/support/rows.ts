/** Makes valid rows for the contract of the stores, under ids that no other test uses. */
import { randomUUID } from 'node:crypto';
import type { Approval, Decision, HumanAnswer, JournalEntry, Vote } from '../../../shared/contract/index.ts';
import { SCHEMA_VERSION } from '../../../shared/contract/primitives.ts';
import { sha256Hex } from '../../../shared/domain/digest.ts';
import type { AuditRecord } from '../../../shared/ports/stores/audit-log.ts';
import type { Claim, Opening } from '../../../shared/ports/stores/claim-store.ts';

export const START = Date.parse('2026-11-21T09:00:00.000Z');
export const at = (ms: number): string => new Date(START + ms).toISOString();
const POLICY = sha256Hex('policy');

/** The names and the subject of one test. */
export interface Case {
  readonly pid: string;
  readonly agent: string;
  readonly group: string;
}

export function newCase(over: Partial<Case> = {}): Case {
  const id = randomUUID();
  return { pid: sha256Hex(id), agent: `agent-${id}`, group: `group-${id}`, ...over };
}

export function decisionOf(outcome: Decision['outcome'], message = `It was ${outcome}.`): Decision {
  return {
    schemaVersion: SCHEMA_VERSION,
    proposalId: 'p1',
    outcome,
    message,
    reasonCode: outcome,
    decidedBy: { type: 'system', id: 'test' },
    policyVersion: POLICY,
    actionDigest: null,
    decidedAt: at(0),
    calls: [],
  };
}

export function recordOf(
  { pid, agent }: Case,
  sort: string,
  more: { readonly decision?: Decision; readonly recordedAt?: string; readonly detail?: string } = {},
): AuditRecord {
  const { decision, recordedAt = at(0), detail } = more;
  const type = sort === 'evaluated' || sort === 'decided' ? sort : 'vote';
  return {
    key: { agent, pid, sort },
    entry: { type, pid, proposalId: 'p1', agent, recordedAt, policyVersion: POLICY, ...(detail ? { detail } : {}) },
    ...(decision ? { decision } : {}),
  };
}

export function claimOf(about: Case, verdict: Claim['verdict'], content = 'content', decision?: Decision): Claim {
  const record = recordOf(about, 'evaluated', decision ? { decision } : {});
  return { record, verdict, contentDigest: sha256Hex(content) };
}

export function approvalOf({ pid, agent, group }: Case): Approval {
  const stages = [{ group, quorum: 1, team: 'T0DEMO', channel: 'C0APPROVALS' }];
  const call = { id: 'call', toolName: 'Bash', actionDigest: sha256Hex('action'), why: 'a rule', severity: 'medium' };
  return {
    pid,
    proposalId: 'p1',
    agent,
    owner: { team: 'T0DEMO', user: 'U0OLGA' },
    sessionId: 'main',
    version: 0,
    round: 1,
    status: 'pending',
    question: {
      kind: 'calls',
      offers: ['approve', 'reject'],
      severity: 'medium',
      place: 'calls',
      digest: sha256Hex('question'),
      calls: [{ ...call, severity: 'medium' }],
      stages,
      stagesDigest: sha256Hex('stages'),
    },
    votes: [],
    requestedAt: at(0),
    expiresAt: at(3_600_000),
    policyVersion: POLICY,
  };
}

export const NOW_ENTRY: JournalEntry = { type: 'now', place: 'start', round: 0, at: at(0) };

export const HUMAN_ENTRY: HumanAnswer = {
  type: 'human',
  place: 'calls',
  round: 1,
  at: at(1_000),
  digest: sha256Hex('question'),
  stagesDigest: sha256Hex('stages'),
  calls: ['call'],
  result: 'approved',
  by: [{ person: { team: 'T0DEMO', user: 'U0ALICE' }, name: 'U0ALICE' }],
};

export function openingOf(about: Case, over: Partial<Opening> = {}): Opening {
  return {
    approval: approvalOf(about),
    proposal: '{"proposalId":"p1"}',
    journal: [NOW_ENTRY],
    group: about.group,
    dueAt: START + 60_000,
    ...over,
  };
}

export function voted(row: Approval, user: string): Approval {
  const vote: Vote = {
    by: { team: 'T0DEMO', user },
    name: user,
    stage: 0,
    choice: 'approve',
    at: at(1_000),
    via: 'slack',
  };
  const next = { ...row, votes: [...row.votes, vote], version: row.version + 1, status: 'approved' as const };
  return { ...next, endedAt: at(1_000) };
}
