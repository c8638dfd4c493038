/** Builds functions for a test, and puts them in place of the deployed ones. */
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { UpdateFunctionCodeCommand } from '@aws-sdk/client-lambda';
import { build, type Metafile, type Plugin } from 'esbuild';
import type { GateFunctionName } from '../../../cdk/constructs/functions/function-names.ts';
import { embeddedParser } from '../../../cdk/package/embedded-parser.ts';
import { withCanary } from '../../../shared/config/canary.ts';
import { loadPolicy } from '../../../shared/config/load.ts';
import { zip } from '../../local/endpoint/zip.ts';
import { e2eGate } from '../gate.ts';
import { functionNamed, updated } from '../harness/functions.ts';

export const ROOT = resolve(import.meta.dirname, '../../..');
const REQUIRE =
  "import{createRequire as __createRequire}from'node:module';const require=__createRequire(import.meta.url);";

export type Files = Record<string, Uint8Array | string>;

interface Build {
  readonly verbs: readonly GateFunctionName[];
  /** Gets the bundles. */
  readonly folder: string;
  readonly plugins: readonly Plugin[];
  readonly define?: Readonly<Record<string, string>>;
}

/** All in one, so that what they share is read and written once. */
export async function bundleForTest({ verbs, folder, plugins, define = {} }: Build): Promise<Metafile> {
  const { metafile } = await build({
    entryPoints: Object.fromEntries(verbs.map((verb) => [verb, join(ROOT, 'functions', `${verb}.ts`)])),
    outdir: join(folder, 'out'),
    outExtension: { '.js': '.mjs' },
    bundle: true,
    splitting: true,
    minify: true,
    format: 'esm',
    platform: 'node',
    target: 'node24',
    mainFields: ['module', 'main'],
    keepNames: true,
    banner: { js: REQUIRE },
    define,
    // First: whoever else loads our sources would load the one that it stands in for, and no command could be read.
    plugins: [embeddedParser, ...plugins],
    metafile: true,
    absWorkingDir: folder,
    logLevel: 'warning',
  });
  return metafile;
}

/** Outputs of a bundle that a function imports, now or later. */
export function outputsOf(verb: GateFunctionName, { outputs }: Metafile): ReadonlySet<string> {
  const needed = new Set([`out/${verb}.mjs`]);
  for (const file of needed)
    for (const { path, external } of outputs[file]?.imports ?? []) if (!external) needed.add(path);
  return needed;
}

/** The function with its name; `first` is run before anything of it. */
export function filesForTest(verb: GateFunctionName, metafile: Metafile, folder: string, first: string): Files {
  const files = [...outputsOf(verb, metafile)].map(
    (file) => [basename(file), readFileSync(join(folder, file))] as const,
  );
  return {
    ...Object.fromEntries(files),
    'first.mjs': first,
    'index.mjs': `import './first.mjs';\nexport * from './${verb}.mjs';\n`,
  };
}

/** As the stack deployed it. */
export const deployedFiles = (verb: GateFunctionName): Files => {
  const folder = join(ROOT, 'dist/functions', verb);
  return Object.fromEntries(readdirSync(folder).map((name) => [name, readFileSync(join(folder, name))]));
};

/** By the text of the policy file, which is read for each function. */
const policies = new Map<string, string>();

/** As the stack deploys it: with the addresses of this run, and with the canary. */
function policyOf(text: string): string {
  const policy = policies.get(text) ?? JSON.stringify(withCanary(loadPolicy(text, 'policy.yaml')));
  policies.set(text, policy);
  return policy;
}

export async function putCode(verb: GateFunctionName, files: Files): Promise<void> {
  const { root, policyFile } = await e2eGate();
  const { name } = await functionNamed(verb);
  const ZipFile = zip({ ...files, 'policy.json': policyOf(readFileSync(policyFile, 'utf8')) });
  await root.lambda.send(new UpdateFunctionCodeCommand({ FunctionName: name, ZipFile }));
  await updated(name);
}
