// Declares a running endpoint: an address, an environment for children, a client's settings.
import { existsSync, readFileSync } from 'node:fs';
import { type AgentOptions, Agent as HttpsAgent } from 'node:https';
import { createSecureContext, type SecureContext } from 'node:tls';

type EndpointKind = 'ministack' | 'localstack' | 'given';

export interface Endpoint {
  kind: EndpointKind;
  url: string;
  /** For child processes, over their own environment: address, region, credentials, trusted authorities. */
  env: Record<string, string>;
  /** The file of a certificate of its own, for a client that asks nobody else. */
  certificate?: string | undefined;
  /** The leader of the endpoint's process group; undefined if it was given. */
  pid: number | undefined;
  /** Log of the endpoint and the functions; undefined if it was given. */
  logFile: string | undefined;
  /** Ends every process of the endpoint and forgets what was deployed. Does nothing to one that was given. */
  stop(): Promise<void>;
}

export const REGION = 'us-east-1';
export const ACCOUNT = '000000000000';

/** For an SDK client in this process, whose own NODE_EXTRA_CA_CERTS Node read before the endpoint was there. */
export function clientConfig(endpoint: Endpoint) {
  const { AWS_ACCESS_KEY_ID = 'test', AWS_SECRET_ACCESS_KEY = 'test', AWS_SESSION_TOKEN } = endpoint.env;
  return {
    endpoint: endpoint.url,
    region: endpoint.env.AWS_REGION ?? REGION,
    credentials: {
      accessKeyId: AWS_ACCESS_KEY_ID,
      secretAccessKey: AWS_SECRET_ACCESS_KEY,
      ...(AWS_SESSION_TOKEN ? { sessionToken: AWS_SESSION_TOKEN } : {}),
    },
    requestHandler: { httpsAgent: new HttpsAgent({ ...sharedTrust(endpoint), keepAlive: true }) },
  };
}

/** By the text of their authorities: Node would read each of them again for every connection, and a bundle may hold hundreds. */
const contexts = new Map<string, SecureContext>();

function sharedTrust(endpoint: Endpoint): Pick<AgentOptions, 'secureContext'> {
  const ca = String(trust(endpoint).ca ?? '');
  if (!ca) return {};
  const secureContext = contexts.get(ca) ?? createSecureContext({ ca });
  contexts.set(ca, secureContext);
  return { secureContext };
}

/** `ca` for anything of Node's that speaks TLS. */
export function trust(endpoint: Endpoint): Pick<AgentOptions, 'ca'> {
  const bundle = endpoint.env.NODE_EXTRA_CA_CERTS;
  return bundle && existsSync(bundle) ? { ca: readFileSync(bundle, 'utf8') } : {};
}

/** The environment of a child process that may talk to this endpoint and to no other. */
export function childEnvironment(endpoint: Endpoint) {
  const { env } = process;
  const own = Object.entries(env).filter(([name]) => !name.startsWith('AWS_') && !name.startsWith('CDK_'));
  const direct = [env['NO_PROXY'] ?? env['no_proxy'], '127.0.0.1', 'localhost'].filter(Boolean).join(',');
  return { ...Object.fromEntries(own), NO_PROXY: direct, no_proxy: direct, ...endpoint.env };
}
