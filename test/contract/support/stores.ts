/** Lists the stores that a contract is run on, and what its tests do with them all the time. */
import { expect } from 'vitest';
import type { DecisionReader } from '../../../shared/ports/agent-side.ts';
import type { AliasStore } from '../../../shared/ports/stores/alias-store.ts';
import type { ApprovalStore } from '../../../shared/ports/stores/approval-store.ts';
import type { AuditLog } from '../../../shared/ports/stores/audit-log.ts';
import type { CardListStore } from '../../../shared/ports/stores/card-lists.ts';
import type { ClaimLimits, ClaimStore } from '../../../shared/ports/stores/claim-store.ts';
import type { ControlStore } from '../../../shared/ports/stores/control.ts';
import type { DelegationStore } from '../../../shared/ports/stores/delegation-store.ts';
import type { InputStore } from '../../../shared/ports/stores/input-store.ts';
import type { JournalStore } from '../../../shared/ports/stores/journal-store.ts';
import type { ModelAnswerStore } from '../../../shared/ports/stores/model-answers.ts';
import { approvalOf, type Case, claimOf, decisionOf, newCase, openingOf, recordOf, START } from './rows.ts';

export interface StoresUnderTest {
  readonly claims: ClaimStore;
  readonly approvals: ApprovalStore;
  readonly journal: JournalStore;
  readonly control: ControlStore;
  readonly delegations: DelegationStore;
  readonly audit: AuditLog;
  readonly aliases: AliasStore;
  readonly inputs: InputStore;
  readonly reader: DecisionReader;
  readonly modelAnswers: ModelAnswerStore;
  readonly lists: CardListStore;
}

/** Any: these tests remember nothing of sessions. */
export const DAY = '2026-11-21';

/** Small, so that a test fills them: 2 waiting for an agent, 3 for a group, 1 KB of proposal in the row. */
export const TEST_LIMITS: ClaimLimits = { perAgent: 2, perGroup: 3, inlineBytes: 1024 };

/** `it` are the stores, once they are made. */
export type Stores = ReturnType<typeof storesOf>;

export function storesOf(it: () => StoresUnderTest) {
  const open = (about: Case, over: Parameters<typeof openingOf>[1] = {}) =>
    it().claims.open(claimOf(about, 'ask'), openingOf(about, over));
  const opened = async (over: Partial<Case> = {}): Promise<Case> => {
    const about = newCase(over);
    expect(await open(about)).toEqual({ kind: 'claimed' });
    return about;
  };
  const finish = (about: Case, dueAt = START) =>
    it().approvals.finish(approvalOf(about), recordOf(about, 'decided', { decision: decisionOf('approved') }), dueAt);
  /** Due rows, of this test alone. */
  const dueOf = async (abouts: readonly Case[], now: number) => {
    const mine = new Set(abouts.map(({ pid }) => pid));
    const due = await it().approvals.due(now, 1_000);
    return due.map(({ pid }) => pid).filter((pid) => mine.has(pid));
  };
  return { it, open, opened, finish, dueOf };
}
