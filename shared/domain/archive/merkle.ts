/** Computes Merkle roots and inclusion proofs (RFC 6962), which show one entry without the rest. */
import { createHash } from 'node:crypto';

const LEAF = Uint8Array.of(0);
const NODE = Uint8Array.of(1);

const hash = (...parts: readonly Uint8Array[]): Uint8Array => {
  const one = createHash('sha256');
  for (const part of parts) one.update(part);
  return one.digest();
};

/** The hash of one line of an object, without its line end. */
export const leafHash = (line: string): Uint8Array => hash(LEAF, Buffer.from(line, 'utf8'));

/** Root of the tree over these leaves, in hex. The root of no leaves is the hash of nothing. */
export const rootOf = (leaves: readonly Uint8Array[]): string => Buffer.from(subtree(leaves)).toString('hex');

/** The sibling of each node on the way from the leaf to the root, in hex. @throws RangeError if there is no such leaf. */
export function proofOf(leaves: readonly Uint8Array[], index: number): string[] {
  if (!Number.isInteger(index) || index < 0 || index >= leaves.length)
    throw new RangeError(`index: the tree has ${leaves.length} leaves`);
  const path: Uint8Array[] = [];
  let part = leaves;
  let at = index;
  while (part.length > 1) {
    const split = splitOf(part.length);
    const isLeft = at < split;
    path.unshift(subtree(isLeft ? part.slice(split) : part.slice(0, split)));
    part = isLeft ? part.slice(0, split) : part.slice(split);
    at = isLeft ? at : at - split;
  }
  return path.map((node) => Buffer.from(node).toString('hex'));
}

function subtree(leaves: readonly Uint8Array[]): Uint8Array {
  const [first] = leaves;
  if (first === undefined) return hash();
  if (leaves.length === 1) return first;
  const split = splitOf(leaves.length);
  return hash(NODE, subtree(leaves.slice(0, split)), subtree(leaves.slice(split)));
}

/** The largest power of two that is smaller than `count`. */
const splitOf = (count: number): number => 2 ** Math.floor(Math.log2(count - 1));
