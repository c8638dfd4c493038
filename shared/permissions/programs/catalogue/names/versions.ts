/**
 * Lists programs that print their version without loading anything of the project.
 *
 * Cargo and yarn may run a file of the project first.
 */
import { set } from '../../record/record.ts';

const LONG = set('--version');
const LONG_OR_V = set('--version -v');

export const REPORTS_VERSION: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ...['node', 'npm', 'pnpm', 'bun', 'ruby', 'php'].map((name) => [name, LONG_OR_V] as const),
  ...['git', 'python', 'python3', 'pip', 'pip3', 'uv', 'deno', 'docker', 'gh', 'make', 'cmake', 'gcc', 'clang'].map(
    (name) => [name, LONG] as const,
  ),
  ...['psql', 'jq', 'rg', 'fd', 'helm', 'terraform', 'aws'].map((name) => [name, LONG] as const),
  ['java', set('-version --version')],
  ['go', set('version')],
]);
