/** Finds mutants of the simulator that do not fit into their sources. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Mutant, mutated } from '../simulation/mutants/mutant.ts';

const BIOME = join(import.meta.dirname, '../../node_modules/.bin/biome');
const RULES = { preset: 'none', correctness: { noUndeclaredVariables: 'error' } };
const CONFIGURATION = { linter: { rules: RULES }, formatter: { enabled: false }, assist: { enabled: false } };

/** A mutant that cannot be put in fails a whole run of the tests, minutes after the change that moved its text. */
export const mutantProblems = (mutants: readonly Mutant[], texts: ReadonlyMap<string, string>): string[] =>
  mutants.flatMap(({ name, file, find, also = [] }) =>
    [find, ...also.map((other) => other.find)].flatMap((text) => {
      const count = (texts.get(file) ?? '').split(text).length - 1;
      return count === 1 ? [] : [`${file}: the mutant "${name}" finds its text ${count} times: ${text}`];
    }),
  );

interface Report {
  readonly diagnostics: readonly { readonly message: string; readonly location: { readonly path: string } }[];
}

/** A name that its source no longer has makes another defect than the mutant's, which any check of the judge may find. */
export function undeclaredNames(mutants: readonly Mutant[], texts: ReadonlyMap<string, string>): string[] {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-mutants-'));
  try {
    writeFileSync(join(folder, 'biome.json'), JSON.stringify(CONFIGURATION));
    for (const [index, mutant] of mutants.entries())
      writeFileSync(join(folder, `${index}.ts`), mutated(mutant, texts.get(mutant.file) ?? ''));
    const args = ['lint', '--reporter=json', '--max-diagnostics=none', '.'];
    const { stdout } = spawnSync(BIOME, args, { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
    return (JSON.parse(stdout) as Report).diagnostics.map(({ message, location }) => {
      const { file, name } = mutants[Number.parseInt(location.path, 10)] ?? { file: location.path, name: '' };
      return `${file}: the mutant "${name}": ${message}`;
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
}
