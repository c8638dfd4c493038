/** Packs this tree once for all tests of the package, and installs the tarball into an empty project. */
import type { TestProject } from 'vitest/node';
import { type Installed, installedProject } from './project.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    readonly installed: Installed;
  }
}

let remove = () => {};

export async function setup({ provide }: TestProject): Promise<void> {
  const made = await installedProject();
  remove = made.remove;
  provide('installed', made.installed);
  const { packed, unpacked, seconds } = made.installed;
  const mb = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`;
  console.log(`packed in ${seconds.pack.toFixed(1)} s: ${mb(packed)}, unpacked ${mb(unpacked)}`);
  console.log(`installed in ${seconds.install.toFixed(1)} s`);
}

export const teardown = (): void => remove();
