// Starts what plays AWS on this machine, or takes the one that AWS_ENDPOINT_URL names.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, open, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { delimiter, dirname, join, resolve } from 'node:path';
import { cacheDirectory } from './cache.ts';
import { caBundle, endpointCertificate } from './certificate.ts';
import { ACCOUNT, type Endpoint, REGION } from './endpoint.ts';
import { EndpointError, EndpointUnavailable } from './errors.ts';
import { ready, status } from './health.ts';
import { removeOldRuns, stateFolderPrefix, stopGroup } from './leftovers.ts';
import { requireLoopback } from './loopback.ts';
import { MINISTACK, ministackPython } from './python.ts';

export interface StartOptions {
  /** Told about every step that may take longer than a second. */
  onProgress?: (line: string) => void;
  /** Default: this process's. */
  env?: Record<string, string | undefined>;
  /** MiniStack's: DEBUG, INFO, WARNING. Default INFO. */
  logLevel?: string;
  /** Factor for the waits (not the time-outs) of state machines. Default 1. */
  waitScale?: number;
}

const NODE_MODULES_BIN = resolve(import.meta.dirname, '../../../node_modules/.bin');

/**
 * @throws EndpointUnavailable if this machine cannot run one (the caller may fall back to memory adapters)
 * @throws EndpointNotLocal if AWS_ENDPOINT_URL is set and not loopback
 * @throws EndpointError if it does not start
 */
export async function startEndpoint(options: StartOptions = {}): Promise<Endpoint> {
  const env = options.env ?? process.env;
  return env.AWS_ENDPOINT_URL ? given(env.AWS_ENDPOINT_URL, env) : startMiniStack(env, options);
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

async function startMiniStack(env: Record<string, string | undefined>, options: StartOptions): Promise<Endpoint> {
  if (process.platform === 'win32') {
    throw new EndpointUnavailable('The local endpoint needs Linux or macOS: wsl --install, or set AWS_ENDPOINT_URL');
  }
  const progress = options.onProgress ?? (() => {});
  const cache = cacheDirectory(env);
  const python = await ministackPython(cache, progress, env);
  const tls = await endpointCertificate(cache, python);
  await removeOldRuns(cache);
  // Outside the project: a function must not find the project's node_modules or package.json above its code.
  const state = await mkdtemp(stateFolderPrefix(process.pid));
  const bundle = join(state, 'ca-bundle.pem');
  await Promise.all([
    mkdir(join(state, 'tmp')),
    mkdir(join(cache, 'logs'), { recursive: true }),
    caBundle(tls.certificate, env).then((pem) => writeFile(bundle, pem)),
  ]);
  const port = await freePort();
  const url = `https://127.0.0.1:${port}`;
  const logFile = join(cache, 'logs', `${new Date().toISOString().replaceAll(/[:.]/g, '-')}-${port}.log`);
  progress(`starting MiniStack on ${url}`);
  const log = await open(logFile, 'a');
  const child = spawn(python, [join(MINISTACK, 'launcher.py')], {
    cwd: state,
    detached: true,
    stdio: ['pipe', log.fd, log.fd],
    env: {
      // Nothing else of this environment: functions inherit it, and on AWS they would find none of it.
      PATH: [dirname(nodeBinary()), env.PATH].join(delimiter),
      HOME: state,
      LANG: 'C.UTF-8',
      TZ: 'UTC',
      TMPDIR: join(state, 'tmp'),
      PYTHONPYCACHEPREFIX: join(cache, 'bytecode'),
      GATEWAY_PORT: String(port),
      BIND_HOST: '127.0.0.1',
      MINISTACK_HOST: '127.0.0.1',
      MINISTACK_REGION: REGION,
      MINISTACK_ACCOUNT_ID: ACCOUNT,
      AUTH: 'true',
      USE_SSL: '1',
      MINISTACK_SSL_CERT: tls.certificate,
      MINISTACK_SSL_KEY: tls.key,
      NODE_EXTRA_CA_CERTS: bundle,
      // MiniStack's worker around each function uses url.parse, which would warn in every function's log.
      NODE_OPTIONS: '--disable-warning=DEP0169',
      AWS_CA_BUNDLE: bundle,
      AWS_ACCESS_KEY_ID: 'test',
      AWS_SECRET_ACCESS_KEY: 'test',
      STATE_DIR: state,
      S3_DATA_DIR: join(state, 's3'),
      SFN_WAIT_SCALE: String(options.waitScale ?? 1),
      LOG_LEVEL: options.logLevel ?? 'INFO',
      IOT_MTLS_ENABLED: '0',
      SFTP_ENABLED: '0',
    },
  });
  await log.close();
  // The launcher ends when this pipe does, so it must not end early or keep this process alive.
  child.stdin?.on('error', () => {});
  child.unref();
  (child.stdin as unknown as { unref?: () => void } | null)?.unref?.();
  const stop = once(() => stopGroup(child, state));
  try {
    await ready(child, url, await readFile(tls.certificate, 'utf8'), logFile);
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    kind: 'ministack',
    url,
    env: { ...clientEnvironment(url), NODE_EXTRA_CA_CERTS: bundle, AWS_CA_BUNDLE: bundle },
    pid: child.pid,
    logFile,
    stop,
  };
}

function clientEnvironment(url: string): Record<string, string> {
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

/** Functions run on `nodejs24.x`: the package brings that Node along; elsewhere this process has to be one. */
function nodeBinary(): string {
  const own = join(NODE_MODULES_BIN, 'node');
  if (existsSync(own)) return own;
  if (Number(process.versions.node.split('.')[0]) >= 24) return process.execPath;
  throw new EndpointError(`Node 24 is not installed (this is ${process.version}): npm ci`);
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((done, fail) => server.once('error', fail).listen(0, '127.0.0.1', done));
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
