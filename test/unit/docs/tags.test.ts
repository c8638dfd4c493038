/**
 * Checks that every id that the repository cites is explained in docs/reference.
 *
 * Each id has one explanation.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { anchorsIn, foreignIn, linked, PAGE_OF, tagsIn } from '../../docs/tags.ts';

const ROOT = join(import.meta.dirname, '../../..');
const REFERENCE = 'docs/reference/';

const files = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
  cwd: ROOT,
  encoding: 'utf8',
})
  .split('\0')
  .filter((file) => /\.(?:ts|js|json|ya?ml|md)$/.test(file) && file !== 'package-lock.json')
  .filter((file) => existsSync(join(ROOT, file)));

const read = (file: string) => readFileSync(join(ROOT, file), 'utf8');
const isTest = (file: string) => file.startsWith('test/') && !file.endsWith('.md');
const pages = Object.values(PAGE_OF);
const anchors = new Map(pages.map((page) => [page, anchorsIn(read(`${REFERENCE}${page}`))]));
const explained = new Set([...anchors.values()].flat());

const cited = (wanted: (file: string) => boolean) =>
  new Map(files.filter(wanted).flatMap((file) => tagsIn(read(file)).map((id) => [id, file] as const)));

describe('the ids of requirements, decisions, mechanisms and guarantees', () => {
  test('lead to an explanation wherever code, schemas or documents cite them', () => {
    const unexplained = [...cited((file) => !isTest(file))].filter(([id]) => !explained.has(id));
    expect(unexplained.map(([id, file]) => `${file} cites ${id}, which docs/reference does not explain`)).toEqual([]);
  });

  test('are explained only if something outside of docs/reference cites them', () => {
    const known = cited((file) => !file.startsWith(REFERENCE));
    expect([...explained].filter((id) => !known.has(id))).toEqual([]);
  });

  test.each(pages)('are explained once and by the page of their letter: %s', (page) => {
    const ids = anchors.get(page) ?? [];
    expect(ids.length).toBeGreaterThan(0);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.filter((id) => PAGE_OF[id.slice(0, 1)] !== page)).toEqual([]);
  });

  test.each(pages)('have an explanation of one to three sentences: %s', (page) => {
    const entries = read(`${REFERENCE}${page}`).split(/^### /m).slice(1);
    const lengths = entries.map(
      (entry) =>
        entry
          .split('\n\n## ')[0]
          ?.replace(/^\S+\n/, '')
          .trim() ?? '',
    );
    expect(lengths.filter((text) => text.length < 20 || text.length > 600)).toEqual([]);
  });

  test('are all that comments cite: no page that the repository lacks, no case, finding or issue', () => {
    const isThere = (page: string) => files.some((file) => file === page || file.endsWith(`/${page}`));
    const code = files.filter((file) => /^(?:shared|functions|cdk)\/.*\.ts$/.test(file));
    expect(code.length).toBeGreaterThan(700);
    expect(code.flatMap((file) => foreignIn(read(file), isThere).map((cited) => `${file} cites ${cited}`))).toEqual([]);
    const cited = foreignIn(
      '/** Why (rules.md, seed 2). */\nx(); // GR-012, README.md\n',
      (page) => page === 'README.md',
    );
    expect(cited).toEqual(['rules.md', 'seed 2', 'GR-012']);
  });

  test('are whole words: a digest, a colour and an id of something else are none', () => {
    expect(tagsIn('see (D23, A18b), R4-096 … R4-098 and G6.')).toEqual(['D23', 'A18b', 'R4-096', 'R4-098', 'G6']);
    expect(tagsIn('U0D23 #A18 R5-001 R4-96 D0 sha-A1 G6-x D234')).toEqual([]);
  });

  test('become links to the page that explains them', () => {
    expect(linked('held to (D23)', 'reference/')).toBe('held to ([D23](reference/decisions.md#d23))');
  });
});
