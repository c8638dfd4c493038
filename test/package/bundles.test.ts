/** Checks that bundlers take the package: by esbuild in each format, and by a NodejsFunction. */
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build, type Format } from 'esbuild';
import { afterAll, describe, expect, inject, test } from 'vitest';
import { ENTRIES } from '../../cdk/package/entries.ts';
import { nodeVersions } from './support/nodes.ts';
import { ROOT, run } from './support/project.ts';

const { folder } = inject('installed');
const nodes = await nodeVersions();
/** Holds no package: a bundle finds what it carries, and nothing else. */
const empty = mkdtempSync(join(tmpdir(), 'countersign-bundles-'));
afterAll(() => rmSync(empty, { recursive: true, force: true }));

/** A program that needs nothing but its own bundle, as most users' bundlers make it by default. */
async function bundled(
  name: string,
  format: Format,
  program: string,
  external: readonly string[] = [],
): Promise<{ readonly file: string; readonly bytes: number }> {
  const file = join(empty, `${name.replaceAll('/', '-')}.${format === 'cjs' ? 'cjs' : 'mjs'}`);
  const { metafile } = await build({
    stdin: { contents: program, resolveDir: folder, sourcefile: 'program.mjs' },
    outfile: file,
    bundle: true,
    platform: 'node',
    target: 'node22',
    format,
    metafile: true,
    // Synthesis runs where the CDK is installed.
    external: ['aws-cdk-lib', 'constructs', ...external],
    logLevel: 'error',
  });
  return { file, bytes: Object.values(metafile.outputs)[0]?.bytes ?? 0 };
}

async function expectOnEachNode(file: string, out: string): Promise<void> {
  for (const { path, version } of nodes)
    expect(await run(empty, path, [file]), `Node ${version}`).toMatchObject({ code: 0, err: '', out });
}

const FORMATS: readonly Format[] = ['esm', 'cjs'];
const names = Object.keys(ENTRIES).filter((name) => name !== 'cdk');

describe.each(FORMATS)('bundled by esbuild as %s', (format) => {
  test.concurrent.each(names)('countersign/%s loads in an empty folder', async (name) => {
    const program = `import * as entry from 'countersign/${name}';\nconsole.log(Object.keys(entry).length > 0);`;
    const { file } = await bundled(`${name}-${format}`, format, program);
    await expectOnEachNode(file, 'true\n');
  });

  test('a permission service parses a command: the parser is part of the bundle', async () => {
    const program = `import { PermissionService } from 'countersign/permissions';
const service = new PermissionService({ rules: [
  { effect: 'deny', pattern: 'Bash(rm:*)', source: 'project' },
  { effect: 'allow', pattern: 'Bash(echo:*)', source: 'project' },
] });
const check = async (command) => (await service.check('Bash', { command })).decision;
Promise.all(['cat <(echo a; rm -rf b)', 'for x in 1 2; do echo $x; done'].map(check)).then((found) => console.log(found.join(' ')));`;
    const { file } = await bundled(`shell-${format}`, format, program);
    await expectOnEachNode(file, 'deny allow\n');
  });
});

test.each([
  ['client', 'NotApprovedError'],
  ['permissions', 'DenialTracker'],
  ['policies', 'FirstAvailablePolicy'],
  ['seeds/tenor', 'StdinApprovalChannel'],
  ['approvals', 'AgentBuilder'],
] as const)('of countersign/%s a bundle that uses only %s holds less than 20 KB', async (entry, name) => {
  const program = `import { ${name} } from 'countersign/${entry}';\nconsole.log(typeof ${name});`;
  // Zod is a package of the user's own.
  const { bytes } = await bundled(`one-${name}`, 'esm', program, ['zod']);
  expect(bytes).toBeLessThan(20 * 1024);
});

test('an agent that is a NodejsFunction loads, with the SDK beside it as in Lambda', async () => {
  writeFileSync(
    join(folder, 'agent.mjs'),
    `import { CountersignClient } from 'countersign/client';
export const handler = async () => typeof CountersignClient;
`,
  );
  writeFileSync(
    join(folder, 'lambda.mjs'),
    `import { App, Stack } from 'aws-cdk-lib';
import { Runtime } from 'aws-cdk-lib/aws-lambda';
import { NodejsFunction } from 'aws-cdk-lib/aws-lambda-nodejs';
const app = new App({ outdir: 'lambda.out' });
new NodejsFunction(new Stack(app, 'Agent'), 'Agent', { entry: 'agent.mjs', depsLockFilePath: 'package-lock.json', runtime: Runtime.NODEJS_24_X });
app.synth();
`,
  );
  // As in a user's project, where the construct finds the bundler.
  mkdirSync(join(folder, 'node_modules', '.bin'), { recursive: true });
  symlinkSync(join(ROOT, 'node_modules', 'esbuild'), join(folder, 'node_modules', 'esbuild'), 'dir');
  symlinkSync(join(ROOT, 'node_modules', '.bin', 'esbuild'), join(folder, 'node_modules', '.bin', 'esbuild'));
  const synthesised = await run(folder, process.execPath, ['lambda.mjs']);
  expect(synthesised, synthesised.err).toMatchObject({ code: 0 });
  const out = join(folder, 'lambda.out');
  const asset = readdirSync(out).find((name) => /^asset\.[0-9a-f]+$/.test(name)) ?? '';
  const lambda = join(empty, 'lambda');
  mkdirSync(join(lambda, 'node_modules'), { recursive: true });
  symlinkSync(join(ROOT, 'node_modules', '@aws-sdk'), join(lambda, 'node_modules', '@aws-sdk'), 'dir');
  cpSync(join(out, asset), lambda, { recursive: true });
  writeFileSync(join(lambda, 'run.cjs'), "require('./index.js').handler().then(console.log);\n");
  for (const { path, version } of nodes)
    expect(await run(lambda, path, ['run.cjs']), `Node ${version}`).toMatchObject({ code: 0, out: 'function\n' });
});
