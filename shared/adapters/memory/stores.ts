/** Makes all stores on one memory, as `storesOf` in the functions makes them on two tables. */
import type { ClaimLimits } from '../../ports/stores/claim-store.ts';
import { memoryAliasStore } from './stores/alias-store.ts';
import { memoryApprovalStore } from './stores/approval-store.ts';
import { memoryAuditLog } from './stores/audit-log.ts';
import { memoryCardLists } from './stores/card-lists.ts';
import { memoryClaimStore } from './stores/claim-store.ts';
import { memoryControlStore } from './stores/control-store.ts';
import { memoryDecisionReader } from './stores/decision-reader.ts';
import { memoryDelegationStore } from './stores/delegation-store.ts';
import { memoryInputStore } from './stores/input-store.ts';
import { memoryJournalStore } from './stores/journal-store.ts';
import { memoryModelAnswers } from './stores/model-answers.ts';
import { memoryPermitStore } from './stores/permit-store.ts';
import { memoryResultStore } from './stores/result-store.ts';
import { memorySessionStore } from './stores/session-store.ts';
import { MemoryState } from './stores/state.ts';
import { memoryTaskConversations, memoryTasks } from './stores/task-store.ts';
import { memoryVoteHistory } from './stores/vote-history.ts';

export function memoryStores(limits?: ClaimLimits) {
  const state = new MemoryState();
  const inputs = memoryInputStore();
  return {
    state,
    inputs,
    claims: memoryClaimStore(state, inputs, limits),
    approvals: memoryApprovalStore(state, inputs),
    journal: memoryJournalStore(state),
    control: memoryControlStore(state),
    delegations: memoryDelegationStore(state),
    audit: memoryAuditLog(state),
    aliases: memoryAliasStore(state),
    sessions: memorySessionStore(state),
    tasks: memoryTasks(state),
    conversations: memoryTaskConversations(state),
    history: memoryVoteHistory(),
    lists: memoryCardLists(state),
    permits: memoryPermitStore(state),
    results: memoryResultStore(state),
    modelAnswers: memoryModelAnswers(state),
    /** Readers of the rows that an agent reads with its own role. */
    readersOf: (agent: string) => ({
      reader: memoryDecisionReader(state, agent),
      results: memoryResultStore(state, agent),
    }),
  };
}

/** The stores that a gate is put together on. */
export type GateStores = ReturnType<typeof memoryStores>;
