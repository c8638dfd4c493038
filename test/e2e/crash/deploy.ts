/**
 * Deploys the test build of functions in place of the real ones, and throws their kill switch.
 *
 * Puts the real ones back, too (A6 to A8).
 */
import { existsSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Plugin } from 'esbuild';
import type { GateFunctionName } from '../../../cdk/constructs/functions/function-names.ts';
import { until } from '../harness/until.ts';
import { bundleForTest, deployedFiles, filesForTest, putCode, ROOT } from './bundle.ts';
import type { CrashSwitch } from './clients.ts';

const STAND_IN = join(import.meta.dirname, 'clients.ts');

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
    const folder = this.#folder;
    const define = { CRASH_SWITCHES: JSON.stringify(this.#switches) };
    const metafile = await bundleForTest({ verbs: this.#verbs, folder, plugins: [standIn], define });
    const name = (verb: GateFunctionName) => `globalThis.CRASH_FUNCTION = ${JSON.stringify(verb)};`;
    await Promise.all(this.#verbs.map((verb) => putCode(verb, filesForTest(verb, metafile, folder, name(verb)))));
  }

  /** The deployed code again. */
  async restore(): Promise<void> {
    await Promise.all(this.#verbs.map((verb) => putCode(verb, deployedFiles(verb))));
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
}

/** Imports of the clients get the stand-in, which alone gets the real ones. */
const standIn: Plugin = {
  name: 'crash',
  setup({ onResolve }) {
    onResolve({ filter: /\/(?:aws|sqs)\.ts$/ }, ({ path, importer, resolveDir }) => {
      const real = ['aws.ts', 'sqs.ts'].map((file) => join(ROOT, 'functions/runtime/clients', file));
      return real.includes(resolve(resolveDir, path)) && importer !== STAND_IN ? { path: STAND_IN } : undefined;
    });
  },
};
