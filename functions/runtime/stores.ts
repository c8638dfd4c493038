/** Creates the stores that functions read and write; S3 is loaded with its first object. */
import { dynamoApprovalStore } from '../../shared/adapters/dynamodb/approvals/approval-store.ts';
import { dynamoDelegationStore } from '../../shared/adapters/dynamodb/approvals/delegation-store.ts';
import { dynamoAuditLog } from '../../shared/adapters/dynamodb/audit/audit-log.ts';
import type { Tables } from '../../shared/adapters/dynamodb/items.ts';
import { dynamoJournalStore } from '../../shared/adapters/dynamodb/journal-store.ts';
import { dynamoClaimStore } from '../../shared/adapters/dynamodb/proposals/claim-store.ts';
import { dynamoControlStore } from '../../shared/adapters/dynamodb/sessions/control-store.ts';
import { dynamoSessionStore } from '../../shared/adapters/dynamodb/sessions/session-store.ts';
import { dynamoTaskConversations, dynamoTasks } from '../../shared/adapters/dynamodb/task-store.ts';
import type { Archive } from '../../shared/ports/stores/archive.ts';
import type { InputStore } from '../../shared/ports/stores/input-store.ts';
import { withEvents } from '../../shared/use-cases/audit/emit-events.ts';
import { dynamo, s3 } from './clients.ts';
import { events } from './events.ts';
import { lazyAsync } from './once.ts';

interface StoresEnv {
  readonly STATE_TABLE: string;
  readonly AUDIT_TABLE: string;
  readonly INPUT_BUCKET: string;
}

/** Creates the stores of a function; every write of theirs emits its event (`events`). */
export function storesOf(env: StoresEnv) {
  const tables: Tables = { state: env.STATE_TABLE, audit: env.AUDIT_TABLE };
  const inputs = lazyInputs(env.INPUT_BUCKET);
  const client = dynamo();
  const stores = {
    claims: dynamoClaimStore(client, tables, inputs),
    approvals: dynamoApprovalStore(client, tables, inputs),
    journal: dynamoJournalStore(client, tables),
    control: dynamoControlStore(client, tables),
    delegations: dynamoDelegationStore(client, tables),
    audit: dynamoAuditLog(client, tables),
    sessions: dynamoSessionStore(client, tables),
    tasks: dynamoTasks(client, tables),
    conversations: dynamoTaskConversations(client, tables),
  };
  return { inputs, ...withEvents(stores, events) };
}

/** S3 is loaded with the first object. */
export function lazyArchive(bucket: string): Archive {
  const archive = lazyAsync(async (name: string) => {
    const { s3Archive } = await import('../../shared/adapters/s3/archive.ts');
    return s3Archive(await s3(), name);
  });
  return {
    async *names(prefix, after) {
      yield* (await archive(bucket)).names(prefix, after);
    },
    read: async (key) => (await archive(bucket)).read(key),
    put: async (key, text) => (await archive(bucket)).put(key, text),
  };
}

/** S3 is loaded with the first input that does not fit a row. */
function lazyInputs(bucket: string): InputStore {
  const store = lazyAsync(async () => {
    const { s3InputStore } = await import('../../shared/adapters/s3/input-store.ts');
    return s3InputStore(await s3(), bucket);
  });
  return {
    put: async (digest, text, kind) => (await store()).put(digest, text, kind),
    get: async (digest, kind) => (await store()).get(digest, kind),
  };
}
