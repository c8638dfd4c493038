// Starts MiniStack as the local endpoint, with IAM and TLS as on AWS.
//
// Installs MiniStack once; a launcher corrects it.
import { mkdir, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { cacheDirectory } from './cache.ts';
import { caBundle, endpointCertificate } from './certificate.ts';
import { ACCOUNT, type Endpoint, REGION } from './endpoint.ts';
import { freePort, launch } from './launch.ts';
import { removeOldRuns, stateFolderPrefix } from './leftovers.ts';
import { MINISTACK } from './ministack-folder.ts';
import { type PythonPackages, pythonWith } from './python.ts';
import type { StartOptions } from './start-options.ts';

export const PACKAGES: PythonPackages = {
  name: 'MiniStack',
  requirements: join(MINISTACK, 'requirements.txt'),
  accepts: 'v >= (3, 10)',
  versions: '3.10 or newer',
  commands: ['python3', 'python3.13', 'python3.12', 'python3.11', 'python3.10', 'python'],
  missing: process.platform === 'darwin' ? 'brew install python' : 'apt-get install python3 python3-venv',
  lasts: 'seconds',
};

export async function startMiniStack(
  env: Record<string, string | undefined>,
  options: StartOptions,
): Promise<Endpoint> {
  const progress = options.onProgress ?? (() => {});
  const cache = cacheDirectory(env);
  const port = await freePort(env);
  const python = await pythonWith(PACKAGES, cache, progress, env, options.signal);
  const tls = await endpointCertificate(cache, python);
  await removeOldRuns(cache);
  // Outside the project: a function must not find the project's node_modules or package.json above its code.
  const state = await mkdtemp(stateFolderPrefix(process.pid));
  const bundle = join(state, 'ca-bundle.pem');
  await Promise.all([mkdir(join(state, 'tmp')), caBundle(tls.certificate, env).then((pem) => writeFile(bundle, pem))]);
  const url = `https://127.0.0.1:${port}`;
  progress(`starting MiniStack on ${url}`);
  return launch({
    kind: 'ministack',
    name: 'MiniStack',
    url,
    healthPath: '/_ministack/health',
    ca: await readFile(tls.certificate, 'utf8'),
    command: [python, join(MINISTACK, 'launcher.py')],
    state,
    cache,
    env: {
      PYTHONPYCACHEPREFIX: join(cache, 'bytecode'),
      GATEWAY_PORT: String(port),
      BIND_HOST: '127.0.0.1',
      MINISTACK_HOST: '127.0.0.1',
      MINISTACK_REGION: REGION,
      MINISTACK_ACCOUNT_ID: ACCOUNT,
      COUNTERSIGN_CORRECTIONS: options.corrected === false ? 'none' : 'all',
      AUTH: 'true',
      // Where requests of roles are logged with the statements that allowed them; see rights_log.py.
      ...(env['COUNTERSIGN_RIGHTS_LOG'] ? { COUNTERSIGN_RIGHTS_LOG: env['COUNTERSIGN_RIGHTS_LOG'] } : {}),
      USE_SSL: '1',
      MINISTACK_SSL_CERT: tls.certificate,
      MINISTACK_SSL_KEY: tls.key,
      NODE_EXTRA_CA_CERTS: bundle,
      // MiniStack's worker around each function uses url.parse, which would warn in every function's log.
      NODE_OPTIONS: '--disable-warning=DEP0169',
      AWS_CA_BUNDLE: bundle,
      STATE_DIR: state,
      S3_DATA_DIR: join(state, 's3'),
      SFN_WAIT_SCALE: '1',
      LOG_LEVEL: 'INFO',
      IOT_MTLS_ENABLED: '0',
      SFTP_ENABLED: '0',
    },
    certificate: tls.certificate,
    // An agent may ask other services too, by a proxy that its user trusts.
    clientEnv: { NODE_EXTRA_CA_CERTS: bundle, AWS_CA_BUNDLE: bundle },
  });
}
