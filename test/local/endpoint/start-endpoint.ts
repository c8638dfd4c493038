/** Starts the program that plays AWS on this machine, or takes the one that AWS_ENDPOINT_URL names. */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { Endpoint } from '../../../shared/dev/aws/endpoint.ts';
import { EndpointError, EndpointUnavailable } from '../../../shared/dev/aws/errors.ts';
import { status } from '../../../shared/dev/aws/health.ts';
import { clientEnvironment } from '../../../shared/dev/aws/launch.ts';
import { requireLoopback } from '../../../shared/dev/aws/loopback.ts';
import { startMiniStack } from '../../../shared/dev/aws/start-ministack.ts';
import type { StartOptions } from '../../../shared/dev/aws/start-options.ts';
import { startLocalStack } from '../localstack/start.ts';

/** The endpoints that this project brings: MiniStack is the default, LocalStack the second opinion. */
export const ENDPOINTS = ['ministack', 'localstack'] as const;
export type EndpointName = (typeof ENDPOINTS)[number];

/**
 * @throws EndpointUnavailable if this machine cannot run one (the caller may fall back to memory adapters)
 * @throws EndpointNotLocal if AWS_ENDPOINT_URL is set and not loopback
 * @throws EndpointError if it does not start, or COUNTERSIGN_ENDPOINT names none
 */
export async function startEndpoint(options: StartOptions = {}): Promise<Endpoint> {
  const env = options.env ?? process.env;
  if (env.AWS_ENDPOINT_URL) return given(env.AWS_ENDPOINT_URL, env);
  const name = endpointName(env);
  if (process.platform === 'win32') {
    throw new EndpointUnavailable('The local endpoint needs Linux or macOS: wsl --install, or set AWS_ENDPOINT_URL');
  }
  return name === 'localstack' ? startLocalStack(env, options) : startMiniStack(env, options);
}

/** @throws EndpointError if `COUNTERSIGN_ENDPOINT` is set to anything else than one of `ENDPOINTS` */
export function endpointName(env: Record<string, string | undefined> = process.env): EndpointName {
  const wanted = env.COUNTERSIGN_ENDPOINT || 'ministack';
  const name = ENDPOINTS.find((one) => one === wanted);
  if (!name) throw new EndpointError(`COUNTERSIGN_ENDPOINT is ${wanted}: it may be ${ENDPOINTS.join(' or ')}`);
  return name;
}

async function given(url: string, env: Record<string, string | undefined>): Promise<Endpoint> {
  requireLoopback(url);
  const bundle = env.NODE_EXTRA_CA_CERTS ?? env.AWS_CA_BUNDLE;
  const trusted = bundle && existsSync(bundle) ? await readFile(bundle, 'utf8') : undefined;
  const answer = await status(url, trusted).catch((error: Error) => error);
  if (answer instanceof Error) {
    throw new EndpointError(
      `AWS_ENDPOINT_URL is ${url}, which does not answer (${answer.message}): start it, or unset AWS_ENDPOINT_URL`,
    );
  }
  return {
    kind: 'given',
    url,
    env: {
      ...clientEnvironment(url),
      ...addressOfBuckets(url),
      ...Object.fromEntries(
        Object.entries(env).filter((e): e is [string, string] => /^(AWS_|CDK_)/.test(e[0]) && !!e[1]),
      ),
      ...(bundle ? { NODE_EXTRA_CA_CERTS: bundle } : {}),
    },
    pid: undefined,
    logFile: undefined,
    stop: async () => {},
  };
}

/**
 * Under a name, each bucket would have one of its own (`bucket.localhost`), which many resolvers do not know; under an address the SDK asks
 * for buckets by path (docs.aws.amazon.com/AmazonS3/latest/userguide/VirtualHosting.html). With TLS nobody knows which names the
 * certificate has.
 */
function addressOfBuckets(url: string): Record<string, string> {
  const { protocol, hostname, port } = new URL(url);
  const named = protocol === 'http:' && (hostname === 'localhost' || hostname.endsWith('.localhost'));
  return named ? { AWS_ENDPOINT_URL_S3: `http://127.0.0.1:${port || '80'}` } : {};
}
