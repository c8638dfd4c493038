/** Checks Merkle roots and inclusion proofs by the test vectors of Certificate Transparency. */
import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { leafHash, proofOf, rootOf } from '../../../../shared/domain/archive/merkle.ts';

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');
const leavesOf = (lines: readonly string[]) => lines.map(leafHash);

test('a leaf and roots are those of RFC 6962', () => {
  expect(rootOf([])).toBe('e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855');
  expect(hex(leafHash(''))).toBe('6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d');
  // The first two leaves of the vectors of Certificate Transparency: no bytes, and a zero byte.
  expect(rootOf(leavesOf(['', '\0']))).toBe('fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125');
});

test('the proof of each leaf leads to the root, and to no other from another leaf, place or number', () => {
  const lines = fc.uniqueArray(fc.string(), { minLength: 1, maxLength: 40 });
  fc.assert(
    fc.property(lines, fc.nat(), fc.string(), (texts, at, other) => {
      const leaves = leavesOf(texts);
      const index = at % texts.length;
      const root = rootOf(leaves);
      const proof = proofOf(leaves, index);
      const own = leaves[index] as Uint8Array;
      expect(rootFromProof(own, index, texts.length, proof)).toBe(root);
      if (!texts.includes(other)) expect(rootFromProof(leafHash(other), index, texts.length, proof)).not.toBe(root);
      for (const elsewhere of texts.keys())
        if (elsewhere !== index) expect(rootFromProof(own, elsewhere, texts.length, proof)).not.toBe(root);
      expect(rootFromProof(own, index, texts.length, [...proof, root])).toBeUndefined();
    }),
  );
});

test('a leaf that is not there has no proof', () => {
  expect(() => proofOf(leavesOf(['a']), 1)).toThrow('index');
  expect(rootFromProof(leafHash('a'), 1, 1, [])).toBeUndefined();
});

/** The root that a leaf and its proof lead to, in hex; undefined if the proof has another length than such a tree gives. */
function rootFromProof(leaf: Uint8Array, index: number, count: number, proof: readonly string[]): string | undefined {
  if (!Number.isInteger(index) || index < 0 || index >= count) return undefined;
  // Sides from the root down, then walked from the leaf up.
  const sides: ('left' | 'right')[] = [];
  let size = count;
  let at = index;
  while (size > 1) {
    const split = 2 ** Math.floor(Math.log2(size - 1));
    const isLeft = at < split;
    sides.unshift(isLeft ? 'left' : 'right');
    size = isLeft ? split : size - split;
    at = isLeft ? at : at - split;
  }
  if (sides.length !== proof.length) return undefined;
  let node = leaf;
  for (const [step, side] of sides.entries()) {
    const sibling = Buffer.from(proof[step] ?? '', 'hex');
    node = side === 'left' ? nodeHash(node, sibling) : nodeHash(sibling, node);
  }
  return Buffer.from(node).toString('hex');
}

const nodeHash = (left: Uint8Array, right: Uint8Array): Uint8Array =>
  createHash('sha256').update(Uint8Array.of(1)).update(left).update(right).digest();
