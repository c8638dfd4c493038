// Deploys a CDK app to the local endpoint with the CDK's own command line, as users do on AWS.

import { existsSync } from 'node:fs';
import { cp, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { packageRoot } from '../../../cdk/constructs/functions/package-root.ts';
import { type CdkOptions, cdk } from './cdk-command.ts';
import { childEnvironment, type Endpoint } from './endpoint.ts';
import { requireLoopback } from './loopback.ts';
import { sideBySide } from './side-by-side.ts';
import { bootstrap, removeIfFailed } from './toolkit-stack.ts';

export interface DeployOptions {
  /** The command that runs the CDK app, or the folder of an assembly that `synthesise` made. */
  app: string;
  /** Default: all. */
  stacks?: readonly string[];
  context?: Record<string, string>;
  /** Changes the assembly before it is deployed (of a given folder, a copy), and names the stacks to deploy instead of `stacks`. */
  adapt?: (assembly: string) => Promise<readonly string[]>;
  /** A folder where the assembly is made and stays. Default: nowhere that stays. */
  assembly?: string;
  /** Where the outputs are written, as JSON by stack. Default: nowhere that stays. */
  outputsFile?: string;
  /** Where the app runs. Default: the root of this package. */
  cwd?: string;
  /** Where the CDK is installed. Default: where the app runs. */
  project?: string;
  onProgress?: (line: string) => void;
  signal?: AbortSignal;
}

/** By stack, by the output's name. */
export type StackOutputs = Record<string, Record<string, string>>;

/**
 * Bootstraps (once) and deploys; bootstrap and a synthesis of its own run side by side.
 * @throws EndpointNotLocal if the endpoint is not on this machine
 * @throws EndpointError with the last lines of the CDK if a step fails
 */
export async function deployStack(endpoint: Endpoint, options: DeployOptions): Promise<StackOutputs> {
  requireLoopback(endpoint.url);
  const work = await mkdtemp(join(tmpdir(), 'countersign-deploy-'));
  try {
    const named = resolve(options.cwd ?? packageRoot(), options.app);
    const given = existsSync(join(named, 'manifest.json'));
    const assembly = given && !options.adapt ? named : (options.assembly ?? join(work, 'cdk.out'));
    // A command that needs nothing done between: the CDK runs the app as it deploys, and starts once.
    const isMadeOnTheWay = !given && !options.adapt && Boolean(options.stacks?.length);
    const steps = (signal: AbortSignal) => [
      bootstrap(endpoint, { ...options, signal }),
      given || isMadeOnTheWay ? undefined : synthesise(endpoint, { ...options, signal, output: assembly }),
    ];
    await sideBySide(steps, options.signal);
    // The folder may be what its owner deploys to AWS next.
    if (given && options.adapt) await cp(named, assembly, { recursive: true });
    const wanted = options.adapt ? await options.adapt(assembly) : options.stacks;
    for (const stack of wanted?.length ? wanted : await stacksOf(assembly)) await removeIfFailed(endpoint, stack);
    const outputsFile = resolve(options.outputsFile ?? join(work, 'outputs.json'));
    const stacks = wanted?.length ? wanted : ['--all'];
    const app = isMadeOnTheWay ? [options.app, '--output', assembly, ...contextArgs(options)] : [assembly];
    const how = '--require-approval never --method direct --progress events'.split(' ');
    const args = ['--app', ...app, ...stacks, '--outputs-file', outputsFile, ...how];
    await cdkOf(endpoint, 'deploy', args, options);
    return existsSync(outputsFile) ? (JSON.parse(await readFile(outputsFile, 'utf8')) as StackOutputs) : {};
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

interface SynthesiseOptions extends Omit<DeployOptions, 'outputsFile'> {
  /** The folder for the assembly. */
  output: string;
}

/** Runs the app alone. The CDK asks the endpoint which account it is, so that it does not ask the outside. */
async function synthesise(endpoint: Endpoint, options: SynthesiseOptions): Promise<void> {
  requireLoopback(endpoint.url);
  const stacks = options.stacks ?? [];
  const args = ['--app', options.app, '--output', options.output, '--quiet', ...contextArgs(options), ...stacks];
  await cdkOf(endpoint, 'synth', args, options);
}

const contextArgs = ({ context = {} }: DeployOptions): string[] =>
  Object.entries(context).flatMap(([key, value]) => ['--context', `${key}=${value}`]);

/** The CDK reads every authority that it trusts again for each connection, and asks this endpoint alone; the app may ask others. */
function cdkOf(endpoint: Endpoint, command: string, args: readonly string[], options: CdkOptions): Promise<void> {
  const trusted = endpoint.certificate ? ['--ca-bundle-path', endpoint.certificate] : [];
  return cdk(command, [...args, ...trusted], childEnvironment(endpoint), options);
}

interface Manifest {
  artifacts?: Record<string, { type: string; properties?: { stackName?: string } }>;
}

async function stacksOf(assembly: string): Promise<string[]> {
  const manifest = JSON.parse(await readFile(join(assembly, 'manifest.json'), 'utf8')) as Manifest;
  return Object.entries(manifest.artifacts ?? {})
    .filter(([, artifact]) => artifact.type === 'aws:cloudformation:stack')
    .map(([name, artifact]) => artifact.properties?.stackName ?? name);
}
