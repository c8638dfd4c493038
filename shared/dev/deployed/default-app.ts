/** Names the CDK app to deploy, and where it runs: the user's own, or that of the default stack. */
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../../../cdk/constructs/functions/package-root.ts';
import { cdkProject } from '../aws/cdk-packages.ts';
import type { DeployOptions } from '../aws/deploy-stack.ts';
import { stateFolderPrefix } from '../aws/leftovers.ts';

export interface AppOptions {
  /** The path of the policy file. */
  readonly policyFile: string;
  /** The command that runs the user's CDK app; undefined for the default stack. */
  readonly app: string | undefined;
  /** Where the user's app runs, and where the CDK is looked for. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Told of each step that takes long, and of each decision. */
  readonly tell: (line: string) => void;
  /** Ends a start or a deployment that is under way: abort it before `stop`. */
  readonly signal: AbortSignal;
}

/** As the id of an app at Slack. */
const SLACK_APP_ID = 'A0COUNTERSIGN';
/** The package holds the app beside this file's bundle. */
const APP = import.meta.filename.endsWith('.ts') ? ['cdk', 'dev-app.ts'] : ['dist', 'dev', 'app.js'];

/**
 * The default stack runs in a folder of its own: no `cdk.json` there changes it.
 *
 * @param atEnd takes the step that removes the folder
 * @throws EndpointUnavailable if there is no CDK, and none can be installed
 */
export async function appOf(
  { app, policyFile, cwd, env, tell, signal }: AppOptions,
  atEnd: (step: () => void) => void,
): Promise<Pick<DeployOptions, 'app' | 'cwd' | 'project'>> {
  if (app !== undefined) return { app, cwd };
  const project = await cdkProject(cwd, env, { onProgress: tell, signal });
  // Where a run that was killed left it, the next one takes it away.
  const empty = mkdtempSync(stateFolderPrefix(process.pid));
  atEnd(() => rmSync(empty, { recursive: true, force: true }));
  return { app: defaultApp(policyFile, project), cwd: empty, project };
}

/** @param project the folder where the CDK is installed */
export function defaultApp(policyFile: string, project: string): string {
  const words = [process.execPath, join(packageRoot(), ...APP), policyFile, SLACK_APP_ID, project];
  // The CDK gives the command to a shell, and takes quotes away that stand at both ends of it.
  return `exec ${words.map(quoted).join(' ')}`;
}

const quoted = (word: string): string => `'${word.replaceAll("'", "'\\''")}'`;
