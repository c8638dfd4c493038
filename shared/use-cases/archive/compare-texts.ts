/** Compares the texts that rows of the record name by their digests with what stands in their bucket. */
import type { StoredItem } from '../../domain/archive/lines.ts';
import { MIN_RETENTION_MS } from '../../domain/record/retention.ts';

/** Texts by their names, which hold their digests. */
export interface NamedTexts {
  namedBy(item: StoredItem): readonly string[];
  /** Whether it stands there as its digest says; `locked` under a key that may not be used. @throws Error where the right to read it is missing. */
  find(name: string): Promise<'there' | 'missing' | 'changed' | 'locked'>;
}

/** Texts that are read at once. */
const AT_ONCE = 20;

/**
 * @param named - when the newest entry that names a text was written, by the text's name
 * @param now - milliseconds since 1970
 * @returns the number of texts that their bucket may have let go: it does so after the retention that is stated now, and entries keep their own
 * @throws Error if no text can be decrypted
 */
export async function compareTexts(
  named: ReadonlyMap<string, number>,
  texts: NamedTexts,
  now: number,
  gone: (name: string) => void,
): Promise<number> {
  const names = [...named];
  const locked: string[] = [];
  let expired = 0;
  let read = 0;
  for (let i = 0; i < names.length; i += AT_ONCE) {
    const some = names.slice(i, i + AT_ONCE);
    const found = await Promise.all(some.map(([name]) => texts.find(name)));
    for (const [index, [name, at]] of some.entries()) {
      if (found[index] === 'there') read += 1;
      else if (found[index] === 'locked') locked.push(name);
      else if (found[index] === 'missing' && now - at > MIN_RETENTION_MS) expired += 1;
      else gone(name);
    }
  }
  if (locked.length && !read)
    throw new Error(
      `no text can be decrypted, such as ${locked[0]}: this role lacks the right to the key of their bucket`,
    );
  // A role that reads the others has the right to the key of the bucket: these were written under another one.
  for (const name of locked) gone(name);
  return expired;
}
