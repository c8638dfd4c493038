/** Signs seals with a key of KMS, which never leaves it. */
import type { KeyObject } from 'node:crypto';
import { GetPublicKeyCommand, type KMSClient, SignCommand } from '@aws-sdk/client-kms';
import { type ArchiveKey, kindOfKey, publicKeyFrom } from '../../domain/archive/seal-key.ts';
import type { SealSigner } from '../../ports/stores/archive.ts';

const ALGORITHM = { ed25519: 'ED25519_SHA_512', p256: 'ECDSA_SHA_256' } as const satisfies Record<ArchiveKey, string>;

/** @throws SealError if the key is of a kind that signs no seals. */
export async function kmsPublicKey(kms: KMSClient, keyId: string): Promise<KeyObject> {
  const { PublicKey: der } = await kms.send(new GetPublicKeyCommand({ KeyId: keyId }));
  if (!der) throw new Error('KMS gave no public key');
  return publicKeyFrom(der);
}

export function kmsSigner(kms: KMSClient, keyId: string): SealSigner {
  let known: Promise<KeyObject> | undefined;
  const publicKey = (): Promise<KeyObject> => {
    known ??= kmsPublicKey(kms, keyId).catch((error: unknown) => {
      known = undefined;
      throw error;
    });
    return known;
  };
  return {
    publicKey,
    async sign(text) {
      const { Signature: signature } = await kms.send(
        new SignCommand({
          KeyId: keyId,
          Message: Buffer.from(text, 'utf8'),
          MessageType: 'RAW',
          SigningAlgorithm: ALGORITHM[kindOfKey(await publicKey())],
        }),
      );
      if (!signature) throw new Error('KMS gave no signature');
      return signature;
    },
  };
}
