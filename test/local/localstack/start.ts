// LocalStack as the local endpoint, without Docker: functions are processes, DynamoDB is AWS's own DynamoDB Local.
import { mkdir, mkdtemp, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { cacheDirectory } from '../endpoint/cache.ts';
import type { Endpoint } from '../endpoint/endpoint.ts';
import { freePort, launch, NODE_MODULES_BIN, nodeBinary } from '../endpoint/launch.ts';
import { removeOldRuns, stateFolderPrefix } from '../endpoint/leftovers.ts';
import { pythonWith } from '../endpoint/python.ts';
import { javaHome, LOCALSTACK, libraries, PACKAGES } from './install.ts';

export interface LocalStackOptions {
  onProgress?: (line: string) => void;
  logLevel?: string;
}

/**
 * @throws EndpointUnavailable without Python 3.13, Java 17 or Maven, naming the command that installs it
 * @throws EndpointError if it does not start
 */
export async function startLocalStack(
  env: Record<string, string | undefined>,
  options: LocalStackOptions,
): Promise<Endpoint> {
  const progress = options.onProgress ?? (() => {});
  const cache = cacheDirectory(env);
  const java = await javaHome(env);
  const [python, installed] = await Promise.all([
    pythonWith(PACKAGES, cache, progress, env),
    libraries(cache, java, progress, env),
  ]);
  await removeOldRuns(cache);
  const state = await mkdtemp(stateFolderPrefix(process.pid));
  await Promise.all([mkdir(join(state, 'tmp')), mkdir(join(state, 'usr', 'lib'), { recursive: true })]);
  // The managed runtime brings the SDK along for functions that bundle none.
  const packages = join(state, 'runtime', 'node_modules');
  await mkdir(packages, { recursive: true });
  await symlink(installed, join(state, 'usr', 'lib', 'localstack'));
  await symlink(join(dirname(NODE_MODULES_BIN), '@aws-sdk'), join(packages, '@aws-sdk'));
  const port = await freePort();
  // Under a name it can give each function URL one of its own (RFC 6761 keeps it on this machine); but S3 by name would be one of a
  // bucket's own, which no resolver knows.
  const host = `localhost:${port}`;
  const url = `http://${host}`;
  const s3 = `http://127.0.0.1:${port}`;
  progress(`starting LocalStack on ${url}`);
  return launch({
    kind: 'localstack',
    name: 'LocalStack',
    url,
    healthPath: '/_localstack/health',
    command: [python, join(LOCALSTACK, 'python', 'launcher.py')],
    state,
    cache,
    env: {
      PYTHONPATH: join(LOCALSTACK, 'python'),
      PYTHONPYCACHEPREFIX: join(cache, 'bytecode'),
      COUNTERSIGN_NODE: nodeBinary(),
      NODE_PATH: packages,
      LAMBDA_RUNTIME_EXECUTOR: 'node-process',
      // In a container it would write outside FILESYSTEM_ROOT without this.
      OVERRIDE_IN_DOCKER: '0',
      FILESYSTEM_ROOT: state,
      GATEWAY_LISTEN: `127.0.0.1:${port}`,
      LOCALSTACK_HOST: host,
      AWS_ENDPOINT_URL_S3: s3,
      SQS_ENDPOINT_STRATEGY: 'path',
      PROVIDER_OVERRIDE_DYNAMODB: 'v2',
      PROVIDER_OVERRIDE_DYNAMODBSTREAMS: 'v2',
      DYNAMODB_IN_MEMORY: '1',
      // How often streams are looked at; for queues see corrections/event_sources.py.
      LAMBDA_EVENT_SOURCE_MAPPING_POLL_INTERVAL_SEC: '0.1',
      LAMBDA_EVENT_SOURCE_MAPPING_MAX_BACKOFF_ON_EMPTY_POLL_SEC: '0.1',
      // What one of its services asks another is not sent over the network, and nobody reads metrics of its own.
      IN_MEMORY_CLIENT: '1',
      SQS_DISABLE_CLOUDWATCH_METRICS: '1',
      // Environments stay as long as the endpoint does.
      LAMBDA_KEEPALIVE_MS: '7200000',
      DNS_ADDRESS: '0',
      DISABLE_EVENTS: '1',
      SKIP_SSL_CERT_DOWNLOAD: '1',
      LS_LOG: (options.logLevel ?? 'INFO').toLowerCase(),
    },
    clientEnv: { AWS_ENDPOINT_URL_S3: s3 },
  });
}
