/** Creates the stores that functions read and write; S3 is loaded with its first object. */
import { randomBytes } from 'node:crypto';
import { dynamoApprovalStore } from '../../../shared/adapters/dynamodb/approvals/approval-store.ts';
import { dynamoDelegationStore } from '../../../shared/adapters/dynamodb/approvals/delegation-store.ts';
import { dynamoAliasStore } from '../../../shared/adapters/dynamodb/audit/alias-store.ts';
import { dynamoAuditLog } from '../../../shared/adapters/dynamodb/audit/audit-log.ts';
import type { Tables } from '../../../shared/adapters/dynamodb/items.ts';
import { dynamoJournalStore } from '../../../shared/adapters/dynamodb/journal-store.ts';
import { dynamoClaimStore } from '../../../shared/adapters/dynamodb/proposals/claim-store.ts';
import { dynamoControlStore } from '../../../shared/adapters/dynamodb/sessions/control-store.ts';
import { dynamoSessionStore } from '../../../shared/adapters/dynamodb/sessions/session-store.ts';
import { dynamoTaskConversations, dynamoTasks } from '../../../shared/adapters/dynamodb/task-store.ts';
import { hasAliases, usersOf } from '../../../shared/config/readers/record-people.ts';
import { systemClock } from '../../../shared/ports/clock.ts';
import type { Archive } from '../../../shared/ports/stores/archive.ts';
import type { InputStore } from '../../../shared/ports/stores/input-store.ts';
import { withAliases } from '../../../shared/use-cases/audit/aliased-record.ts';
import { withEvents } from '../../../shared/use-cases/audit/emit-events.ts';
import { PeopleAliases } from '../../../shared/use-cases/audit/people-aliases.ts';
import { dynamo, s3 } from '../clients/aws.ts';
import { lazy, lazyAsync } from '../lazy.ts';
import { policyFile } from '../policy-file.ts';
import { events } from '../telemetry/events.ts';

interface StoresEnv {
  readonly STATE_TABLE: string;
  readonly AUDIT_TABLE: string;
  readonly INPUT_BUCKET: string;
}

/** How the policy file has people named in the record. */
const people = lazy(() => {
  const { policy } = policyFile();
  return { hasAliases: hasAliases(policy), listed: usersOf(policy) };
});

/** Creates the stores of a function; every write of theirs emits its event (`events`), and its record names people as the policy file says. */
export function storesOf(env: StoresEnv) {
  const tables: Tables = { state: env.STATE_TABLE, audit: env.AUDIT_TABLE };
  const inputs = lazyInputs(env.INPUT_BUCKET);
  const client = dynamo();
  const aliases = new PeopleAliases({
    aliases: dynamoAliasStore(client, tables),
    clock: systemClock,
    newSecret: () => randomBytes(32).toString('hex'),
  });
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
  const naming = { people: aliases, writesAliases: () => people().hasAliases, listed: () => people().listed };
  return { inputs, aliases, naming, ...withEvents(withAliases(stores, naming), events) };
}

/** S3 is loaded with the first object. */
export function lazyArchive(bucket: string): Archive {
  const archive = lazyAsync(async (name: string) => {
    const { s3Archive } = await import('../../../shared/adapters/s3/archive.ts');
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
    const { s3InputStore } = await import('../../../shared/adapters/s3/input-store.ts');
    return s3InputStore(await s3(), bucket);
  });
  return {
    put: async (digest, text, kind) => (await store()).put(digest, text, kind),
    get: async (digest, kind) => (await store()).get(digest, kind),
  };
}
