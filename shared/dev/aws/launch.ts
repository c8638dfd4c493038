// Runs an endpoint as a process group of its own.
//
// The group ends with its stop or with this process, however that happens.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, open } from 'node:fs/promises';
import { createServer } from 'node:net';
import { delimiter, dirname, join } from 'node:path';
import { packageRoot } from '../../../cdk/constructs/functions/package-root.ts';
import { ACCOUNT, type Endpoint, REGION } from './endpoint.ts';
import { EndpointError, EndpointUnavailable } from './errors.ts';
import { ready } from './health.ts';
import { logName, stopGroup } from './leftovers.ts';

interface Launch {
  kind: Endpoint['kind'];
  /** As people call it, for messages. */
  name: string;
  url: string;
  /** Answers 200 once the endpoint is up. */
  healthPath: string;
  /** Authorities to trust for TLS, if not Node's own. */
  ca?: string;
  /** The file of a certificate that only the endpoint has. */
  certificate?: string;
  /** The endpoint's launcher, which ends when its standard input does. */
  command: readonly [string, ...string[]];
  /** Where it runs and keeps its files; removed with it. */
  state: string;
  /** All that it finds in its environment, besides the path to Node 24. */
  env: Record<string, string>;
  /** For those who use it, besides address, region and credentials. */
  clientEnv: Record<string, string>;
  cache: string;
}

/** The programs of the repository; an installed package has none of its own. */
export const NODE_MODULES_BIN = join(packageRoot(), 'node_modules', '.bin');

/** @throws EndpointError with the last lines of the log if it does not start */
export async function launch({ command, env, state, cache, clientEnv, ...given }: Launch): Promise<Endpoint> {
  const { kind, name, url, healthPath, ca, certificate } = given;
  await mkdir(join(cache, 'logs'), { recursive: true });
  const logFile = join(cache, 'logs', logName(new Date(), new URL(url).port));
  const log = await open(logFile, 'a');
  const [program, ...args] = command;
  const child = spawn(program, args, {
    cwd: state,
    detached: true,
    stdio: ['pipe', log.fd, log.fd],
    // Nothing else of this environment: functions inherit it, and on AWS they would find none of it.
    env: {
      PATH: [dirname(nodeBinary()), process.env['PATH']].join(delimiter),
      HOME: state,
      LANG: 'C.UTF-8',
      TZ: 'UTC',
      TMPDIR: join(state, 'tmp'),
      AWS_ACCESS_KEY_ID: 'test',
      AWS_SECRET_ACCESS_KEY: 'test',
      ...env,
    },
  });
  await log.close();
  // The launcher ends when this pipe does, so it must not end early or keep this process alive.
  child.stdin?.on('error', () => {});
  child.unref();
  (child.stdin as unknown as { unref?: () => void } | null)?.unref?.();
  const stop = once(() => stopGroup(child, state));
  // Killed, it could not end its functions and its database: they go with it.
  child.once('exit', () => stop().catch(() => {}));
  try {
    await ready(child, { name, url: `${url}${healthPath}`, ca, logFile });
  } catch (error) {
    await stop();
    throw error;
  }
  const clients = { ...clientEnvironment(url), ...clientEnv };
  return { kind, url, env: clients, certificate, pid: child.pid, logFile, stop };
}

export function clientEnvironment(url: string): Record<string, string> {
  return {
    AWS_ENDPOINT_URL: url,
    AWS_REGION: REGION,
    AWS_DEFAULT_REGION: REGION,
    AWS_ACCESS_KEY_ID: 'test',
    AWS_SECRET_ACCESS_KEY: 'test',
    AWS_SESSION_TOKEN: '',
    AWS_PROFILE: '',
    AWS_EC2_METADATA_DISABLED: 'true',
    CDK_DEFAULT_ACCOUNT: ACCOUNT,
    CDK_DEFAULT_REGION: REGION,
  };
}

/** Functions run on `nodejs24.x`: the repository brings that Node along; elsewhere this process has to be one. */
export function nodeBinary(): string {
  const own = join(NODE_MODULES_BIN, 'node');
  if (existsSync(own)) return own;
  if (Number(process.versions.node.split('.')[0]) >= 24) return process.execPath;
  throw new EndpointUnavailable(
    `functions run on Node 24, and this is ${process.version}: start it with Node 24 or newer`,
  );
}

/**
 * `COUNTERSIGN_ENDPOINT_PORT`, for an address that stays the same, or any port that is free.
 * @throws EndpointError if the one that is wanted is in use
 */
export async function freePort(env: Record<string, string | undefined>): Promise<number> {
  const wanted = env['COUNTERSIGN_ENDPOINT_PORT'] || '0';
  if (!/^\d{1,5}$/.test(wanted) || Number(wanted) > 65_535)
    throw new EndpointError(`COUNTERSIGN_ENDPOINT_PORT is ${wanted}: it may be a port from 1 to 65535`);
  const server = createServer();
  await new Promise<void>((done, fail) => server.once('error', fail).listen(Number(wanted), '127.0.0.1', done)).catch(
    (error: NodeJS.ErrnoException) => {
      const why = error.code === 'EADDRINUSE' ? 'is in use' : `cannot be used (${error.code})`;
      throw new EndpointError(`Port ${wanted} ${why}: end what listens there, or unset COUNTERSIGN_ENDPOINT_PORT`);
    },
  );
  const address = server.address();
  await new Promise((done) => server.close(done));
  if (!address || typeof address === 'string') throw new EndpointError('No free port on 127.0.0.1');
  return address.port;
}

function once(action: () => Promise<void>): () => Promise<void> {
  let result: Promise<void> | undefined;
  return () => {
    result ??= action();
    return result;
  };
}
