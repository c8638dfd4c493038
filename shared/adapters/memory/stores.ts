/** Makes all stores on one memory, as `storesOf` in the functions makes them on two tables. */
import type { DecisionReader } from '../../ports/agent-side.ts';
import type { ClaimLimits } from '../../ports/stores/claim-store.ts';
import type { ResultReader } from '../../ports/stores/result-store.ts';
import { memoryAliasStore } from './alias-store.ts';
import { memoryApprovalStore } from './approval-store.ts';
import { memoryAuditLog } from './audit-log.ts';
import { memoryCardLists } from './card-lists.ts';
import { memoryClaimStore } from './claim-store.ts';
import { memoryControlStore } from './control-store.ts';
import { memoryDecisionReader } from './decision-reader.ts';
import { memoryDelegationStore } from './delegation-store.ts';
import { memoryInputStore } from './input-store.ts';
import { memoryJournalStore } from './journal-store.ts';
import { memoryModelAnswers } from './model-answers.ts';
import { memoryPermitStore } from './permit-store.ts';
import { memoryResultStore } from './result-store.ts';
import { memorySessionStore } from './session-store.ts';
import { MemoryState } from './state.ts';
import { memoryTaskConversations, memoryTasks } from './task-store.ts';
import { memoryVoteHistory } from './vote-history.ts';

export function memoryStores(limits?: ClaimLimits, state = new MemoryState()) {
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
    /** Of the rows that an agent reads with its own role. */
    readersOf: (agent: string): AgentReaders => ({
      reader: memoryDecisionReader(state, agent),
      results: memoryResultStore(state, agent),
    }),
  };
}

export interface AgentReaders {
  readonly reader: DecisionReader;
  readonly results: ResultReader;
}

/** The stores that a gate is put together on. */
export type GateStores = ReturnType<typeof memoryStores>;
