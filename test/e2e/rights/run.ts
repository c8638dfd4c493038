/**
 * Lists which rights of the deployed stack the end-to-end tests use: `npm run rights`.
 *
 * Runs the suite with the endpoint's log of rights, or reads a log of before with `--log PREFIX`. Prints each right with a
 * test that used it, then those that no test used. Nothing fails for a right that no test used.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import type { TemplateJson } from '../../cdk/support/template.ts';
import { type Logged, type Right, type TestEvent, usedRights } from './used.ts';

const { values, positionals } = parseArgs({ options: { log: { type: 'string' } }, allowPositionals: true });
const prefix = values.log ?? join(mkdtempSync(join(tmpdir(), 'countersign-rights-')), 'log');
let status: number | null = 0;
if (values.log === undefined) {
  const args = ['run', '--project', 'e2e', ...positionals];
  const env = {
    ...process.env,
    COUNTERSIGN_RIGHTS_LOG: prefix,
    COUNTERSIGN_ENDPOINT: 'ministack',
    AWS_ENDPOINT_URL: '',
  };
  ({ status } = spawnSync(join('node_modules', '.bin', 'vitest'), args, { stdio: 'inherit', env }));
}

const linesOf = <Line>(file: string): Line[] =>
  readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Line);

const deployed = JSON.parse(readFileSync(`${prefix}.template`, 'utf8')) as { endpoint: number; template: TemplateJson };
const log = `${prefix}.${deployed.endpoint}`;
if (!readdirSync(dirname(log)).includes(basename(log))) throw new Error(`the endpoint left no log ${log}`);
const { rights, refused } = usedRights(deployed.template, linesOf<Logged>(log), linesOf<TestEvent>(`${prefix}.tests`));

const text = ({ role, action, resource, rows }: Right): string =>
  [role, action, resource, ...(rows ? [`[${rows}]`] : [])].join(' ');
const used = rights.filter(({ test }) => test !== undefined);
const unused = rights.filter(({ test }) => test === undefined);
const print = (heading: string, lines: readonly string[]) =>
  console.log([`\n── ${lines.length} ${heading}`, ...lines].join('\n'));
print(
  'rights that a test used',
  used.map((right) => `${text(right)}: ${right.test}`),
);
print(
  'rights that AWS uses in the name of a role, and no local endpoint asks for',
  unused.filter(({ isOfAws }) => isOfAws).map(text),
);
print('rights that no test used', unused.filter(({ isOfAws }) => !isOfAws).map(text));
print(
  'requests that no statement allowed',
  refused.map(({ role, action, resource, test }) => `${role} ${action} ${resource}: ${test}`),
);
console.log(`\nthe log: ${prefix}.*`);
process.exitCode = status ?? 1;
