/** Finds the endpoint, region and keys of a function's process; unusual ones by the SDK. */
import type { NodeHttpHandler } from '@smithy/node-http-handler';
import type { AwsCredentialIdentity } from '@smithy/types';
import type { Service } from './service.ts';

export interface ClientSettings {
  readonly endpoint: URL;
  readonly region: string;
  /** Asked for each signature: keys may have changed since the last. */
  readonly credentials: () => Promise<AwsCredentialIdentity>;
}

interface Bounds {
  /** Default: 3. */
  readonly maxAttempts?: number;
  readonly requestHandler: Parameters<typeof NodeHttpHandler.create>[0];
}

interface Stated {
  readonly region: string;
  readonly endpoint: string;
  readonly credentials: AwsCredentialIdentity;
}

/** Default: those of the process. Keys are the process's. */
interface Elsewhere {
  readonly region?: string | undefined;
  readonly endpoint?: string | undefined;
  readonly credentials?: never;
}

export type SignedClientOptions = Bounds & (Stated | Elsewhere);

type Environment = Readonly<Record<string, string | undefined>>;

/** Regions of the partition `aws`, whose endpoints all end alike. */
const PLAIN_REGION = /^(?:af|ap|ca|eu|il|me|mx|sa|us)-(?:central|east|west|(?:north|south)(?:east|west)?)-\d{1,2}$/;
/** Settings that change an endpoint. */
const UNUSUAL = ['AWS_USE_FIPS_ENDPOINT', 'AWS_USE_DUALSTACK_ENDPOINT', 'AWS_IGNORE_CONFIGURED_ENDPOINT_URLS'];

/**
 * Reads the settings of a process whose region and keys are in its environment, as in Lambda. Undefined for another partition, an unusual
 * endpoint, or keys from another source: the SDK's own client is used then.
 */
export function plainSettings(service: Service, env: Environment): ClientSettings | undefined {
  const region = env['AWS_REGION'];
  if (!region || UNUSUAL.some((name) => env[name]) || !keysIn(env)) return undefined;
  const configured = endpointIn(service, env);
  if (!configured && !PLAIN_REGION.test(region)) return undefined;
  const endpoint = new URL(configured || `https://${service.host}.${region}.amazonaws.com`);
  const credentials = async () => {
    const keys = keysIn(env);
    if (!keys) throw new Error('AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY are gone from the environment');
    return keys;
  };
  return { endpoint, region, credentials };
}

const endpointIn = ({ endpointVariable }: Service, env: Environment) =>
  env[endpointVariable] || env['AWS_ENDPOINT_URL'] || undefined;

function keysIn(env: Environment): AwsCredentialIdentity | undefined {
  const { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey, AWS_SESSION_TOKEN: token } = env;
  if (!accessKeyId || !secretAccessKey) return undefined;
  return { accessKeyId, secretAccessKey, ...(token ? { sessionToken: token } : {}) };
}

/** Resolves all other settings by the SDK, which is loaded for it. @param stated instead of the process's region */
export async function sdkSettings(service: Service, stated?: string): Promise<ClientSettings> {
  const isIgnored = process.env['AWS_IGNORE_CONFIGURED_ENDPOINT_URLS'] === 'true';
  const configured = isIgnored ? undefined : endpointIn(service, process.env);
  const config = await service.sdkConfig(stated);
  const [region, UseFIPS, UseDualStack] = await Promise.all([
    stated ?? config.region(),
    config.useFipsEndpoint(),
    config.useDualstackEndpoint(),
  ]);
  const endpoint = configured
    ? new URL(configured)
    : config.endpointProvider({ Region: region, UseFIPS, UseDualStack }).url;
  return { endpoint, region, credentials: () => config.credentials() };
}
