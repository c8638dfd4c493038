/** Finds the CDK that a project has, or installs it once into the cache. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { packageRoot } from '../../../cdk/constructs/functions/package-root.ts';
import { cacheDirectory, cachedDirectory } from './cache.ts';
import { EndpointUnavailable } from './errors.ts';
import { run } from './run.ts';
import type { StartOptions } from './start-options.ts';

const PACKAGES = ['aws-cdk', 'aws-cdk-lib', 'constructs'] as const;
/** Settings of the npm that runs this command, which are about another project. */
const OF_THIS_RUN =
  /^npm_(?:config_(?:(?:local_|global_)?prefix|workspaces?|include_workspace_root)|package_|lifecycle_)/i;

/**
 * The folder from which all packages of the CDK are found: the user's own, else of this package, else one of the cache.
 *
 * @param root of this package
 * @throws EndpointUnavailable if they are in none, and cannot be installed
 */
export async function cdkProject(
  cwd: string,
  env: Readonly<Record<string, string | undefined>>,
  { onProgress, signal }: Pick<StartOptions, 'onProgress' | 'signal'>,
  root: string = packageRoot(),
): Promise<string> {
  const own = [cwd, root].find(hasCdk);
  if (own !== undefined) return own;
  const cache = cacheDirectory(env);
  const versions = testedVersions(root);
  const name = `cdk-${versions.map(([, version]) => version).join('-')}`;
  return cachedDirectory(cache, name, async (folder) => {
    onProgress?.(`installing the CDK into ${join(cache, name)} (once, seconds; 200 MB)`);
    const args = ['install', '--prefix', folder, '--no-save', '--no-audit', '--no-fund', '--ignore-scripts'];
    const inherited = Object.entries(env).filter(([variable]) => !OF_THIS_RUN.test(variable));
    const installed = await run('npm', [...args, ...versions.map((one) => one.join('@'))], {
      cwd: folder,
      env: Object.fromEntries(inherited),
      ...(signal ? { signal } : {}),
    }).catch((error: unknown) => {
      signal?.throwIfAborted();
      return { code: 1, output: error instanceof Error ? error.message : String(error) };
    });
    if (installed.code === 0 && hasCdk(folder)) return;
    const lines = installed.output.split('\n').filter((line) => /error|ENOENT/i.test(line));
    throw new EndpointUnavailable(
      `the CDK is not installed here, and could not be (${lines[0] ?? 'npm failed'}): npm install --save-dev ${PACKAGES.join(' ')}`,
    );
  });
}

function hasCdk(folder: string): boolean {
  const { resolve } = createRequire(join(folder, 'package.json'));
  return PACKAGES.every((name) => {
    try {
      return resolve(`${name}/package.json`) !== '';
    } catch {
      return false;
    }
  });
}

/** Versions that the tests of this package run with. */
function testedVersions(root: string): readonly (readonly [string, string])[] {
  const { devDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    readonly devDependencies: Readonly<Record<(typeof PACKAGES)[number], string>>;
  };
  return PACKAGES.map((name) => [name, devDependencies[name]]);
}
