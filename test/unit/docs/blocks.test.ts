/**
 * Checks the code blocks of the documents: policy files load, JSON parses, TypeScript compiles.
 *
 * TypeScript compiles against the package's entries.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parseDocument } from 'yaml';
import { ENTRIES } from '../../../cdk/package/entries.ts';
import { loadPolicy } from '../../../shared/config/load.ts';
import { policySchema } from '../../../shared/config/schema/policy-file.ts';
import { readProposal } from '../../../shared/domain/proposal/read-proposal.ts';
import { type Block, blocksOf, ROOT, userDocuments } from './documents.ts';
import { exampleBlocks } from './public-names.ts';

const blocks = userDocuments().flatMap(blocksOf);
const of = (language: string) => blocks.filter((block) => block.language === language);
const where = ({ file, line }: Block) => `${file}:${line}`;
const rows = (found: readonly Block[]) => found.map((block) => [where(block), block] as const);

/** `mermaid` is drawn by the page that shows it, `text` is for people, and `test/python` checks the types of `python`. */
const LANGUAGES = new Set(['yaml', 'json', 'ts', 'sh', 'python', 'mermaid', 'text']);

test('every block names a language that is checked, or is a drawing', () => {
  expect(blocks.filter(({ language }) => !LANGUAGES.has(language)).map(where)).toEqual([]);
});

describe('a block of yaml', () => {
  test.each(rows(of('yaml').filter(({ words }) => words.length === 0)))(
    '%s is a policy file',
    (_where, { file, text }) => {
      expect(() => loadPolicy(text, file)).not.toThrow();
    },
  );

  test.each(rows(of('yaml').filter(({ words }) => words.length > 0)))(
    '%s is a part of a policy file, or marked as something else',
    (_where, { text, words }) => {
      expect(words).toHaveLength(1);
      expect(['fragment', 'manifest']).toContain(words[0]);
      const document = parseDocument(text, { uniqueKeys: true });
      expect(document.errors).toEqual([]);
      if (words[0] === 'fragment') expect(refusedParts(document.toJS())).toEqual([]);
    },
  );
});

/** Keys and values that the schema refuses, at any depth. A fragment may lack required keys. */
function refusedParts(fragment: unknown): readonly string[] {
  const { error } = policySchema.safeParse(fragment);
  return (error?.issues ?? []).flatMap((issue) => {
    const path = issue.path.join('.');
    if (issue.code === 'unrecognized_keys') return issue.keys.map((key) => [...issue.path, key].join('.'));
    return valueAt(fragment, issue.path) === undefined ? [] : [`${path}: ${issue.message}`];
  });
}

const valueAt = (value: unknown, path: readonly PropertyKey[]): unknown =>
  path.reduce<unknown>((within, key) => (within as Readonly<Record<PropertyKey, unknown>> | undefined)?.[key], value);

test('a fragment with an unknown key or a wrong value is found', () => {
  expect(refusedParts({ approvals: { approvers: 'platform', newCard: {} } })).toEqual(['approvals.newCard']);
  expect(refusedParts({ taskAgent: { enabled: 'maybe' } })).toHaveLength(1);
});

describe('a block of json', () => {
  test.each(rows(of('json')))('%s is a proposal', (_where, { text }) => {
    expect(readProposal(text, Date.parse('2026-11-21T10:00:00Z'))).toMatchObject({ ok: true });
  });
});

test('every block of ts and every example of a comment compiles against the entries of the package', () => {
  const folder = temporaryFolder();
  try {
    // Blocks with a word behind the language import a framework: the tests of the integrations compile them.
    const plain = of('ts').filter(({ words }) => words.length === 0);
    const names = [...plain, ...exampleBlocks()].map((block, index) => {
      const name = `block-${index}.ts`;
      writeFileSync(join(folder, name), `${block.text}\nexport {};\n`);
      return [name, where(block)] as const;
    });
    expect(names).not.toHaveLength(0);
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(settings()));
    let output = compile(folder);
    for (const [name, place] of names) output = output.replaceAll(name, `${place} + `);
    expect(output).toBe('');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}, 180_000);

/** Inside of the repository, so that packages are found; git ignores it. */
function temporaryFolder(): string {
  const cache = join(ROOT, '.cache');
  mkdirSync(cache, { recursive: true });
  return mkdtempSync(join(cache, 'docs-'));
}

/** Each entry of the package by its name, as the sources have it. */
function settings() {
  const entries = Object.entries(ENTRIES).map(
    ([name, source]) => [`countersign/${name}`, [`../../${source}`]] as const,
  );
  const paths = { ...Object.fromEntries(entries), countersign: [`../../${ENTRIES.client}`] };
  return {
    extends: '../../tsconfig.json',
    compilerOptions: { paths, noUnusedLocals: false, noUnusedParameters: false },
    include: ['*.ts'],
    exclude: [],
  };
}

/** The errors that the compiler prints; empty if there are none. */
function compile(folder: string): string {
  try {
    // One checker, since other tests run meanwhile: each further one checks for itself what the blocks have in common.
    const args = ['--noEmit', '--pretty', 'false', '--checkers', '1', '-p', folder];
    execFileSync(join(ROOT, 'node_modules', '.bin', 'tsc'), args, { cwd: folder, encoding: 'utf8' });
    return '';
  } catch (error) {
    const { stdout = '' } = error as { readonly stdout?: string };
    return stdout === '' ? String(error) : stdout;
  }
}
