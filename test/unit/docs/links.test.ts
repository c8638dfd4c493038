/** Checks that every relative link of a document leads to a file, and its anchor to a heading. */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { expect, test } from 'vitest';
import { allDocuments, anchorsOf, type Document, ROOT, relativeLinks } from './documents.ts';

/** One line for each link that leads nowhere. */
function brokenLinks({ file, text }: Document): readonly string[] {
  return relativeLinks(text).flatMap(({ line, target }) => {
    const [path = '', anchor] = target.split('#');
    const found = path === '' ? file : posix.join(dirname(file), decodeURIComponent(path));
    const where = `${file}:${line}: ${target}`;
    if (found !== file && !existsSync(join(ROOT, found))) return [`${where}: no such file`];
    if (anchor === undefined || !found.endsWith('.md')) return [];
    const other = found === file ? text : readFileSync(join(ROOT, found), 'utf8');
    return anchorsOf(other).has(anchor) ? [] : [`${where}: no such heading`];
  });
}

test('every relative link leads to a file and a heading', () => {
  expect(allDocuments().flatMap(brokenLinks)).toEqual([]);
});

test('a link to a missing file or heading is found, and code is not taken for a link', () => {
  const text = [
    '# One `two` & three',
    '[a](missing.md) [b](#one-two--three) [c](#four) [d](../README.md#try-it) [e](https://x.test/y)',
    '`[f](missing.md)`',
    '```md',
    '[g](missing.md)',
    '```',
  ].join('\n');
  expect(brokenLinks({ file: 'docs/sample.md', text })).toEqual([
    'docs/sample.md:2: missing.md: no such file',
    'docs/sample.md:2: #four: no such heading',
  ]);
});
