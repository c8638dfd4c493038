/** Tests the contract of every archive: names in order, objects put once. */
import { describe, expect, test } from 'vitest';
import type { Archive } from '../../shared/ports/stores/archive.ts';

export function archiveContract(name: string, open: () => Promise<Archive>): void {
  describe(name, () => {
    test('reads what was put, once, and nothing under another name', async () => {
      const archive = await open();
      expect(await archive.put('entry/a/1-2.jsonl', 'first\n')).toBe(true);
      expect(await archive.put('entry/a/1-2.jsonl', 'second\n')).toBe(false);
      expect(await archive.read('entry/a/1-2.jsonl')).toBe('first\n');
      expect(await archive.read('entry/a/1-3.jsonl')).toBeUndefined();
    });

    test('reads what was put byte by byte, with marks that a usual decoder drops or replaces', async () => {
      const archive = await open();
      const text = '\uFEFFa \uFFFD mark and a \u0000\n';
      await archive.put('entry/a/3-4.jsonl', text);
      expect(await archive.read('entry/a/3-4.jsonl')).toBe(text);
    });

    test('of two puts at once under a name one is refused', async () => {
      const archive = await open();
      const put = await Promise.all(['a', 'b', 'c'].map((text) => archive.put('seal/000000000000', text)));
      expect(put.filter(Boolean)).toHaveLength(1);
    });

    test('names those behind another one, in the order of their bytes', async () => {
      const archive = await open();
      for (const key of ['entry/b/1', 'entry/a/2', 'entry/a/10', 'list/a', 'entry/c/0', 'entry/a-b/1'])
        await archive.put(key, 'x');
      const names = (prefix: string, after?: string) => Array.fromAsync(archive.names(prefix, after));
      expect(await names('entry/')).toEqual(['entry/a-b/1', 'entry/a/10', 'entry/a/2', 'entry/b/1', 'entry/c/0']);
      expect(await names('entry/', 'entry/a/2')).toEqual(['entry/b/1', 'entry/c/0']);
      expect(await names('entry/', 'entry/b')).toEqual(['entry/b/1', 'entry/c/0']);
      expect(await names('list/')).toEqual(['list/a']);
      expect(await names('seal/')).toEqual([]);
    });
  });
}
