/** Runs the CDK's own command line against a local endpoint. */
import { createRequire } from 'node:module';
import { devNull } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { packageRoot } from '../../../cdk/constructs/functions/package-root.ts';
import { EndpointError, EndpointUnavailable } from './errors.ts';
import { run } from './run.ts';

export interface CdkOptions {
  /** Where the app runs. Default: the root of this package. */
  readonly cwd?: string;
  /** Where the CDK is installed. Default: where the app runs. */
  readonly project?: string;
  readonly onProgress?: (line: string) => void;
  readonly signal?: AbortSignal;
}

/** Nothing of the CDK's command line leaves this machine: no notices, no telemetry, no check for a newer version. */
const QUIET = { CDK_DISABLE_CLI_TELEMETRY: 'true', CDK_DISABLE_VERSION_CHECK: '1', CI: 'true', NO_COLOR: '1' };
/** CDK's validation of a template is no news to a local endpoint, and takes longer than all the rest; `test/cdk` validates. */
const UNCHECKED = { CDK_VALIDATION: 'false' };
/** An empty profile stands before one that a `cdk.json` names, whose keys would sign requests to the endpoint. */
const COMMON = ['--no-notices', '--no-version-reporting', '--ci', '--profile='];
/** The app and the CDK find no profile of this machine, and with it neither keys nor settings. */
const NO_PROFILES = { AWS_CONFIG_FILE: devNull, AWS_SHARED_CREDENTIALS_FILE: devNull };

/** @throws EndpointError with the resources that failed, or the last lines of the CDK; EndpointUnavailable with the packages to install if it is not there */
export async function cdk(
  command: string,
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
  { cwd = packageRoot(), project = cwd, onProgress, signal }: CdkOptions,
): Promise<void> {
  const path = [join(cwd, 'node_modules', '.bin'), join(packageRoot(), 'node_modules', '.bin'), env['PATH']];
  const result = await run(process.execPath, [cdkFile('bin/cdk', project), command, ...args, ...COMMON], {
    cwd,
    env: { ...env, ...QUIET, ...UNCHECKED, ...NO_PROFILES, PATH: path.join(delimiter) },
    ...(onProgress ? { onLine: (line: string) => onProgress(`cdk ${command}: ${line}`) } : {}),
    ...(signal ? { signal } : {}),
  });
  if (result.code !== 0) throw new EndpointError(`cdk ${command} failed:\n${reasonsIn(result.output)}`);
}

/** The resources that failed, where the CDK lists them: between them and its end stands what is rolled back. Else its last lines. */
export function reasonsIn(output: string): string {
  const lines = output.split('\n');
  const failed = lines.flatMap((line) => /_FAILED\s*\|\s*(.+)$/.exec(line)?.[1]?.replaceAll(/\s+\|\s+/g, ' ') ?? []);
  return failed.length ? [...new Set(failed)].join('\n') : lines.slice(-25).join('\n');
}

/**
 * A file of the user's own CDK, with the version that the app is written for; else of that of this repository.
 * @throws EndpointUnavailable with the packages to install if there is none
 */
export function cdkFile(name: string, project = packageRoot()): string {
  for (const folder of [project, packageRoot()]) {
    try {
      const manifest = createRequire(join(folder, 'package.json')).resolve('aws-cdk/package.json');
      return join(dirname(manifest), name);
    } catch {
      // Looked for in the next folder.
    }
  }
  throw new EndpointUnavailable('the CDK is not installed: npm install --save-dev aws-cdk aws-cdk-lib constructs');
}
