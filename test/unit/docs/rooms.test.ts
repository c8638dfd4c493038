/**
 * Checks that each room has a README of ten to twenty lines with its imports.
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

const ROOMS: readonly string[] = [
  ...foldersOf('shared'),
  'shared/permissions/shell',
  'shared/permissions/programs',
  'shared/adapters/dynamodb',
  'functions',
  'cdk',
  'test',
  ...foldersOf('test'),
];

const read = (room: string): string => readFileSync(join(ROOT, room, 'README.md'), 'utf8');

/** The bullet of a README that begins with these words. */
const bullet = (text: string, word: string): string =>
  new RegExp(`^- \\*\\*${word}:\\*\\*(.*(?:\\n  .*)*)`, 'm').exec(text)?.[1]?.replace(/\s+/g, ' ').trim() ?? '';

describe.each(ROOMS)('%s', (room) => {
  test('has a README of ten to twenty lines', () => {
    expect(existsSync(join(ROOT, room, 'README.md')), `${room}/README.md`).toBe(true);
    const lines = read(room).trimEnd().split('\n').length;
    expect(lines).toBeGreaterThanOrEqual(10);
    expect(lines).toBeLessThanOrEqual(20);
  });

  test('states its entry, and where to add a thing', () => {
    expect(bullet(read(room), 'Entry')).not.toBe('');
    expect(read(room)).toMatch(/^\*\*To \w+ /m);
  });

  test('names only files and folders that exist, from its own folder or from the root', () => {
    const missing = inlineCode(read(room))
      .map(({ text }) => text)
      .filter((text) =>
        /^[\w.-]+(?:\/[\w.-]+)*\.(?:ts|yaml|md|jsonl|txt)$|^(?:shared|functions|cdk|test|docs)(?:\/[\w.-]+)+$/.test(
          text,
        ),
      )
      .filter((text) => ![room, '', ...foldersOf(room)].some((folder) => existsSync(join(ROOT, folder, text))));
    expect(missing).toEqual([]);
  });
});

describe.each(LAYERS.map(({ folder }) => folder))('%s', (room) => {
  const layer = LAYERS.find(({ folder }) => folder === room);

  test('states what does not belong there', () => {
    expect(bullet(read(room), 'Never here')).not.toBe('');
  });

  test('states the imports that lint lets it have', () => {
    const [imports = '', sdks = ''] = bullet(read(room), 'Imports').split(/\bSDKs?:/);
    const named = [...imports.matchAll(/`([^`]+)`/g)].map(([, name]) => name);
    if (layer?.imports === undefined) expect(imports).toMatch(/^anything of `shared`/);
    else if (layer.imports.length === 0) expect(imports).toMatch(/^nothing of the repository/);
    else expect(named).toEqual(layer.imports);
    expect([...(sdks.split('. ')[0] ?? '').matchAll(/`([^`]+)`/g)].map(([, name]) => name)).toEqual(layer?.sdks);
  });
});
