// Starts LocalStack as the local endpoint, without Docker.
//
// Functions are processes, and DynamoDB is AWS's own DynamoDB Local.
import { mkdir, mkdtemp, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { cacheDirectory } from '../../../shared/dev/aws/cache.ts';
import { caBundle, endpointCertificate } from '../../../shared/dev/aws/certificate.ts';
import type { Endpoint } from '../../../shared/dev/aws/endpoint.ts';
import { freePort, launch, NODE_MODULES_BIN, nodeBinary } from '../../../shared/dev/aws/launch.ts';
import { removeOldRuns, stateFolderPrefix } from '../../../shared/dev/aws/leftovers.ts';
import { findPython, pythonWith } from '../../../shared/dev/aws/python.ts';
import { sideBySide } from '../../../shared/dev/aws/side-by-side.ts';
import { javaHome, LOCALSTACK, libraries, mavenIsThere, PACKAGES } from './install.ts';

interface LocalStackOptions {
  onProgress?: (line: string) => void;
  /** False for LocalStack as it comes. Default true. */
  corrected?: boolean;
}

type Env = Record<string, string | undefined>;

interface Parts {
  readonly python: string;
  readonly libraries: string;
}

/**
 * Fetches the parts that are not in the cache yet. A part that this machine lacks is known before anything is fetched, and a failure ends the rest.
 * @throws EndpointUnavailable without Python 3.13, Java 17 or Maven, naming the command that installs it
 */
export async function prepareLocalStack(env: Env, progress: (line: string) => void): Promise<Parts> {
  const cache = cacheDirectory(env);
  const [java] = await Promise.all([javaHome(env), findPython(PACKAGES, env)]);
  await mavenIsThere(cache, java, env);
  const parts = { python: '', libraries: '' };
  await sideBySide((signal) => [
    pythonWith(PACKAGES, cache, progress, env, signal).then((python) => Object.assign(parts, { python })),
    libraries(cache, java, progress, env, signal).then((found) => Object.assign(parts, { libraries: found })),
  ]);
  return parts;
}

/**
 * @throws EndpointUnavailable as `prepareLocalStack`
 * @throws EndpointError if it does not start
 */
export async function startLocalStack(env: Env, options: LocalStackOptions): Promise<Endpoint> {
  const progress = options.onProgress ?? (() => {});
  const cache = cacheDirectory(env);
  const port = await freePort(env);
  const { python, libraries: installed } = await prepareLocalStack(env, progress);
  const tls = await endpointCertificate(cache, python);
  await removeOldRuns(cache);
  const state = await mkdtemp(stateFolderPrefix(process.pid));
  await Promise.all([mkdir(join(state, 'tmp')), mkdir(join(state, 'usr', 'lib'), { recursive: true })]);
  // The managed runtime brings the SDK along for functions that bundle none.
  const packages = join(state, 'runtime', 'node_modules');
  await mkdir(packages, { recursive: true });
  await symlink(installed, join(state, 'usr', 'lib', 'localstack'));
  await symlink(join(dirname(NODE_MODULES_BIN), '@aws-sdk'), join(packages, '@aws-sdk'));
  // The endpoint's own address is plain HTTP; functions trust the local certificate, which the servers that they call may have.
  const bundle = join(state, 'ca-bundle.pem');
  await writeFile(bundle, await caBundle(tls.certificate, env));
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
      NODE_EXTRA_CA_CERTS: bundle,
      LAMBDA_RUNTIME_EXECUTOR: 'node-process',
      COUNTERSIGN_CORRECTIONS: options.corrected === false ? 'none' : 'all',
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
      // Requests between its services are not sent over the network, and nobody reads metrics of its own.
      IN_MEMORY_CLIENT: '1',
      SQS_DISABLE_CLOUDWATCH_METRICS: '1',
      // Environments stay as long as the endpoint does.
      LAMBDA_KEEPALIVE_MS: '7200000',
      DNS_ADDRESS: '0',
      DISABLE_EVENTS: '1',
      SKIP_SSL_CERT_DOWNLOAD: '1',
      LS_LOG: 'info',
    },
    clientEnv: { AWS_ENDPOINT_URL_S3: s3 },
  });
}
