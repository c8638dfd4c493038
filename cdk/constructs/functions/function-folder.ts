/** Writes the folder of one function: its bundle, and the compiled policy. */
import { existsSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { PolicyDocument } from '../../../shared/config/document.ts';
import { functionFiles } from '../../package/functions-archive.ts';
import type { GateFunctionName } from './function-names.ts';
import { packageRoot } from './package-root.ts';

/** Folders that stay, by function and policy: a test synthesises hundreds of times, and would write 37 MB each time. */
const staying = new Map<string, string>();

/** As `folderOf`, for assemblies that point at the folder itself: one for all of them. */
export function stayingFolderOf(name: GateFunctionName, policy: PolicyDocument): string {
  const key = `${name} ${JSON.stringify(policy)}`;
  const known = staying.get(key);
  if (known !== undefined && existsSync(known)) return known;
  const folder = folderOf(name, policy);
  staying.set(key, folder);
  return folder;
}

/** The bundle with the compiled policy beside it: a changed policy is a changed asset. */
export function folderOf(name: GateFunctionName, policy: PolicyDocument): string {
  const files = Object.entries(functionFiles(packageRoot(), name));
  const folder = mkdtempSync(join(tmpdir(), `countersign-${name}-`));
  for (const [file, text] of files) writeFileSync(join(folder, file), text);
  writeFileSync(join(folder, 'policy.json'), JSON.stringify(policy));
  return folder;
}
