/**
 * Deploys a stack with the requests of the CDK's command, without the command.
 *
 * The command takes nine seconds of processor time: it starts, compresses 38 MB of functions, and reads events. The demo, `countersign dev` and the
 * endpoint's own tests deploy with it, as users do.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { delimiter, dirname, join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import {
  CloudFormationClient,
  CreateStackCommand,
  DescribeStackEventsCommand,
  DescribeStacksCommand,
  UpdateStackCommand,
} from '@aws-sdk/client-cloudformation';
import { HeadObjectCommand, NotFound, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { packageRoot } from '../../../cdk/constructs/functions/package-root.ts';
import type { DeployOptions } from '../../../shared/dev/aws/deploy-stack.ts';
import { EndpointError } from '../../../shared/dev/aws/errors.ts';
import { requireLoopback } from '../../../shared/dev/aws/loopback.ts';
import { run } from '../../../shared/dev/aws/run.ts';
import { sideBySide } from '../../../shared/dev/aws/side-by-side.ts';
import { bootstrap, removeIfFailed } from '../../../shared/dev/aws/toolkit-stack.ts';
import { ACCOUNT, childEnvironment, clientConfig, type Endpoint, REGION } from '../endpoint/index.ts';
import { zip } from '../endpoint/zip.ts';

type Options = Pick<DeployOptions, 'app' | 'context' | 'onProgress' | 'signal'> & {
  readonly stack: string;
  /** The folder where the assembly is made and stays. */
  readonly assembly: string;
};

interface Assets {
  readonly files: Readonly<Record<string, { readonly source: Source; readonly destinations: Destinations }>>;
}
interface Source {
  readonly path: string;
  readonly packaging: 'file' | 'zip';
}
type Destinations = Readonly<Record<string, { readonly bucketName: string; readonly objectKey: string }>>;

const LOOK_EACH_MS = 250;
const UNCHANGED = /No updates are to be performed/;

/**
 * Bootstraps (once), has the app make the assembly unless `app` names one, and deploys; returns the stack's outputs.
 * @throws EndpointNotLocal if the endpoint is not on this machine
 * @throws EndpointError with the app's last lines, or with the reasons of the resources that failed
 */
export async function deployDirectly(endpoint: Endpoint, options: Options): Promise<Readonly<Record<string, string>>> {
  requireLoopback(endpoint.url);
  const { app, stack } = options;
  const isMade = existsSync(join(app, 'manifest.json'));
  const steps = (signal: AbortSignal) => [
    bootstrap(endpoint, { signal }),
    isMade ? undefined : synthesise(endpoint, { ...options, signal }),
  ];
  await sideBySide(steps, options.signal);
  const template = await publish(endpoint, isMade ? app : options.assembly, options);
  const client = new CloudFormationClient(clientConfig(endpoint));
  try {
    const isThere = (await removeIfFailed(endpoint, stack)) !== undefined;
    const change = {
      StackName: stack,
      TemplateURL: template,
      Capabilities: ['CAPABILITY_IAM' as const, 'CAPABILITY_NAMED_IAM' as const],
    };
    options.onProgress?.(`${isThere ? 'updating' : 'creating'} the stack ${stack}`);
    const sent = isThere ? client.send(new UpdateStackCommand(change)) : client.send(new CreateStackCommand(change));
    await sent.catch((error: Error) => {
      if (!UNCHANGED.test(error.message)) throw error;
    });
    return await deployed(client, options);
  } finally {
    client.destroy();
  }
}

/** As the command runs the app, which points at the folders of functions here: nobody else gets the assembly. */
async function synthesise(endpoint: Endpoint, { app, assembly, context, onProgress, signal }: Options): Promise<void> {
  const root = packageRoot();
  const { context: flags } = JSON.parse(readFileSync(join(root, 'cdk.json'), 'utf8')) as { context: object };
  const env: Readonly<Record<string, string | undefined>> = childEnvironment(endpoint);
  const result = await run('/bin/sh', ['-c', app], {
    cwd: root,
    env: {
      ...env,
      PATH: [join(root, 'node_modules', '.bin'), env['PATH']].join(delimiter),
      // The folders of functions stay beside it, and go with it.
      TMPDIR: dirname(assembly),
      CDK_OUTDIR: assembly,
      CDK_CONTEXT_JSON: JSON.stringify({ ...flags, 'aws:cdk:disable-asset-staging': true, ...context }),
      CDK_VALIDATION: 'false',
    },
    ...(onProgress ? { onLine: (line: string) => onProgress(`cdk app: ${line}`) } : {}),
    ...(signal ? { signal } : {}),
  });
  if (result.code !== 0) throw new EndpointError(`the CDK app failed:\n${result.output}`);
}

/** Puts what the bucket lacks there, and returns the address of the stack's template. */
async function publish(endpoint: Endpoint, assembly: string, { stack, signal }: Options): Promise<string> {
  const { files } = JSON.parse(readFileSync(join(assembly, `${stack}.assets.json`), 'utf8')) as Assets;
  const client = new S3Client({ ...clientConfig(endpoint), forcePathStyle: true });
  let template = '';
  const put = async (source: Source, { bucketName, objectKey: Key }: Destinations[string]) => {
    const Bucket = bucketName.replace(/\$\{AWS::AccountId\}/, ACCOUNT).replace(/\$\{AWS::Region\}/, REGION);
    if (source.path === `${stack}.template.json`) template = `https://s3.${REGION}.amazonaws.com/${Bucket}/${Key}`;
    const known = await client.send(new HeadObjectCommand({ Bucket, Key })).catch((error: unknown) => {
      if (!(error instanceof NotFound)) throw error;
    });
    if (known) return;
    signal?.throwIfAborted();
    await client.send(new PutObjectCommand({ Bucket, Key, Body: contentOf(resolve(assembly, source.path), source) }));
  };
  const all = Object.values(files).flatMap(({ source, destinations }) =>
    Object.values(destinations).map((destination) => put(source, destination)),
  );
  try {
    await Promise.all(all);
  } finally {
    client.destroy();
  }
  return template;
}

const contentOf = (path: string, { packaging }: Source): Uint8Array =>
  packaging === 'file'
    ? readFileSync(path)
    : zip(Object.fromEntries(readdirSync(path).map((name) => [name, readFileSync(join(path, name))])));

/** Waits for the end of the change. */
async function deployed(client: CloudFormationClient, { stack, signal }: Options): Promise<Record<string, string>> {
  for (;;) {
    const { Stacks } = await client.send(new DescribeStacksCommand({ StackName: stack }));
    const { StackStatus = '', Outputs = [] } = Stacks?.[0] ?? {};
    if (StackStatus === 'CREATE_COMPLETE' || StackStatus === 'UPDATE_COMPLETE')
      return Object.fromEntries(Outputs.map(({ OutputKey = '', OutputValue = '' }) => [OutputKey, OutputValue]));
    if (!StackStatus.endsWith('_IN_PROGRESS')) throw new EndpointError(await failures(client, stack, StackStatus));
    await delay(LOOK_EACH_MS, undefined, signal ? { signal } : {});
  }
}

async function failures(client: CloudFormationClient, stack: string, status: string): Promise<string> {
  const { StackEvents = [] } = await client.send(new DescribeStackEventsCommand({ StackName: stack }));
  const failed = StackEvents.filter(({ ResourceStatus = '' }) => ResourceStatus.endsWith('_FAILED'));
  const reasons = failed.map(
    ({ LogicalResourceId, ResourceStatusReason }) => `${LogicalResourceId}: ${ResourceStatusReason}`,
  );
  return [`the stack ${stack} ended as ${status}`, ...new Set(reasons)].join('\n');
}
