/**
 * Bundles the functions and synthesises the app for the tests of the stack.
 *
 * Happens once, for production and for development.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { bundleFunctions } from '../../../cdk/bundle.ts';
import { APP_ID, POLICY, ROOT, runApp, STACK } from './run-app.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Templates of the app's stack, as JSON text. */
    readonly production: string;
    readonly development: string;
    /** Findings of the app's own validations (cdk-nag). */
    readonly validation: string;
  }
}

const folder = mkdtempSync(join(tmpdir(), 'countersign-cdk-'));

export async function setup(project: TestProject): Promise<void> {
  await bundleFunctions(ROOT);
  const context = { slackAppId: APP_ID, policyFile: POLICY };
  const synthesise = async (name: 'production' | 'development', more: Record<string, unknown>) => {
    const { ok, output } = await runApp(join(folder, name), { ...context, ...more });
    if (!ok) throw new Error(`the app did not synthesise for ${name}:\n${output}`);
    project.provide(name, readFileSync(join(folder, name, `${STACK}.template.json`), 'utf8'));
  };
  await Promise.all([
    synthesise('production', { shift: 'linear', eventBusName: 'default' }),
    synthesise('development', { development: 'true' }),
  ]);
  project.provide('validation', readFileSync(join(folder, 'production', 'validation-report.json'), 'utf8'));
}

export function teardown(): void {
  rmSync(folder, { recursive: true, force: true });
}
