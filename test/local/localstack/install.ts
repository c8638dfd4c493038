// Installs the parts that LocalStack's Python package lacks.
//
// DynamoDB Local and JSONata come from Maven Central, with a Java to run them.
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { copyFile, mkdir, readdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { cachedDirectory, isCached } from '../../../shared/dev/aws/cache.ts';
import { EndpointUnavailable } from '../../../shared/dev/aws/errors.ts';
import type { PythonPackages } from '../../../shared/dev/aws/python.ts';
import { run } from '../../../shared/dev/aws/run.ts';
import { manifestJar } from './manifest-jar.ts';

type Env = Record<string, string | undefined>;

export const LOCALSTACK = import.meta.dirname;

export const PACKAGES: PythonPackages = {
  name: 'LocalStack',
  requirements: join(LOCALSTACK, 'requirements.txt'),
  accepts: '(3, 13) <= v < (3, 14)',
  versions: '3.13',
  commands: ['python3.13', 'python3', 'python'],
  missing: process.platform === 'darwin' ? 'brew install python@3.13' : 'pyenv install 3.13',
  lasts: 'about two minutes, 340 MB',
};

const POM = join(LOCALSTACK, 'jars', 'pom.xml');
const JAVA = process.platform === 'darwin' ? 'brew install openjdk' : 'apt-get install openjdk-17-jre-headless';
const MAVEN = process.platform === 'darwin' ? 'brew install maven' : 'apt-get install maven';

/**
 * The home of the Java that is on the path.
 * @throws EndpointUnavailable without one, or with one older than 17
 */
export async function javaHome(env: Env): Promise<string> {
  const found = await run('java', ['-XshowSettings:properties', '-version'], { env }).catch(() => undefined);
  const [, version = '0'] = /java\.specification\.version = (\d+)/.exec(found?.output ?? '') ?? [];
  const [, home] = /java\.home = (.+)/.exec(found?.output ?? '') ?? [];
  if (!home || Number(version) < 17) throw new EndpointUnavailable(`Java 17 or newer is not installed: ${JAVA}`);
  return home.trim();
}

const nameOf = (java: string): string =>
  `localstack-jars-${createHash('sha256').update(readFileSync(POM)).update(java).digest('hex').slice(0, 12)}`;

/** @throws EndpointUnavailable without Maven, if the jars are not there yet */
export async function mavenIsThere(cache: string, java: string, env: Env): Promise<void> {
  if (isCached(cache, nameOf(java))) return;
  const found = await run('mvn', ['-v'], { env }).catch(() => undefined);
  if (found?.code !== 0) throw new EndpointUnavailable(`Maven is not installed: ${MAVEN}`);
}

/** A folder laid out as LocalStack's own installers leave it under `/usr/lib/localstack`; fetches the jars the first time. */
export async function libraries(
  cache: string,
  java: string,
  progress: (line: string) => void,
  env: Env,
  signal: AbortSignal,
): Promise<string> {
  return cachedDirectory(cache, nameOf(java), async (partial) => {
    progress('fetching DynamoDB Local and JSONata from Maven Central (once, about a minute, 50 MB)');
    const jars = join(partial, 'jars');
    const fetched = await run('mvn', ['-B', '-ntp', '-q', '-f', POM, `-Djars=${jars}`, 'package'], { env, signal });
    if (fetched.code !== 0) {
      const reason = fetched.output.split('\n').find((line) => line.includes('ERROR')) ?? fetched.output.slice(-300);
      throw new EndpointUnavailable(
        `The jars for LocalStack could not be fetched (${reason.trim()}): mvn -f ${POM} package`,
      );
    }
    await layOut(jars, partial, java);
    await rm(jars, { recursive: true });
  });
}

async function layOut(jars: string, root: string, java: string): Promise<void> {
  const dynamodb = join(root, 'dynamodb-local', '2');
  const jsonata = join(root, 'jsonata', '0.9.7');
  await Promise.all([dynamodb, jsonata, join(root, 'java')].map((folder) => mkdir(folder, { recursive: true })));
  const libs = join(dynamodb, 'DynamoDBLocal_lib');
  await rename(join(jars, 'dynamodb'), libs);
  const names = (await readdir(libs)).filter((name) => name.endsWith('.jar'));
  const manifest = {
    'Main-Class': 'com.amazonaws.services.dynamodbv2.local.main.ServerRunner',
    'Class-Path': names.map((name) => `DynamoDBLocal_lib/${name}`).join(' '),
  };
  await writeFile(join(dynamodb, 'DynamoDBLocal.jar'), manifestJar(manifest));
  for (const name of await readdir(join(jars, 'others'))) {
    const agent = name.startsWith('byte-buddy-agent');
    await copyFile(
      join(jars, 'others', name),
      agent ? join(dynamodb, 'ddb-local-loader-0.1.jar') : join(jsonata, name),
    );
  }
  await symlink(java, join(root, 'java', '21'));
  if (!existsSync(join(root, 'java', '21', 'bin', 'java')))
    throw new EndpointUnavailable(`No java under ${java}: ${JAVA}`);
}
