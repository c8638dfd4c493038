// Deploys a CDK app to the local endpoint with the CDK's own command line, as users do on AWS.

import { existsSync } from 'node:fs';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import {
  CloudFormationClient,
  DeleteStackCommand,
  DescribeStacksCommand,
  waitUntilStackDeleteComplete,
} from '@aws-sdk/client-cloudformation';
import { packageRoot } from '../../../cdk/constructs/functions/package-root.ts';
import { type CdkOptions, cdk } from './cdk-command.ts';
import { ACCOUNT, childEnvironment, clientConfig, type Endpoint, REGION } from './endpoint.ts';
import { requireLoopback } from './loopback.ts';
import { sideBySide } from './side-by-side.ts';

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

const TOOLKIT_STACK = 'CDKToolkit';
const DELETE_TIMEOUT_SECONDS = 60;

/**
 * Bootstraps (once) and deploys; bootstrap and synthesis run side by side.
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
    await sideBySide(
      (signal) => [
        bootstrap(endpoint, work, { ...options, signal }),
        given ? undefined : synthesise(endpoint, { ...options, signal, output: assembly }),
      ],
      options.signal,
    );
    // The folder may be what its owner deploys to AWS next.
    if (given && options.adapt) await cp(named, assembly, { recursive: true });
    const wanted = options.adapt ? await options.adapt(assembly) : options.stacks;
    await removeFailedStacks(endpoint, assembly, wanted);
    const outputsFile = resolve(options.outputsFile ?? join(work, 'outputs.json'));
    const stacks = wanted?.length ? wanted : ['--all'];
    const how = '--require-approval never --method direct --progress events'.split(' ');
    const args = ['--app', assembly, ...stacks, '--outputs-file', outputsFile, ...how];
    await cdkOf(endpoint, 'deploy', args, options);
    return existsSync(outputsFile) ? (JSON.parse(await readFile(outputsFile, 'utf8')) as StackOutputs) : {};
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

export interface SynthesiseOptions extends Omit<DeployOptions, 'outputsFile'> {
  /** The folder for the assembly. */
  output: string;
}

/** Runs the app alone. The CDK asks the endpoint which account it is, so that it does not ask the outside. */
async function synthesise(endpoint: Endpoint, options: SynthesiseOptions): Promise<void> {
  requireLoopback(endpoint.url);
  const context = Object.entries(options.context ?? {}).flatMap(([key, value]) => ['--context', `${key}=${value}`]);
  const stacks = options.stacks ?? [];
  const args = ['--app', options.app, '--output', options.output, '--quiet', ...context, ...stacks];
  await cdkOf(endpoint, 'synth', args, options);
}

async function bootstrap(endpoint: Endpoint, emptyFolder: string, options: DeployOptions): Promise<void> {
  if (await stackStatus(endpoint, TOOLKIT_STACK)) return;
  // In a folder without cdk.json, or the CDK would run the app to find out about environments it is told here.
  await writeFile(join(emptyFolder, 'cdk.json'), '{}');
  await cdkOf(endpoint, 'bootstrap', [`aws://${ACCOUNT}/${REGION}`], {
    ...options,
    cwd: emptyFolder,
    ...(options.project || options.cwd ? { project: options.project ?? options.cwd } : {}),
  });
}

/** The CDK reads every authority that it trusts again for each connection, and asks this endpoint alone; the app may ask others. */
function cdkOf(endpoint: Endpoint, command: string, args: readonly string[], options: CdkOptions): Promise<void> {
  const trusted = endpoint.certificate ? ['--ca-bundle-path', endpoint.certificate] : [];
  return cdk(command, [...args, ...trusted], childEnvironment(endpoint), options);
}

async function stackStatus(endpoint: Endpoint, stack: string): Promise<string | undefined> {
  const client = new CloudFormationClient(clientConfig(endpoint));
  try {
    const { Stacks } = await client.send(new DescribeStacksCommand({ StackName: stack }));
    return Stacks?.[0]?.StackStatus;
  } catch (error) {
    if (error instanceof Error && /does not exist/.test(error.message)) return undefined;
    throw error;
  } finally {
    client.destroy();
  }
}

/** A stack whose first deployment failed can only be deleted (CloudFormation: ROLLBACK_COMPLETE). */
async function removeFailedStacks(endpoint: Endpoint, assembly: string, wanted?: readonly string[]): Promise<void> {
  for (const stack of wanted?.length ? wanted : await stacksOf(assembly)) {
    const status = await stackStatus(endpoint, stack);
    if (status !== 'ROLLBACK_COMPLETE' && status !== 'ROLLBACK_FAILED') continue;
    const client = new CloudFormationClient(clientConfig(endpoint));
    await client.send(new DeleteStackCommand({ StackName: stack }));
    await waitUntilStackDeleteComplete(
      { client, maxWaitTime: DELETE_TIMEOUT_SECONDS, minDelay: 1, maxDelay: 1 },
      { StackName: stack },
    );
    client.destroy();
  }
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
