/** Declares the test projects of Vitest, their workers and their order. */
import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { configDefaults, defineConfig } from 'vitest/config';
import { WaitsFirst } from './test/local/endpoint/testing/waits-first.ts';
import { LeftOut } from './test/local/localstack/left-out.ts';
import { MostWorthFirst } from './test/local/localstack/most-worth-first.ts';
import { Outcomes } from './test/local/localstack/outcomes.ts';

/** Vitest leaves one core free, which is half of a small machine; much of a test's time is waiting besides. */
const WORKERS = Math.max(2, availableParallelism());

/** One project per kind of test, so that each runs alone: `npm run test:unit`, `npm run test:e2e`, … */
const project = (name: string, options: Record<string, unknown> = {}) => ({
  test: {
    name,
    include: [`test/${name}/**/*.test.ts`],
    environment: 'node',
    // Only a hang reaches it: other steps run beside each project, and a new machine takes four times as long as a quiet one.
    testTimeout: 240_000,
    hookTimeout: 240_000,
    // Vitest gives up after a second, which a browser or a function on a busy machine may need.
    expect: { poll: { timeout: 30_000 } },
    maxWorkers: WORKERS,
    ...options,
  },
});

/** CDK's own validation of a template takes seconds each time; `test/cdk` validates the app's templates once. */
const UNCHECKED = { CDK_VALIDATION: 'false' };

/** Templates name an asset by its digest: a test that reads templates needs no copy of every function for each app. */
const UNSTAGED = { CDK_CONTEXT_JSON: JSON.stringify({ 'aws:cdk:disable-asset-staging': true }) };

const LOCALSTACK = 'test/local/localstack/**/*.test.ts';
const DEPLOYED_ADAPTERS = 'test/integrations/deployed/*.test.ts';
const FRAMEWORKS = 'test/python/frameworks.test.ts';
const EXHAUSTIVE = 'test/unit/**/*.exhaustive.test.ts';
const SIMULATION = 'test/simulation/**/*.test.ts';

/** The tables that stores are tried on, and the endpoint that has them. */
const TABLES = {
  globalSetup: ['test/contract/support/tables-setup.ts', 'test/contract/support/endpoint-setup.ts'],
} as const;

/** Modules are loaded by Node: a tenth less processor time than by Vite, whose modules read each import through a getter. No mocks of modules then. */
const BY_NODE = {
  experimental: { viteModuleRunner: false, nodeLoader: false },
  setupFiles: ['test/support/own-imports.ts'],
};

const SEED = [...BY_NODE.setupFiles, 'test/support/property-seed.ts'];

/** One process for many files starts once and loads the packages once; modules of our own, which may keep something, are loaded for each file. */
const IN_SHARED_PROCESSES = { isolate: false, setupFiles: ['test/support/fresh-file.ts'] } as const;

const REPORT = process.env['COUNTERSIGN_REPORT'];

/** Workers without isolation: every file of one uses the gate that its first file deploys. */
const ON_ONE_GATE = {
  // A hook may deploy the gate.
  hookTimeout: 600_000,
  // On LocalStack it leaves out, and names, what differences.ts lists.
  setupFiles: [
    'test/local/localstack/setup-endpoint.ts',
    'test/e2e/rights/log-tests.ts',
    'test/e2e/rights/prove-tests.ts',
  ],
  ...(process.env['COUNTERSIGN_RIGHTS_PLAN'] ? { runner: 'test/e2e/rights/runner.ts' } : {}),
  pool: 'forks',
  isolate: false,
  maxWorkers: 1,
  fileParallelism: false,
  // Tests that wait side by side: each more is more processes of functions to start.
  maxConcurrency: 3,
  sequence: { groupOrder: 2 },
} as const;
const GAME_DAY = 'test/e2e/game-day/game-day.test.ts';

/** A gate waits most of its time, so a second one fills the cores. An endpoint or a log that is given can have one gate only. */
const HAS_ONE_GATE = [
  'AWS_ENDPOINT_URL',
  'COUNTERSIGN_ENDPOINT',
  'COUNTERSIGN_ENDPOINT_PORT',
  'COUNTERSIGN_RIGHTS_LOG',
].some((name) => process.env[name]);
const ON_TWO_GATES = {
  ...ON_ONE_GATE,
  globalSetup: ['test/e2e/prepare-gates.ts'],
  maxWorkers: 2,
  fileParallelism: true,
  sequence: { groupOrder: 3 },
} as const;

export default defineConfig({
  test: {
    reporters: ['default', new LeftOut(), ...(REPORT ? [new Outcomes(REPORT)] : [])],
    sequence: { sequencer: process.env['COUNTERSIGN_ENDPOINT'] === 'localstack' ? MostWorthFirst : WaitsFirst },
    projects: [
      project('unit', { ...BY_NODE, isolate: false, exclude: [EXHAUSTIVE], setupFiles: SEED }),
      // Tests that enumerate or generate thousands of cases: beside the unit tests, and not in `npm run check`. `COUNTERSIGN_RUNS=100000` runs longer
      // than any usual test may take.
      project('exhaustive', {
        ...BY_NODE,
        isolate: false,
        include: [EXHAUSTIVE],
        setupFiles: SEED,
        testTimeout: process.env['COUNTERSIGN_RUNS'] ? 3_600_000 : 600_000,
      }),
      // Loaded by Node as `npm run simulate` is: a run tells by Node's hooks that it waited for a module.
      project('simulation', {
        include: [SIMULATION],
        // Functions log and count for operators: nobody reads it here.
        env: { AWS_LAMBDA_LOG_LEVEL: 'FATAL', POWERTOOLS_METRICS_DISABLED: 'true' },
        testTimeout: process.env['COUNTERSIGN_RUNS'] ? 3_600_000 : 600_000,
        ...BY_NODE,
      }),
      project('conformance', { ...BY_NODE, isolate: false }),
      project('contract', { ...BY_NODE, ...TABLES, isolate: false }),
      // The stores and the vault once more, with the clients that the functions' bundles have.
      {
        ...project('contract-signed', {
          ...TABLES,
          include: [
            'test/contract/**/{stores,sent-again,guardrails,card-lists}-dynamodb.test.ts',
            'test/contract/vault-kms.test.ts',
          ],
          // Four times as many callers at once meet each other with the SDK's client.
          env: { COUNTERSIGN_CALLERS: '50' },
        }),
        resolve: {
          alias: {
            '@aws-sdk/client-dynamodb': resolve('test/contract/support/signed-dynamodb.ts'),
            '@aws-sdk/client-kms': resolve('test/contract/support/signed-kms.ts'),
          },
        },
      },
      // And on the tables that the simulator plays, which then behave as DynamoDB does.
      project('contract-simulated', {
        include: ['test/contract/stores/{stores,vote-history,card-lists}-dynamodb.test.ts'],
        ...BY_NODE,
        ...TABLES,
        isolate: false,
        env: { COUNTERSIGN_DYNAMODB: 'simulated' },
      }),
      project('local', { ...IN_SHARED_PROCESSES, exclude: [LOCALSTACK] }),
      project('python', { exclude: [FRAMEWORKS] }),
      // The adapters with the real frameworks, which are a third of a gigabyte: `npm run test:python-frameworks`.
      project('python-frameworks', { include: [FRAMEWORKS], hookTimeout: 600_000 }),
      // The second endpoint: its own parts, and what both have to do alike. Not in `npm test`: it wants Python 3.13, Java and Maven.
      project('localstack', {
        include: [LOCALSTACK, 'test/local/endpoint/{killed,queues,senders,step-functions}.test.ts'],
        env: { COUNTERSIGN_ENDPOINT: 'localstack' },
        setupFiles: ['test/local/localstack/setup-endpoint.ts'],
        hookTimeout: 600_000,
        maxWorkers: 1,
        fileParallelism: false,
        // Before the end-to-end tests: where time is short, the last of those are missing, and nothing that corrects LocalStack.
        sequence: { groupOrder: 1 },
      }),
      // The stores on AWS's DynamoDB Local. Not in `npm test`: it wants Java and Maven.
      project('dynamodb-local', {
        include: ['test/contract/**/*-dynamodb.test.ts'],
        ...TABLES,
        env: { COUNTERSIGN_DYNAMODB: 'local' },
      }),
      // The frameworks' own packages, which `node test/integrations/run.ts` installs.
      project('integrations', { ...BY_NODE, isolate: false, exclude: [...configDefaults.exclude, DEPLOYED_ADAPTERS] }),
      project('functions', { ...IN_SHARED_PROCESSES, globalSetup: ['test/functions/support/global-setup.ts'] }),
      project('cdk', {
        ...BY_NODE,
        isolate: false,
        env: { ...UNCHECKED, ...UNSTAGED },
        globalSetup: ['test/cdk/support/global-setup.ts'],
      }),
      project('package', {
        testTimeout: 300_000,
        hookTimeout: 300_000,
        globalSetup: ['test/package/support/global-setup.ts'],
      }),
      project('e2e', {
        ...(HAS_ONE_GATE ? ON_ONE_GATE : ON_TWO_GATES),
        include: ['test/e2e/**/*.test.ts', DEPLOYED_ADAPTERS],
        exclude: [GAME_DAY],
      }),
      // Gates of their own: what they play would be in the way of the other tests.
      project('campaign', ON_ONE_GATE),
      project('game-day', { ...ON_ONE_GATE, include: [GAME_DAY] }),
    ],
  },
});
