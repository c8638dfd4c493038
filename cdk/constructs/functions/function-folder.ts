/** Writes the folder of one function: its bundle, and the compiled policy. */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { PolicyDocument } from '../../../shared/config/document.ts';
import { functionFiles } from '../../package/functions-archive.ts';
import type { GateFunctionName } from './function-names.ts';
import { packageRoot } from './package-root.ts';

/** The bundle with the compiled policy beside it: a changed policy is a changed asset. */
export function folderOf(name: GateFunctionName, policy: PolicyDocument): string {
  const files = Object.entries(functionFiles(packageRoot(), name));
  const folder = mkdtempSync(join(tmpdir(), `countersign-${name}-`));
  for (const [file, text] of files) writeFileSync(join(folder, file), text);
  writeFileSync(join(folder, 'policy.json'), JSON.stringify(policy));
  return folder;
}
