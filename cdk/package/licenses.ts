/** Collects the licences of the packages that are part of a build. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Metafile } from 'esbuild';

/** This package's WebAssembly is embedded, which no metafile shows. */
const EMBEDDED = 'node_modules/tree-sitter-bash';

const FOLDER = /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/;

/** The text of one file: each package with its version and its licence. */
export function licensesOf(root: string, metafiles: readonly Metafile[]): string {
  const inputs = metafiles.flatMap(({ inputs }) => Object.keys(inputs));
  const folders = new Set([EMBEDDED, ...inputs.flatMap((file) => FOLDER.exec(file)?.[0] ?? [])]);
  const byText = new Map<string, string[]>();
  for (const folder of [...folders].toSorted()) {
    const { name, text } = packageIn(join(root, folder));
    byText.set(text, [...(byText.get(text) ?? []), name]);
  }
  return [...byText]
    .map(([text, names]) => `${[...new Set(names)].join('\n')}\n\n${text}\n`)
    .join(`\n${'='.repeat(80)}\n\n`);
}

function packageIn(folder: string): { readonly name: string; readonly text: string } {
  const manifest = join(folder, 'package.json');
  if (!existsSync(manifest)) throw new Error(`${folder} is no package`);
  const { name, version, license } = JSON.parse(readFileSync(manifest, 'utf8')) as Record<string, unknown>;
  const file = readdirSync(folder).find((each) => /^licen[cs]e/i.test(each));
  const text = file ? readFileSync(join(folder, file), 'utf8').trim() : `Licence: ${license}`;
  return { name: `${name} ${version}`, text };
}
