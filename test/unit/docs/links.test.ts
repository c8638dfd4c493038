/** Checks that links of documents lead to files or headings, and that files they name exist. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { basename, dirname, join, posix } from 'node:path';
import { expect, test } from 'vitest';
import { allDocuments, anchorsOf, type Document, inlineCode, ROOT, relativeLinks, userDocuments } from './documents.ts';

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

const { files: PACKED } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { readonly files: string[] };
const isPacked = (file: string): boolean =>
  ['README.md', 'LICENSE'].includes(file) ||
  PACKED.some(
    (one) => file === one || file.startsWith(`${one}/`) || (one === 'docs/*.md' && /^docs\/[^/]+\.md$/.test(file)),
  );
/** The README says of them that they are in the repository alone. */
const OF_CONTRIBUTORS = /^(?:CONTRIBUTING\.md$|test\/)/;

test('every link of a page in the package leads to a file in it, but for those of contributors', () => {
  const pages = allDocuments().filter(({ file }) => isPacked(file));
  expect(pages.length).toBeGreaterThan(80);
  const links = pages.flatMap(({ file, text }) =>
    relativeLinks(text).map(({ line, target }) => ({
      where: `${file}:${line}: ${target}`,
      to: posix.join(dirname(file), decodeURIComponent(target.split('#')[0] || basename(file))),
    })),
  );
  expect(links.filter(({ to }) => !isPacked(to) && !OF_CONTRIBUTORS.test(to)).map(({ where }) => where)).toEqual([]);
});

test('each page that agents.md leads to says where the installation and the outcomes are', () => {
  const { text } = userDocuments().find(({ file }) => file === 'docs/agents.md') as Document;
  const table = text.slice(0, text.indexOf('## '));
  const pages = [...new Set(relativeLinks(table).map(({ target }) => target))];
  expect(pages).toHaveLength(6);
  for (const page of pages) {
    const targets = relativeLinks(readFileSync(join(ROOT, 'docs', page), 'utf8')).map(({ target }) => target);
    expect(targets, page).toEqual(expect.arrayContaining(['agents.md#install', 'agents.md#outcomes']));
  }
});

test('no page installs the package from a registry, where it is not', () => {
  const found = allDocuments().filter(({ text }) => /\bnpm (?:i|install|add) (?:-\S+ )*countersign\b/.test(text));
  expect(found.map(({ file }) => file)).toEqual([]);
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

const fileNames = new Set(
  execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { cwd: ROOT, encoding: 'utf8' })
    .split('\n')
    .filter((file) => existsSync(join(ROOT, file)))
    .map((file) => basename(file)),
);

/** One line for each path or name of a source file that does not exist. A name in `<…>` stands for many. */
function missingFiles({ file, text }: Document): readonly string[] {
  return inlineCode(text)
    .filter(({ text: code }) => {
      if (/^(?:shared|functions|cdk|test|docs)\/[\w./-]+$/.test(code)) return !existsSync(join(ROOT, code));
      return /^[\w-]+\.ts$/.test(code) && !fileNames.has(code);
    })
    .map(({ line, text: code }) => `${file}:${line}: ${code}`);
}

test('every file that the text of a document names exists', () => {
  expect(userDocuments().flatMap(missingFiles)).toEqual([]);
});

test('a file that does not exist is found by its path or its name', () => {
  const text =
    'See `shared/cli/main.ts`, `shared/cli/mains.ts`, `main.ts`, `mains.ts`, `shared/<room>/x.ts` and `test/unit`.';
  expect(missingFiles({ file: 'a.md', text })).toEqual(['a.md:1: shared/cli/mains.ts', 'a.md:1: mains.ts']);
});
