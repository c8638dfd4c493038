/** Archives in memory: objects are put once, as under Object Lock, and signed with an own key. */
import { generateKeyPairSync, sign } from 'node:crypto';
import type { ArchiveKey } from '../../domain/archive/seal-key.ts';
import { compareText } from '../../domain/text/compare-text.ts';
import type { Archive, SealSigner } from '../../ports/stores/archive.ts';

export function memoryArchive(objects: Map<string, string> = new Map()): Archive {
  return {
    async *names(prefix, after = '') {
      for (const key of [...objects.keys()].toSorted(compareText)) if (key.startsWith(prefix) && key > after) yield key;
    },
    async read(key) {
      return objects.get(key);
    },
    async put(key, text) {
      if (objects.has(key)) return false;
      objects.set(key, text);
      return true;
    },
  };
}

export function memorySigner(kind: ArchiveKey = 'ed25519'): SealSigner {
  const { publicKey, privateKey } =
    kind === 'p256' ? generateKeyPairSync('ec', { namedCurve: 'P-256' }) : generateKeyPairSync('ed25519');
  const digest = kind === 'p256' ? 'sha256' : null;
  return {
    publicKey: async () => publicKey,
    sign: async (text) => sign(digest, Buffer.from(text, 'utf8'), privateKey),
  };
}
