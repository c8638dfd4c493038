/**
 * Runs functions as they are deployed: the bundle with a policy, in a process of its own.
 *
 * The only AWS of the process is the one that the test plays.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { bundleFunctions } from '../../../cdk/bundle.ts';
import type { GateFunctionName } from '../../../cdk/constructs/functions/function-names.ts';
import type { PolicyDocument } from '../../../shared/config/document.ts';

const ROOT = resolve(import.meta.dirname, '../../..');

interface Answered<Value> {
  readonly value?: Value;
  /** The name of what was thrown. */
  readonly error?: string;
  /** Every file that the process has loaded until now. */
  readonly loaded: readonly string[];
}

/** Variables that most functions have, in the deployment `test`. */
export const BASE_ENV = {
  DEPLOYMENT: 'test',
  STATE_TABLE: 'state',
  AUDIT_TABLE: 'audit',
  INPUT_BUCKET: 'inputs',
  DIGEST_KEY_SECRET: 'digest-key-secret',
} as const;

export interface Deployed {
  /** Whether any of these files holds a module of this package. */
  holds(files: readonly string[], module: string): Promise<boolean>;
  invoke<Value>(event: unknown, remainingMs?: number): Promise<Answered<Value>>;
  /** Moves the clock of the process, until it ends. */
  advance(ms: number): Promise<void>;
  /** Log of the process, one entry a line. */
  readonly log: readonly string[];
  /** Ends the process and starts another: a cold start. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

export async function deploy(
  name: GateFunctionName,
  { policy, env, aws }: { policy: PolicyDocument; env: Record<string, string>; aws: string },
): Promise<Deployed> {
  const folder = mkdtempSync(join(tmpdir(), `countersign-${name}-`));
  // The project's set-up has bundled it: whether its sources changed since then takes a seventh of a second to find out.
  cpSync(join(ROOT, 'dist', 'functions', name), join(folder, 'bundle'), { recursive: true });
  cpSync(join(import.meta.dirname, 'runtime.ts'), join(folder, 'runtime.mts'));
  writeFileSync(join(folder, 'bundle', 'policy.json'), JSON.stringify(policy));
  const environment = {
    PATH: process.env['PATH'],
    AWS_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: 'test',
    AWS_SECRET_ACCESS_KEY: 'test',
    AWS_ENDPOINT_URL: aws,
    AWS_LAMBDA_FUNCTION_NAME: name,
    POWERTOOLS_LOG_LEVEL: 'INFO',
    ...env,
  };
  const log: string[] = [];
  let child: ChildProcess | undefined;
  let count = 0;
  const start = async () => {
    const made = fork(join(folder, 'runtime.mts'), [join(folder, 'bundle', 'index.mjs')], {
      env: environment,
      execArgv: [],
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    for (const stream of [made.stdout, made.stderr]) {
      let rest = '';
      stream?.setEncoding('utf8').on('data', (text: string) => {
        const lines = `${rest}${text}`.split('\n');
        rest = lines.pop() ?? '';
        log.push(...lines);
      });
    }
    child = made;
    await new Promise<void>((ready, failed) => {
      made.once('message', () => ready());
      made.once('exit', (code) => failed(new Error(`${name} ended with ${code}: ${log.join('\n')}`)));
    });
  };
  const end = async () => {
    const ending = child;
    if (!ending || ending.exitCode !== null) return;
    const gone = new Promise((resolve) => ending.once('exit', resolve));
    ending.kill();
    await gone;
  };
  const ask = (what: object): Promise<Answered<never>> =>
    new Promise((answered) => {
      const id = ++count;
      const listen = (message: { readonly id?: number } & Answered<never>) => {
        if (message.id !== id) return;
        child?.off('message', listen);
        // Standard output is a pipe of its own: let what was written before the answer arrive.
        setTimeout(() => answered(message), 20);
      };
      child?.on('message', listen);
      child?.send({ id, ...what });
    });
  await start();
  return {
    log,
    holds: async (files, module) => {
      const loaded = new Set(files.map((file) => basename(file)));
      const outputs = Object.entries((await bundleFunctions(ROOT, [name])).get(name)?.outputs ?? {});
      const inputs = outputs.flatMap(([file, { inputs }]) => (loaded.has(basename(file)) ? Object.keys(inputs) : []));
      return inputs.some((input) => input.includes(`node_modules/${module}/`));
    },
    invoke: (event, remainingMs = 10_000) => ask({ event, remainingMs }),
    advance: async (advanceMs) => void (await ask({ advanceMs })),
    async restart() {
      await end();
      await start();
    },
    async stop() {
      await end();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
