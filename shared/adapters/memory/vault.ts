/** Stores sealed originals in memory, by the same cipher and a key that lives with the process. */
import { randomBytes } from 'node:crypto';
import { openText, sealText } from '../../domain/record/seal.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Sealer, SealKey, Unsealer } from '../../ports/vault.ts';

export function memoryVault(clock: Clock): Sealer & Unsealer {
  // Made with the first original: most gates in memory seal none.
  let made: Buffer | undefined;
  const keyOf = () => {
    made ??= randomBytes(32);
    return made;
  };
  const copy = new Map<string, { readonly sealed: Uint8Array; readonly until: number }>();
  const nameOf = ({ pid, digest }: SealKey) => `${pid}#${digest}`;
  return {
    async seal(at, text, until) {
      const sealed = sealText(text, keyOf(), randomBytes(12), [at.pid, at.digest]);
      if (!copy.has(nameOf(at))) copy.set(nameOf(at), { sealed, until });
    },
    async open(at) {
      const found = copy.get(nameOf(at));
      if (!found || clock.now() >= found.until) return undefined;
      return openText(found.sealed, keyOf(), [at.pid, at.digest]);
    },
  };
}
