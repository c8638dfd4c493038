/**
 * Reads the public keys of seals, and verifies signatures with them.
 *
 * Ed25519 is the usual kind; ECDSA with P-256 stands in where a KMS lacks it. A signed note (https://c2sp.org/signed-note)
 * does not name the kind: the first bytes of its signature name the key.
 */
import { createHash, createPublicKey, type KeyObject, verify } from 'node:crypto';
import { SealError } from './seal-error.ts';

/** Kinds of keys that may sign seals. */
export const SEAL_KEYS = ['ed25519', 'p256'] as const;
export type SealKey = (typeof SEAL_KEYS)[number];

/** C2SP's number for Ed25519. */
const ED25519 = 1;
const KEY_ID_BYTES = 4;
/** Bytes before the 32 of the key itself. */
const ED25519_SPKI_PREFIX = 12;

/** @throws SealError if it is a key of another kind. */
export function kindOfKey({ asymmetricKeyType, asymmetricKeyDetails }: KeyObject): SealKey {
  if (asymmetricKeyType === 'ed25519') return 'ed25519';
  if (asymmetricKeyType === 'ec' && asymmetricKeyDetails?.namedCurve === 'prime256v1') return 'p256';
  throw new SealError('the key is neither an Ed25519 nor a P-256 key');
}

/** @throws SealError if it is a key of another kind. */
export function publicKeyFrom(pem: string | Uint8Array): KeyObject {
  const key =
    typeof pem === 'string'
      ? createPublicKey(pem)
      : createPublicKey({ key: Buffer.from(pem), format: 'der', type: 'spki' });
  kindOfKey(key);
  return key;
}

/** The bytes before a signature, which name the signer's key. */
export function keyIdOf(signer: string, publicKey: KeyObject): Buffer {
  const spki = publicKey.export({ type: 'spki', format: 'der' });
  const named =
    kindOfKey(publicKey) === 'p256'
      ? // C2SP's type 0x02: neither the signer's name nor the type is part of it.
        spki
      : Buffer.concat([Buffer.from(`${signer}\n`, 'utf8'), Buffer.of(ED25519), spki.subarray(ED25519_SPKI_PREFIX)]);
  return createHash('sha256').update(named).digest().subarray(0, KEY_ID_BYTES);
}

/**
 * The key id, and the signature, of a note's signature line.
 *
 * @throws SealError if there is a second way to write the same bytes, and the note uses it: its hash would be another
 */
export function readSignature(base64: string): { readonly keyId: Buffer; readonly signature: Buffer } {
  const bytes = Buffer.from(base64, 'base64');
  if (bytes.toString('base64') !== base64) throw new SealError('its signature is no base64 as it is written here');
  return { keyId: bytes.subarray(0, KEY_ID_BYTES), signature: bytes.subarray(KEY_ID_BYTES) };
}

/** True if the key has signed the text: an ECDSA signature is one of SHA-256, in DER. */
export const isSignedBy = (publicKey: KeyObject, text: string, signature: Uint8Array): boolean =>
  verify(kindOfKey(publicKey) === 'p256' ? 'sha256' : null, Buffer.from(text, 'utf8'), publicKey, signature);
