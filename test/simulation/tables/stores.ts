/** Puts the stores of DynamoDB on simulated tables: each request meets the faults of the run. */
import { dynamoApprovalStore } from '../../../shared/adapters/dynamodb/approvals/approval-store.ts';
import { dynamoCardLists } from '../../../shared/adapters/dynamodb/approvals/card-lists.ts';
import { dynamoDelegationStore } from '../../../shared/adapters/dynamodb/approvals/delegation-store.ts';
import { dynamoVoteHistory } from '../../../shared/adapters/dynamodb/approvals/vote-history.ts';
import { dynamoAliasStore } from '../../../shared/adapters/dynamodb/audit/alias-store.ts';
import { dynamoAuditLog } from '../../../shared/adapters/dynamodb/audit/audit-log.ts';
import { dynamoJournalStore } from '../../../shared/adapters/dynamodb/journal-store.ts';
import { dynamoModelAnswers } from '../../../shared/adapters/dynamodb/model-answers.ts';
import { dynamoClaimStore } from '../../../shared/adapters/dynamodb/proposals/claim-store.ts';
import { dynamoDecisionReader } from '../../../shared/adapters/dynamodb/proposals/decision-reader.ts';
import { dynamoPermitStore } from '../../../shared/adapters/dynamodb/proposals/permit-store.ts';
import { dynamoResultStore } from '../../../shared/adapters/dynamodb/proposals/result-store.ts';
import { dynamoControlStore } from '../../../shared/adapters/dynamodb/sessions/control-store.ts';
import { dynamoSessionStore } from '../../../shared/adapters/dynamodb/sessions/session-store.ts';
import { dynamoTaskConversations, dynamoTasks } from '../../../shared/adapters/dynamodb/task-store.ts';
import { memoryInputStore } from '../../../shared/adapters/memory/stores/input-store.ts';
import { MemoryState } from '../../../shared/adapters/memory/stores/state.ts';
import type { GateStores } from '../../../shared/adapters/memory/stores.ts';
import type { InputStore } from '../../../shared/ports/stores/input-store.ts';
import type { SimulatedClient } from './client.ts';
import { NAMES } from './definitions.ts';

export function storesOnTables(client: SimulatedClient, inputs: InputStore = memoryInputStore()): GateStores {
  return {
    // Nothing stands in it.
    state: new MemoryState(),
    inputs,
    claims: dynamoClaimStore(client, NAMES, inputs),
    approvals: dynamoApprovalStore(client, NAMES, inputs),
    journal: dynamoJournalStore(client, NAMES),
    control: dynamoControlStore(client, NAMES),
    delegations: dynamoDelegationStore(client, NAMES),
    audit: dynamoAuditLog(client, NAMES),
    aliases: dynamoAliasStore(client, NAMES),
    sessions: dynamoSessionStore(client, NAMES),
    tasks: dynamoTasks(client, NAMES),
    conversations: dynamoTaskConversations(client, NAMES),
    history: dynamoVoteHistory(client, NAMES),
    lists: dynamoCardLists(client, NAMES),
    permits: dynamoPermitStore(client, NAMES),
    results: dynamoResultStore(client, NAMES),
    modelAnswers: dynamoModelAnswers(client, NAMES),
    readersOf: () => ({
      reader: dynamoDecisionReader(client, NAMES.audit),
      results: dynamoResultStore(client, NAMES),
    }),
  };
}
