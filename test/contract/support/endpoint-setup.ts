/** Starts one endpoint for a project, whose files have tables, buckets and keys of their own. */
import type { TestProject } from 'vitest/node';
import { type Endpoint, startEndpoint } from '../../local/endpoint/index.ts';

declare module 'vitest' {
  interface ProvidedContext {
    readonly endpoint: Omit<Endpoint, 'stop'>;
  }
}

export async function setup({ provide }: TestProject): Promise<() => Promise<void>> {
  const { stop, ...endpoint } = await startEndpoint();
  provide('endpoint', endpoint);
  return stop;
}
