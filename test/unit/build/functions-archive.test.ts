/** Checks that the archive of functions gives each function exactly its own files. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { FUNCTIONS_ARCHIVE, functionFiles, packFunctions } from '../../../cdk/package/functions-archive.ts';

const FILES = {
  evaluate: { 'index.mjs': "import './chunk-a.mjs';", 'chunk-a.mjs': 'export const a = 1;' },
  redeem: { 'index.mjs': 'export {};', 'chunk-a.mjs': 'export const a = 1;' },
};

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'countersign-archive-'));
  for (const [name, files] of Object.entries(FILES)) {
    mkdirSync(join(root, 'built', name), { recursive: true });
    for (const [file, text] of Object.entries(files)) writeFileSync(join(root, 'built', name, file), text);
  }
  mkdirSync(join(root, 'dist'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

test('an installed package gives each function exactly its own files', () => {
  packFunctions(join(root, 'built'), join(root, 'dist', FUNCTIONS_ARCHIVE));
  expect({ evaluate: functionFiles(root, 'evaluate'), redeem: functionFiles(root, 'redeem') }).toEqual(FILES);
});

test('in the repository the folder of a function comes before an older archive', () => {
  packFunctions(join(root, 'built'), join(root, 'dist', FUNCTIONS_ARCHIVE));
  mkdirSync(join(root, 'dist', 'functions', 'redeem'), { recursive: true });
  writeFileSync(join(root, 'dist', 'functions', 'redeem', 'index.mjs'), 'newer');
  expect(functionFiles(root, 'redeem')).toEqual({ 'index.mjs': 'newer' });
});

test.each(['redeem', 'absent'])('without a bundle of %s the error says what makes one', (name) => {
  if (name === 'absent') packFunctions(join(root, 'built'), join(root, 'dist', FUNCTIONS_ARCHIVE));
  expect(() => functionFiles(root, name)).toThrow(`the function ${name} is not bundled yet: npm run build:functions`);
});
