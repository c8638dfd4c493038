/**
 * Runs each framework's example of the documents from the tarball, with the framework's own package.
 *
 * The text of the code block is the program. The gate is `countersign dev --memory` of the tarball, and a person clicks.
 */
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { whyNotInstalled } from '../integrations/packages.ts';
import { type DevRun, startDev } from '../support/dev-run.ts';
import { blocksOf, userDocuments } from '../unit/docs/documents.ts';
import { ROOT } from './support/project.ts';

/** Longer than the slowest takes on a busy machine. */
const RUN_TIMEOUT_MS = 60_000;

/** The packages by the word that marks their blocks. */
const FOLDERS = {
  integrations: join(ROOT, 'test', 'integrations'),
  'integrations-heavy': join(ROOT, 'test', 'integrations', 'heavy'),
} as const;
type Word = keyof typeof FOLDERS;

const SAID = 'The tool said: refunded o-1\n';
/** Each entry of the package, which is the name of its agent, too, with what its reader prints. */
const ROWS: readonly (readonly [entry: string, word: Word, prints: string])[] = [
  ['openai-agents', 'integrations', SAID],
  ['vercel-ai', 'integrations', `asked true\n${SAID}`],
  ['langchain', 'integrations', `interrupted 1\nthe process ended\n${SAID}`],
  ['strands', 'integrations', `the process ended\n${SAID}`],
  ['mcp', 'integrations', 'false refunded o-1\n'],
  ['claude-agent-sdk', 'integrations-heavy', `system\nassistant\nuser\nassistant\nresult\n${SAID}`],
  ['google-adk', 'integrations-heavy', SAID],
  ['mastra', 'integrations-heavy', SAID],
];

const POLICY = `people: { olga: { team: T1, user: U1, name: Olga }, alice: { team: T1, user: U2, name: Alice } }
agents: { ${ROWS.map(([entry]) => `${entry}: { owner: olga }`).join(', ')} }
channels: { approvals: { team: T1, id: C1 } }
approvers: { platform: { members: [alice], channel: approvals } }
approvals: { approvers: platform }
rules: { ask: [Refund, mcp__billing__Refund, Bash] }
`;

const isWord = (word = ''): word is Word => Object.hasOwn(FOLDERS, word);
const blocks = userDocuments()
  .flatMap(blocksOf)
  .filter(({ words: [word] }) => isWord(word));
const blockOf = (entry: string) => blocks.filter(({ text }) => text.includes(`from 'countersign/${entry}'`));

const missing = new Map<Word, string>();
for (const word of Object.keys(FOLDERS).filter(isWord)) {
  const reason = await whyNotInstalled(FOLDERS[word]);
  if (reason !== undefined) missing.set(word, reason);
}
for (const [entry, word] of ROWS)
  if (missing.has(word)) console.log(`── the example of ${entry}: NOT RUN (${missing.get(word)})`);

const base = mkdtempSync(join(tmpdir(), 'countersign-frameworks-'));
const { folder: installed } = inject('installed');
let dev: DevRun;

beforeAll(async () => {
  writeFileSync(join(base, 'countersign.yaml'), POLICY);
  const command = join(installed, 'node_modules', 'countersign', 'dist', 'cli', 'main.js');
  dev = await startDev(base, [process.execPath, command], process.env, ['--memory']);
});
afterAll(async () => {
  await dev.interrupt();
  rmSync(base, { recursive: true, force: true });
});

/** A project of somebody who installed the tarball and the frameworks of this folder, with the program in it. */
function projectOf(entry: string, word: Word): string {
  const project = join(base, entry);
  const modules = join(FOLDERS[word], 'node_modules');
  const names = readdirSync(modules).filter((name) => !name.startsWith('.'));
  const links = names.map((name) => [name, join(modules, name)] as const);
  for (const [name, target] of [...links, ['countersign', join(installed, 'node_modules', 'countersign')] as const]) {
    const link = join(project, 'node_modules', name);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(target, link, 'dir');
  }
  writeFileSync(join(project, 'package.json'), '{"name":"reader","private":true,"type":"module"}\n');
  const program = join(project, 'example.ts');
  writeFileSync(program, blockOf(entry)[0]?.text ?? '');
  return program;
}

test('each framework program of the documents has a reader, and each reader one program', () => {
  expect(ROWS.map(([entry]) => blockOf(entry).length)).toEqual(ROWS.map(() => 1));
  expect(new Set(ROWS.flatMap(([entry]) => blockOf(entry)))).toEqual(new Set(blocks));
});

test.each(ROWS.filter(([, word]) => !missing.has(word)))(
  'the example of %s runs once a person approves',
  async (entry, word, prints) => {
    const settings = join(base, '.countersign-dev', `${entry}.env`);
    const reader = join(FOLDERS[word], 'readers', `${entry}.ts`);
    const argv = ['-c', '. "$0" && exec "$@"', settings, process.execPath, reader, projectOf(entry, word)];
    // Nothing of whoever runs this: no keys of real models, and no home.
    const env = { PATH: process.env['PATH'], HOME: base, TMPDIR: tmpdir() };
    const ran = promisify(execFile)('sh', argv, { timeout: RUN_TIMEOUT_MS, env });
    const asked = dev.until(new RegExp(`${entry} {2}\\S+ {2}\\S+ {2}waits for people`));
    expect(await Promise.race([asked, ran])).toMatch(/waits for people$/);
    await dev.click('U2', 'C1', 'Approve');
    const { stdout, stderr } = await ran;
    expect(stdout, stderr).toBe(prints);
  },
);
