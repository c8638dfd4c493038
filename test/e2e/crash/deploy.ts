/**
 * Deploys the test build of functions in place of the real ones, and throws their kill switch.
 *
 * Puts the real ones back, too (A6 to A8).
 */
import { existsSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { UpdateFunctionCodeCommand } from '@aws-sdk/client-lambda';
import { build, type Metafile, type Plugin } from 'esbuild';
import type { GateFunctionName } from '../../../cdk/constructs/function-names.ts';
import { embeddedParser } from '../../../cdk/package/embedded-parser.ts';
import { withCanary } from '../../../shared/config/canary.ts';
import { loadPolicy } from '../../../shared/config/load.ts';
import { zip } from '../../local/endpoint/zip.ts';
import { e2eGate } from '../gate.ts';
import { functionNamed } from '../harness/functions.ts';
import { until } from '../harness/until.ts';
import type { CrashSwitch } from './clients.ts';

const ROOT = resolve(import.meta.dirname, '../../..');
const STAND_IN = join(import.meta.dirname, 'clients.ts');
const REQUIRE =
  "import{createRequire as __createRequire}from'node:module';const require=__createRequire(import.meta.url);";

type Files = Record<string, Uint8Array | string>;

/** The functions of one test file with the switch built in. */
export class CrashingFunctions {
  readonly #verbs: readonly GateFunctionName[];
  readonly #folder = mkdtempSync(join(tmpdir(), 'countersign-crash-'));
  readonly #switches = mkdtempSync(join(this.#folder, 'switches-'));
  #armed = 0;

  constructor(...verbs: readonly GateFunctionName[]) {
    this.#verbs = verbs;
  }

  async deploy(): Promise<void> {
    const { outputs } = await this.#bundle();
    await Promise.all(this.#verbs.map((verb) => put(verb, this.#filesOf(verb, outputs))));
  }

  /** The deployed code again. */
  async restore(): Promise<void> {
    await Promise.all(this.#verbs.map((verb) => put(verb, filesOf(join(ROOT, 'dist/functions', verb)))));
    rmSync(this.#folder, { recursive: true, force: true });
  }

  /** Appears at once, whole: a function may be looking. The returned function waits until a process was killed there. */
  arm(crash: CrashSwitch & { readonly function: GateFunctionName }): () => Promise<boolean> {
    const name = `${++this.#armed}.json`;
    const armed = join(this.#switches, name);
    writeFileSync(join(this.#folder, name), JSON.stringify(crash));
    renameSync(join(this.#folder, name), armed);
    return () => until('the crash', () => !existsSync(armed));
  }

  /** All in one, so that what they share is read and written once. */
  async #bundle(): Promise<Metafile> {
    const { metafile } = await build({
      entryPoints: Object.fromEntries(this.#verbs.map((verb) => [verb, join(ROOT, 'functions', `${verb}.ts`)])),
      outdir: join(this.#folder, 'out'),
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
      define: { CRASH_SWITCHES: JSON.stringify(this.#switches) },
      plugins: [standIn, embeddedParser],
      metafile: true,
      absWorkingDir: this.#folder,
      logLevel: 'warning',
    });
    return metafile;
  }

  /** The function with its name, and whatever it imports now or later. */
  #filesOf(verb: GateFunctionName, outputs: Metafile['outputs']): Files {
    const needed = new Set([`out/${verb}.mjs`]);
    for (const file of needed)
      for (const { path, external } of outputs[file]?.imports ?? []) if (!external) needed.add(path);
    const files = [...needed].map((file) => [basename(file), readFileSync(join(this.#folder, file))] as const);
    return {
      ...Object.fromEntries(files),
      'crash-function.mjs': `globalThis.CRASH_FUNCTION = ${JSON.stringify(verb)};`,
      'index.mjs': `import './crash-function.mjs';\nexport * from './${verb}.mjs';\n`,
    };
  }
}

/** Imports of the clients get the stand-in, which alone gets the real ones. */
const standIn: Plugin = {
  name: 'crash',
  setup({ onResolve }) {
    onResolve({ filter: /\/(?:queue-client|clients)\.ts$/ }, ({ path, importer, resolveDir }) => {
      const real = ['clients.ts', 'queue-client.ts'].map((file) => join(ROOT, 'functions/runtime', file));
      return real.includes(resolve(resolveDir, path)) && importer !== STAND_IN ? { path: STAND_IN } : undefined;
    });
  },
};

const filesOf = (folder: string): Files =>
  Object.fromEntries(readdirSync(folder).map((name) => [name, readFileSync(join(folder, name))]));

async function put(verb: GateFunctionName, files: Files): Promise<void> {
  const { root, policyFile } = await e2eGate();
  const { name } = await functionNamed(verb);
  // As the stack deploys it: with the addresses of this run, and with the canary.
  const policy = JSON.stringify(withCanary(loadPolicy(readFileSync(policyFile, 'utf8'), 'policy.yaml')));
  const ZipFile = zip({ ...files, 'policy.json': policy });
  await root.lambda.send(new UpdateFunctionCodeCommand({ FunctionName: name, ZipFile }));
}
