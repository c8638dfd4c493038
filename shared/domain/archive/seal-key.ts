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
/** The kind of the key that signs seals. */
export type ArchiveKey = (typeof SEAL_KEYS)[number];

/** C2SP's number for Ed25519. */
const ED25519 = 1;
const KEY_ID_BYTES = 4;
/** Bytes before the 32 of the key itself. */
const ED25519_SPKI_PREFIX = 12;

/** @throws SealError if it is a key of another kind. */
export function kindOfKey({ asymmetricKeyType, asymmetricKeyDetails }: KeyObject): ArchiveKey {
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

/** Order of the group of P-256. */
const P256_ORDER = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;
/** Before the first number of an ECDSA signature in DER stand the tags and lengths of the sequence and of the number. */
const R_LENGTH_AT = 3;

/**
 * The form of a signature that stands in notes. An ECDSA signature (r, s) has a twin (r, n − s) that is valid too, and that anybody can
 * compute. A note would then have two hashes, so only the signature with the lower s counts.
 */
export function canonicalSignature(publicKey: KeyObject, signature: Uint8Array): Uint8Array {
  if (kindOfKey(publicKey) !== 'p256') return signature;
  const end = R_LENGTH_AT + 1 + (signature[R_LENGTH_AT] ?? 0);
  const s = BigInt(`0x0${Buffer.from(signature.subarray(end + 2)).toString('hex')}`);
  if (s <= P256_ORDER / 2n || s >= P256_ORDER) return signature;
  const hex = (P256_ORDER - s).toString(16);
  const even = hex.length % 2 === 0 ? hex : `0${hex}`;
  // A leading bit would make the number negative.
  const lower = Buffer.from(/^[89a-f]/.test(even) ? `00${even}` : even, 'hex');
  const numbers = Buffer.concat([signature.subarray(2, end), Buffer.of(0x02, lower.length), lower]);
  return Buffer.concat([Buffer.of(0x30, numbers.length), numbers]);
}

/** True if the key has signed the text: an ECDSA signature is one of SHA-256, in DER. */
export const isSignedBy = (publicKey: KeyObject, text: string, signature: Uint8Array): boolean =>
  verify(kindOfKey(publicKey) === 'p256' ? 'sha256' : null, Buffer.from(text, 'utf8'), publicKey, signature);
