/** Checks that a process writes the folder of a function once for assemblies that point at it. */
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Stack } from 'aws-cdk-lib';
import { AssetStaging } from 'aws-cdk-lib/core';
import { expect, test } from 'vitest';
import { Countersign } from '../../cdk/constructs/countersign.ts';
import { stayingFolderOf } from '../../cdk/constructs/functions/function-folder.ts';
import { loadPolicy } from '../../shared/config/load.ts';
import { newApp } from './support/new-app.ts';
import { APP_ID, POLICY } from './support/run-app.ts';

const policy = loadPolicy(readFileSync(POLICY, 'utf8'), 'policy.yaml');

/** The folders that an app's assembly points at, where it copies none. */
function foldersOf(): string[] {
  const stack = new Stack(newApp(), 'S');
  new Countersign(stack, 'Gate', { policyFile: POLICY, slackAppId: APP_ID });
  return stack.node
    .findAll()
    .filter((one) => one instanceof AssetStaging)
    .map(({ absoluteStagedPath }) => absoluteStagedPath);
}

test('every app of a process points at the same folders', () => {
  const folders = foldersOf();
  expect(folders.length).toBeGreaterThan(10);
  expect(folders.every((folder) => existsSync(join(folder, 'policy.json')))).toBe(true);
  expect(foldersOf()).toEqual(folders);
});

test('another policy has a folder of its own, and so has a function whose folder is gone', () => {
  const folder = stayingFolderOf('redeem', policy);
  expect(stayingFolderOf('redeem', policy)).toBe(folder);
  const other = stayingFolderOf('redeem', { ...policy, policyVersion: 'other' });
  expect(other).not.toBe(folder);
  expect(readFileSync(join(other, 'policy.json'), 'utf8')).toContain('"policyVersion":"other"');
  rmSync(folder, { recursive: true });
  const again = stayingFolderOf('redeem', policy);
  expect(again).not.toBe(folder);
  expect(existsSync(join(again, 'index.mjs'))).toBe(true);
});
