/**
 * Starts AWS's DynamoDB Local alone: an endpoint that has DynamoDB and nothing else.
 *
 * The jars are those that LocalStack runs, pinned in `test/local/localstack/jars/pom.xml`. DynamoDB Local checks no rights.
 */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { DynamoDBClient, ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { cacheDirectory } from '../endpoint/cache.ts';
import { clientConfig, type Endpoint } from '../endpoint/endpoint.ts';
import { EndpointError } from '../endpoint/errors.ts';
import { clientEnvironment, freePort } from '../endpoint/launch.ts';
import { javaHome, libraries, mavenIsThere } from '../localstack/install.ts';

/** A new machine starts Java in some seconds. */
const MAX_START_MS = 60_000;
const LOOK_MS = 100;
/** Java ends when the pipe that this process holds does, however this process ends. */
const WITH_PARENT = '"$@" & cat > /dev/null; kill $!; wait';

type Env = Record<string, string | undefined>;

/**
 * Fetches the jars that are not in the cache yet.
 * @throws EndpointUnavailable without Java 17 or Maven, naming the command that installs it
 */
export async function prepareDynamoLocal(env: Env, progress: (line: string) => void): Promise<readonly string[]> {
  const cache = cacheDirectory(env);
  const java = await javaHome(env);
  await mavenIsThere(cache, java, env);
  const root = await libraries(cache, java, progress, env, new AbortController().signal);
  return [join(java, 'bin', 'java'), '-Xmx256m', '-jar', join(root, 'dynamodb-local', '2', 'DynamoDBLocal.jar')];
}

/** @throws EndpointError if it does not start, and as `prepareDynamoLocal` */
export async function startDynamoLocal(
  env: Env = process.env,
  progress: (line: string) => void = () => {},
): Promise<Endpoint> {
  const program = await prepareDynamoLocal(env, progress);
  const port = await freePort({});
  const options = ['-inMemory', '-disableTelemetry', '-port', String(port)];
  const child = spawn('sh', ['-c', WITH_PARENT, 'sh', ...program, ...options], { stdio: ['pipe', 'ignore', 'ignore'] });
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const stop = async () => {
    child.stdin.end();
    await ended;
  };
  const url = `http://127.0.0.1:${port}`;
  const base = { kind: 'given', url, env: clientEnvironment(url), pid: child.pid, logFile: undefined } as const;
  const endpoint: Endpoint = { ...base, stop };
  try {
    await answers(endpoint);
  } catch (error) {
    await stop();
    throw new EndpointError(`DynamoDB Local does not start: ${(error as Error).message}`);
  }
  return endpoint;
}

async function answers(endpoint: Endpoint): Promise<void> {
  const client = new DynamoDBClient({ ...clientConfig(endpoint), maxAttempts: 1 });
  const until = Date.now() + MAX_START_MS;
  for (;;) {
    try {
      await client.send(new ListTablesCommand({}));
      return client.destroy();
    } catch (error) {
      if (Date.now() > until) throw error;
      await delay(LOOK_MS);
    }
  }
}
