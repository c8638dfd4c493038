/**
 * Checks that each folder has a README of ten to twenty lines with its imports.
 *
 * The imports are those that lint enforces.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { LAYERS } from '../../lint/layers.ts';
import { inlineCode, ROOT } from './documents.ts';

const foldersOf = (folder: string): string[] =>
  readdirSync(join(ROOT, folder), { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.') && entry.name !== 'node_modules')
    .map(({ name }) => `${folder}/${name}`);

const FOLDERS: readonly string[] = [
  ...foldersOf('shared'),
  'shared/permissions/shell',
  'shared/permissions/programs',
  'shared/adapters/dynamodb',
  'functions',
  'cdk',
  'test',
  ...foldersOf('test'),
];

const read = (folder: string): string => readFileSync(join(ROOT, folder, 'README.md'), 'utf8');

/** The bullet of a README that begins with these words. */
const bullet = (text: string, word: string): string =>
  new RegExp(`^- \\*\\*${word}:\\*\\*(.*(?:\\n  .*)*)`, 'm').exec(text)?.[1]?.replace(/\s+/g, ' ').trim() ?? '';

describe.each(FOLDERS)('%s', (folder) => {
  test('has a README of ten to twenty lines', () => {
    expect(existsSync(join(ROOT, folder, 'README.md')), `${folder}/README.md`).toBe(true);
    const lines = read(folder).trimEnd().split('\n').length;
    expect(lines).toBeGreaterThanOrEqual(10);
    expect(lines).toBeLessThanOrEqual(20);
  });

  test('states its entry, and where to add a thing', () => {
    expect(bullet(read(folder), 'Entry')).not.toBe('');
    expect(read(folder)).toMatch(/^\*\*To \w+ /m);
  });

  test('names only files and folders that exist, from its own folder or from the root', () => {
    const missing = inlineCode(read(folder))
      .map(({ text }) => text)
      .filter((text) =>
        /^[\w.-]+(?:\/[\w.-]+)*\.(?:ts|yaml|md|jsonl|txt)$|^(?:shared|functions|cdk|test|docs)(?:\/[\w.-]+)+$/.test(
          text,
        ),
      )
      .filter((text) => ![folder, '', ...foldersOf(folder)].some((each) => existsSync(join(ROOT, each, text))));
    expect(missing).toEqual([]);
  });
});

describe.each(LAYERS.map(({ folder }) => folder))('%s', (folder) => {
  const layer = LAYERS.find((each) => each.folder === folder);

  test('states what does not belong there', () => {
    expect(bullet(read(folder), 'Never here')).not.toBe('');
  });

  test('states the imports that lint lets it have', () => {
    const [imports = '', sdks = ''] = bullet(read(folder), 'Imports').split(/\bSDKs?:/);
    const named = [...imports.matchAll(/`([^`]+)`/g)].map(([, name]) => name);
    if (layer?.imports === undefined) expect(imports).toMatch(/^anything of `shared`/);
    else if (layer.imports.length === 0) expect(imports).toMatch(/^nothing of the repository/);
    else expect(named).toEqual(layer.imports);
    expect([...(sdks.split('. ')[0] ?? '').matchAll(/`([^`]+)`/g)].map(([, name]) => name)).toEqual(layer?.sdks);
  });
});
