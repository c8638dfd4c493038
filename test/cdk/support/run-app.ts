/** Runs an app as the CDK's command line does: settings as context, the assembly into a folder. */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

export const ROOT = resolve(import.meta.dirname, '../../..');
export const POLICY = join(import.meta.dirname, 'policy.yaml');
export const APP_ID = 'A0COUNTERSIGN';
export const STACK = 'Gate-Test';

/** The flags of cdk.json: the command line gives them to every app. */
export const FLAGS = (JSON.parse(readFileSync(join(ROOT, 'cdk.json'), 'utf8')) as { context: Record<string, unknown> })
  .context;

interface Ran {
  readonly ok: boolean;
  readonly output: string;
}

export function runApp(
  outdir: string,
  context: Record<string, unknown>,
  app = join(ROOT, 'cdk', 'app.ts'),
): Promise<Ran> {
  const env = {
    ...process.env,
    NODE_OPTIONS: '',
    CDK_VALIDATION: 'true',
    CDK_OUTDIR: outdir,
    CDK_CONTEXT_JSON: JSON.stringify({ ...FLAGS, stackName: STACK, ...context }),
  };
  return new Promise((done) => {
    // Beside other work the threads that collect the validation's garbage wait for each other, a fifth of all.
    execFile(process.execPath, ['--single-threaded-gc', app], { cwd: ROOT, env }, (error, stdout, stderr) =>
      done({ ok: error === null, output: `${stdout}${stderr}` }),
    );
  });
}
