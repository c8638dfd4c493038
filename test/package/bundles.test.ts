/** Checks that bundlers take the package: by esbuild in each format, and by a NodejsFunction. */
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build, type Format } from 'esbuild';
import { afterAll, describe, expect, inject, test } from 'vitest';
import { ENTRIES } from '../../cdk/package/entries.ts';
import { nodeVersions } from './support/nodes.ts';
import { ROOT, run, UNOPTIMISED } from './support/project.ts';

const { folder } = inject('installed');
const nodes = await nodeVersions();
/** Holds no package: a bundle finds what it carries, and nothing else. */
const empty = mkdtempSync(join(tmpdir(), 'countersign-bundles-'));
afterAll(() => rmSync(empty, { recursive: true, force: true }));

/** Programs by name, each with its own bundle that needs nothing but itself, as most users' bundlers make it by default. One run reads each module once. */
async function bundled(
  format: Format,
  programs: Readonly<Record<string, string>>,
  external: readonly string[] = [],
): Promise<ReadonlyMap<string, { readonly file: string; readonly bytes: number }>> {
  const sources = mkdtempSync(join(folder, 'programs-'));
  const fileOf = (name: string) => name.replaceAll('/', '-');
  for (const [name, program] of Object.entries(programs)) writeFileSync(join(sources, `${fileOf(name)}.mjs`), program);
  const ending = format === 'cjs' ? '.cjs' : '.mjs';
  const outdir = mkdtempSync(join(empty, 'made-'));
  const { metafile } = await build({
    entryPoints: Object.keys(programs).map((name) => join(sources, `${fileOf(name)}.mjs`)),
    outdir,
    outExtension: { '.js': ending },
    bundle: true,
    platform: 'node',
    target: 'node22',
    format,
    metafile: true,
    absWorkingDir: outdir,
    // Synthesis runs where the CDK is installed.
    external: ['aws-cdk-lib', 'constructs', ...external],
    logLevel: 'error',
  });
  return new Map(
    Object.keys(programs).map((name) => {
      const file = `${fileOf(name)}${ending}`;
      return [name, { file: join(outdir, file), bytes: metafile.outputs[file]?.bytes ?? Number.NaN }];
    }),
  );
}

async function expectOnEachNode(file: string, out: string, options: readonly string[] = []): Promise<void> {
  for (const { path, version } of nodes)
    expect(await run(empty, path, [...options, file]), `Node ${version}`).toMatchObject({ code: 0, err: '', out });
}

const FORMATS: readonly Format[] = ['esm', 'cjs'];
const names = Object.keys(ENTRIES).filter((name) => name !== 'cdk');

const importing = (name: string) =>
  `import * as entry from 'countersign/${name}';\nconsole.log(Object.keys(entry).length > 0);`;
const PARSES = `import { PermissionService } from 'countersign/permissions';
const service = new PermissionService({ rules: [
  { effect: 'deny', pattern: 'Bash(rm:*)', source: 'project' },
  { effect: 'allow', pattern: 'Bash(echo:*)', source: 'project' },
] });
const check = async (command) => (await service.check('Bash', { command })).decision;
Promise.all(['cat <(echo a; rm -rf b)', 'for x in 1 2; do echo $x; done'].map(check)).then((found) => console.log(found.join(' ')));`;

describe.each(FORMATS)('bundled by esbuild as %s', async (format) => {
  const entries = Object.fromEntries(names.map((name) => [name, importing(name)]));
  const bundles = await bundled(format, { ...entries, parses: PARSES });

  test.concurrent.each(names)('countersign/%s loads in an empty folder', async (name) => {
    await expectOnEachNode(bundles.get(name)?.file ?? '', 'true\n');
  });

  test('a permission service parses a command: the parser is part of the bundle', async () => {
    await expectOnEachNode(bundles.get('parses')?.file ?? '', 'deny allow\n', [UNOPTIMISED]);
  });
});

const ONE_OF_EACH = [
  ['client', 'NotApprovedError'],
  ['permissions', 'DenialTracker'],
  ['policies', 'FirstAvailablePolicy'],
  ['seeds/tenor', 'StdinApprovalChannel'],
  ['approvals', 'AgentBuilder'],
] as const;
const users = ONE_OF_EACH.map(
  ([entry, name]) => [name, `import { ${name} } from 'countersign/${entry}';\nconsole.log(typeof ${name});`] as const,
);
// Zod is a package of the user's own.
const small = await bundled('esm', Object.fromEntries(users), ['zod']);
test.each(ONE_OF_EACH)('of countersign/%s a bundle that uses only %s holds less than 20 KB', (_entry, name) => {
  expect(small.get(name)?.bytes).toBeLessThan(20 * 1024);
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
