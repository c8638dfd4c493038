/** Signs seals with an Ed25519 key of KMS, which never leaves it. */
import type { KeyObject } from 'node:crypto';
import { GetPublicKeyCommand, type KMSClient, SignCommand } from '@aws-sdk/client-kms';
import { publicKeyFrom } from '../../domain/archive/seal-note.ts';
import type { SealSigner } from '../../ports/stores/archive.ts';

export async function kmsPublicKey(kms: KMSClient, keyId: string): Promise<KeyObject> {
  const { PublicKey: der } = await kms.send(new GetPublicKeyCommand({ KeyId: keyId }));
  if (!der) throw new Error('KMS gave no public key');
  return publicKeyFrom(der);
}

export function kmsSigner(kms: KMSClient, keyId: string): SealSigner {
  let known: Promise<KeyObject> | undefined;
  return {
    publicKey() {
      known ??= kmsPublicKey(kms, keyId).catch((error: unknown) => {
        known = undefined;
        throw error;
      });
      return known;
    },
    async sign(text) {
      const { Signature: signature } = await kms.send(
        new SignCommand({
          KeyId: keyId,
          Message: Buffer.from(text, 'utf8'),
          MessageType: 'RAW',
          SigningAlgorithm: 'ED25519_SHA_512',
        }),
      );
      if (!signature) throw new Error('KMS gave no signature');
      return signature;
    },
  };
}
