/** Declares the archive of the record: objects put once under sortable names, and a signing key. */
import type { KeyObject } from 'node:crypto';

export interface ArchiveReader {
  /** Names that begin with `prefix`, in the order of their bytes, behind `after`. */
  names(prefix: string, after?: string): AsyncIterable<string>;
  /** Reads an object; undefined where there is none. */
  read(key: string): Promise<string | undefined>;
}

export interface Archive extends ArchiveReader {
  /** Puts one object; false if the name is taken, and then nothing changes. */
  put(key: string, text: string): Promise<boolean>;
}

export interface SealSigner {
  /** An Ed25519 or P-256 key. */
  publicKey(): Promise<KeyObject>;
  /** Signs at most 4,096 bytes: a signature of Ed25519, or of ECDSA with SHA-256 in DER. */
  sign(text: string): Promise<Uint8Array>;
}
