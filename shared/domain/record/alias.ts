/**
 * Makes the alias that stands for a person in the record, from a secret of that person alone.
 *
 * Nobody can point an alias at another person, since it is a digest of the id under the secret. Without the secret nobody can tell whose it is.
 */
import { createHmac, hkdfSync } from 'node:crypto';

/** The secret of one person. */
export interface AliasKey {
  /** The Slack id. */
  readonly user: string;
  /** 32 bytes, in hex. */
  readonly secret: string;
}

const ALPHABET = 'abcdefghijklmnopqrstuvwxyz234567';
/** 130 bits: nobody finds a second secret that gives an alias to somebody else. */
const DIGITS = 26;
const ALIAS = /^p_[a-z2-7]{26}$/;

/** A word of letters, digits and `_`, so that texts can be searched for it as for a Slack id. */
export function aliasOf({ user, secret }: AliasKey): string {
  const bytes = createHmac('sha256', Buffer.from(secret, 'hex')).update(`alias#${user}`).digest();
  return `p_${Array.from(bytes.subarray(0, DIGITS), (byte) => ALPHABET.charAt(byte & 31)).join('')}`;
}

/** Each word of a text is looked at: most are told by their length. */
export const isAlias = (name: string): boolean => name.length === 2 + DIGITS && ALIAS.test(name);

/** Whether a name may be the Slack id of a person, and no operator's name or key of the policy file. */
export const isSlackUser = (name: string): boolean => /^[UW][A-Z0-9]{1,20}$/.test(name);

/** Where a digest stands: under one secret no two digests have the same mask. */
interface DigestPosition {
  readonly agent: string;
  readonly pid: string;
  readonly sort: string;
}

/**
 * The digest of a vote, hidden under the secrets of the people in it: who holds the key of digests could try everybody's id otherwise. Hidden
 * twice, it is the digest again.
 */
export function hiddenDigest(digest: string, keys: readonly AliasKey[], { agent, pid, sort }: DigestPosition): string {
  const bytes = Buffer.from(digest, 'hex');
  for (const { secret } of keys) {
    const mask = hkdfSync('sha256', Buffer.from(secret, 'hex'), '', `vote#${agent}#${pid}#${sort}`, bytes.length);
    for (const [index, byte] of Buffer.from(mask).entries()) bytes[index] = (bytes[index] ?? 0) ^ byte;
  }
  return bytes.toString('hex');
}
