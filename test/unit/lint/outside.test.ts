/**
 * Checks that lint finds paths that leave the repository, wherever a file has one.
 *
 * A file may read, import or mention it.
 */
import { expect, test } from 'vitest';
import { machinePathsOf, pathsOutside } from '../../lint/outside.ts';

/** Written in parts, so that this file has no such path itself. */
const [JOIN, READ, NEW_URL] = ['join', 'readFileSync', 'new URL'];
const up = (levels: number): string => '../'.repeat(levels);
const FILE = 'test/e2e/a.test.ts';
const found = (file: string, text: string): string[] => pathsOutside(file, text).map(({ path }) => path);

test.each([
  ['an import', `import { a } from '${up(3)}x/a.ts';`],
  ['an import without names', `import "${up(3)}x/a.ts";`],
  ['a dynamic import', `await import(\`${up(3)}x/\${name}.ts\`)`],
  ['a call of require', `require('${up(3)}x')`],
  ['a URL', `new URL('${up(3)}x/a.json', import.meta.url)`],
  ['a URL of a file', `${NEW_URL}('file:///etc/x')`],
  ['a template as URL', `new URL(\`${up(3)}x/\${name}\`, import.meta.url)`],
  ['a joined path', `join(import.meta.dirname, '${up(3)}x')`],
  ['a path joined of parts', `${JOIN}(import.meta.dirname, '..', '..', '..', 'x')`],
  ['parts on lines of their own', "join(\n  import.meta.dirname,\n  '../..',\n  '..',\n)"],
  ['a path joined to the root', `${JOIN}(ROOT, '..', 'x')`],
  ['a path joined to another name of it', `${JOIN}(PROJECT_ROOT, '${up(1)}x')`],
  ['a path from the working directory', `${READ}('${up(1)}x/a', 'utf8')`],
  ['a constant that is read later', `const FILE = '${up(3)}x/a.json';`],
  ['a comment', ` * in the formats of \`${up(1)}x/a\``],
  ['a comment behind two slashes', `// see ${up(1)}x/a`],
])('%s', (_what, text) => {
  expect(found(FILE, text)).toHaveLength(1);
});

test.each([
  ['a path within the repository', `import { a } from '${up(2)}shared/a.ts';`],
  ['the root itself', `join(import.meta.dirname, '${up(2)}')`],
  ['parts that climb and come back', "join(import.meta.dirname, '..', '..', 'shared')"],
  ['a spread', 'call(...options, [...all])'],
  ['dots in a sentence', '// and so on ... or `..` alone'],
  ['a range', 'a..b, 1../2'],
  ['the end of a longer path', `const a = \`\${ROOT}/${up(3)}x\`;`],
])('not %s', (_what, text) => {
  expect(found(FILE, text)).toEqual([]);
});

test('a link of a document is relative to its folder, and its prose to the root of the repository', () => {
  expect(found('docs/a.md', `[cases](${up(1)}test/cases)`)).toEqual([]);
  expect(found('docs/a.md', `[cases](${up(2)}x/cases)`)).toEqual([`${up(2)}x/cases`]);
  expect(found('docs/a.md', `see ${up(1)}x/cases`)).toEqual([`${up(1)}x/cases`]);
  expect(found('README.md', `[cases](${up(1)}x/cases)`)).toEqual([`${up(1)}x/cases`]);
  expect(found('README.md', '[cases](test/conformance/cases)')).toEqual([]);
});

test('where paths are data only what is read counts', () => {
  const file = 'test/unit/permissions/a.test.ts';
  expect(found(file, `['cat ${up(4)}a', '${up(4)}a']`)).toEqual([]);
  expect(found(file, `new URL('${up(4)}a', import.meta.url)`)).toEqual([`${up(4)}a`]);
});

test('one file may look outside', () => {
  const text = `join(import.meta.dirname, '${up(3)}x')`;
  expect(found('test/conformance/origin.test.ts', text)).toEqual([]);
  expect(found('test/conformance/origins.test.ts', text)).toHaveLength(1);
});

test('a folder of this machine is found by line, and folders of every machine are none', () => {
  const machine = machinePathsOf(['/builds/team/countersign', '/workspace/app']);
  expect(machine).toEqual(['/builds/team/countersign', '/builds/team']);
  expect(pathsOutside('a.yaml', 'a: 1\nb: /builds/team/notes.md\n', machine)).toEqual([
    { file: 'a.yaml', line: 2, path: '/builds/team' },
  ]);
  expect(pathsOutside('a.yaml', 'b: /builds/teams/x\nc: /my/builds/team/x\nd: /workspace/app/x', machine)).toEqual([]);
});
