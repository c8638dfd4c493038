/** Wires the policy, keys and redaction that every use case needs. */
import { systemClock } from '../../../shared/ports/clock.ts';
import type { SecretDetector } from '../../../shared/ports/secret-detector.ts';
import type { Sealer, Unsealer } from '../../../shared/ports/vault.ts';
import { redactorOf } from '../../../shared/use-cases/redactor.ts';
import { dynamo, kms } from '../clients/aws.ts';
import { fetchSecret } from '../clients/secrets.ts';
import { lazyAsync } from '../lazy.ts';
import { policy } from '../policy.ts';

interface BaseEnv {
  readonly DEPLOYMENT: string;
  readonly DIGEST_KEY_SECRET: string;
}

interface SealEnv {
  readonly STATE_TABLE: string;
  readonly SEAL_KEY: string;
}

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
const detector = /* @__PURE__ */ lazyAsync(async (): Promise<SecretDetector> => {
  const { secretlintDetector } = await import('../../../shared/adapters/secretlint/detector.ts');
  return secretlintDetector();
});

/** KMS is loaded with the first secret. */
export function lazySealer({ STATE_TABLE, SEAL_KEY }: SealEnv): Sealer {
  const sealer = lazyAsync(async () => {
    const { kmsSealer } = await import('../../../shared/adapters/kms/vault.ts');
    return kmsSealer({ dynamodb: dynamo(), kms: kms(), tables: { state: STATE_TABLE } }, SEAL_KEY);
  });
  return { seal: async (key, text, until) => (await sealer()).seal(key, text, until) };
}

/** For those who run or decide what was sealed, and nobody else. */
export function lazyUnsealer({ STATE_TABLE, SEAL_KEY }: SealEnv): Unsealer {
  const unsealer = lazyAsync(async () => {
    const { kmsUnsealer } = await import('../../../shared/adapters/kms/vault.ts');
    const parts = { dynamodb: dynamo(), kms: kms(), tables: { state: STATE_TABLE } };
    return kmsUnsealer(parts, SEAL_KEY, systemClock);
  });
  return { open: async (key) => (await unsealer()).open(key) };
}
