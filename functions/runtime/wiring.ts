/** The one place that puts stores, queues and keys together; each function takes what it needs. */
import { readFileSync } from 'node:fs';
import { dynamoApprovalStore } from '../../shared/adapters/dynamodb/approval-store.ts';
import { dynamoAuditLog } from '../../shared/adapters/dynamodb/audit-log.ts';
import { dynamoClaimStore } from '../../shared/adapters/dynamodb/claim-store.ts';
import { dynamoControlStore } from '../../shared/adapters/dynamodb/control-store.ts';
import { dynamoDelegationStore } from '../../shared/adapters/dynamodb/delegation-store.ts';
import type { Tables } from '../../shared/adapters/dynamodb/items.ts';
import { dynamoJournalStore } from '../../shared/adapters/dynamodb/journal-store.ts';
import { dynamoSessionStore } from '../../shared/adapters/dynamodb/session-store.ts';
import { dynamoTaskConversations, dynamoTasks } from '../../shared/adapters/dynamodb/task-store.ts';
import { compilePolicy } from '../../shared/config/compile.ts';
import type { PolicyDocument } from '../../shared/config/document.ts';
import { cardNamesOf } from '../../shared/config/readers/card-names.ts';
import { peopleOf } from '../../shared/config/readers/people-of.ts';
import { withoutPrototypes } from '../../shared/domain/own.ts';
import { systemClock } from '../../shared/ports/clock.ts';
import type { SecretDetector } from '../../shared/ports/secret-detector.ts';
import type { Archive } from '../../shared/ports/stores/archive.ts';
import type { InputStore } from '../../shared/ports/stores/input-store.ts';
import type { Sealer, Unsealer } from '../../shared/ports/vault.ts';
import { withEvents } from '../../shared/use-cases/audit/emit-events.ts';
import { redactorOf } from '../../shared/use-cases/redactor.ts';
import { dynamo, kms, s3 } from './clients.ts';
import { events } from './events.ts';
import { lazy, lazyAsync } from './once.ts';
import { fetchSecret } from './secrets.ts';

interface BaseEnv {
  readonly DEPLOYMENT: string;
  readonly STATE_TABLE: string;
  readonly AUDIT_TABLE: string;
  readonly INPUT_BUCKET: string;
  readonly DIGEST_KEY_SECRET: string;
}

interface SealEnv {
  readonly STATE_TABLE: string;
  readonly SEAL_KEY: string;
}

/** The policy that synthesis put beside the code. (Pure: a function that never asks for it is bundled without it and all that it imports.) */
export const policy = /* @__PURE__ */ lazy(() => compilePolicy(document()));

const document = /* @__PURE__ */ lazy(
  () => JSON.parse(readFileSync(new URL('./policy.json', import.meta.url), 'utf8')) as PolicyDocument,
);

/** How the policy calls people, tools and rules, and who is in which group: for a function that decides nothing. */
export const policyNames = /* @__PURE__ */ lazy(() => {
  const settings = withoutPrototypes(document().policy);
  return { names: cardNamesOf({ ...document(), policy: settings }), people: peopleOf(settings) };
});

/** The key of stored digests; fetched once a process, and again if that failed. */
const keyOf = lazyAsync(async (secret: string): Promise<Uint8Array> => Buffer.from(await fetchSecret(secret)));

export async function baseOf(env: BaseEnv) {
  return {
    deployment: env.DEPLOYMENT,
    policy: policy(),
    clock: systemClock,
    digestKey: await keyOf(env.DIGEST_KEY_SECRET),
    redactor: redactorOf(policy, detector),
  };
}

/** Secret detection is loaded with the first text that may hold a secret. */
const detector = /* @__PURE__ */ lazy(async (): Promise<SecretDetector> => {
  const { secretlintDetector } = await import('../../shared/adapters/secretlint/detector.ts');
  return secretlintDetector();
});

/** KMS is loaded with the first secret. */
export function lazySealer({ STATE_TABLE, SEAL_KEY }: SealEnv): Sealer {
  const sealer = lazy(async () => {
    const { kmsSealer } = await import('../../shared/adapters/kms/vault.ts');
    return kmsSealer({ dynamodb: dynamo(), kms: await kms(), tables: { state: STATE_TABLE } }, SEAL_KEY);
  });
  return { seal: async (key, text, until) => (await sealer()).seal(key, text, until) };
}

/** For those who run or decide what was sealed, and nobody else. */
export function lazyUnsealer({ STATE_TABLE, SEAL_KEY }: SealEnv): Unsealer {
  const unsealer = lazy(async () => {
    const { kmsUnsealer } = await import('../../shared/adapters/kms/vault.ts');
    const parts = { dynamodb: dynamo(), kms: await kms(), tables: { state: STATE_TABLE } };
    return kmsUnsealer(parts, SEAL_KEY, systemClock);
  });
  return { open: async (key) => (await unsealer()).open(key) };
}

/** Creates the stores of a function; every write of theirs emits its event (`events`). */
export function storesOf(env: BaseEnv) {
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
  const store = lazy(async () => {
    const { s3InputStore } = await import('../../shared/adapters/s3/input-store.ts');
    return s3InputStore(await s3(), bucket);
  });
  return {
    put: async (digest, text, kind) => (await store()).put(digest, text, kind),
    get: async (digest, kind) => (await store()).get(digest, kind),
  };
}
