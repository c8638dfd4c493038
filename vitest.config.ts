import { defineConfig } from 'vitest/config';

/** One project per kind of test, so that each runs alone: `npm run test:unit`, `npm run test:e2e`, … */
const project = (name: string, options: Record<string, unknown> = {}) => ({
  test: { name, include: [`test/${name}/**/*.test.ts`], environment: 'node', testTimeout: 20_000, ...options },
});

const EXHAUSTIVE = 'test/unit/**/*.exhaustive.test.ts';

export default defineConfig({
  test: {
    projects: [
      project('unit', { isolate: false, exclude: [EXHAUSTIVE] }),
      // What enumerates or generates thousands of cases: beside the unit tests it belongs to, and not in `npm run check`.
      project('exhaustive', { isolate: false, include: [EXHAUSTIVE], testTimeout: 120_000 }),
      project('conformance', { testTimeout: 120_000, isolate: false }),
      project('contract', { testTimeout: 60_000, hookTimeout: 180_000 }),
      project('local', { testTimeout: 60_000, hookTimeout: 180_000 }),
      project('functions'),
      project('cdk', {
        testTimeout: 120_000,
        hookTimeout: 120_000,
        isolate: false,
        globalSetup: ['test/cdk/support/global-setup.ts'],
      }),
      project('package', { testTimeout: 300_000, hookTimeout: 300_000 }),
      // One worker, without isolation: every file uses the one gate that the first one deploys.
      project('e2e', {
        testTimeout: 120_000,
        hookTimeout: 300_000,
        pool: 'forks',
        isolate: false,
        maxWorkers: 1,
        fileParallelism: false,
      }),
    ],
  },
});
