/** Seals texts by AES-256-GCM, bound to their row: moved or changed, they do not open. */
import { createCipheriv, createDecipheriv } from 'node:crypto';
import { lengthDelimited } from '../digest.ts';

const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const CIPHER = 'aes-256-gcm';

/** Nonce, tag and ciphertext in one. `key`: 32 bytes, used for one text only; `nonce`: 12 random bytes. */
export function sealText(text: string, key: Uint8Array, nonce: Uint8Array, belongsTo: readonly string[]): Uint8Array {
  const cipher = createCipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES });
  cipher.setAAD(Buffer.from(lengthDelimited(belongsTo)));
  const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), sealed]);
}

/** @throws Error if anything differs from when it was sealed. */
export function openText(sealed: Uint8Array, key: Uint8Array, belongsTo: readonly string[]): string {
  const bytes = Buffer.from(sealed);
  const decipher = createDecipheriv(CIPHER, key, bytes.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES });
  decipher.setAAD(Buffer.from(lengthDelimited(belongsTo)));
  decipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
  return Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()]).toString('utf8');
}
