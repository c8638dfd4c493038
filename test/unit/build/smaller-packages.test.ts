/** Checks what a function's bundle leaves out, and that it refuses to grow beyond its limit. */
import { join } from 'node:path';
import { build, type Metafile, type Plugin } from 'esbuild';
import { expect, test } from 'vitest';
import { refuseLargerFirstImport } from '../../../cdk/first-import-limits.ts';
import { directSdkImports } from '../../../cdk/package/direct-sdk-imports.ts';
import { firstImport, laterImports } from '../../../cdk/package/import-graph.ts';
import { signedClients } from '../../../cdk/package/signed-clients.ts';
import { lacksJsonSchemas, withoutDescriptions, withoutJsonSchemas } from '../../../cdk/package/smaller-packages.ts';

const ROOT = join(import.meta.dirname, '../../..');

/** A program and what it imports later, from memory. */
async function bundled(program: string, later: string, plugins: readonly Plugin[]): Promise<Metafile> {
  const memory: Plugin = {
    name: 'memory',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^(?:index|later)$/ }, ({ path }) => ({ path, namespace: 'memory' }));
      onLoad({ filter: /.*/, namespace: 'memory' }, ({ path }) => ({
        contents: path === 'index' ? program : later,
        resolveDir: ROOT,
      }));
    },
  };
  const { metafile } = await build({
    entryPoints: { index: 'index' },
    outdir: join(ROOT, '.cache', 'none'),
    outExtension: { '.js': '.mjs' },
    write: false,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    mainFields: ['module', 'main'],
    absWorkingDir: ROOT,
    metafile: true,
    logLevel: 'error',
    plugins: [memory, ...plugins],
  });
  return metafile;
}

const filesOf = ({ outputs }: Metafile, isFirst: boolean): string[] =>
  Object.entries(outputs)
    .filter(([file]) => file.endsWith('index.mjs') === isFirst)
    .flatMap(([, { inputs }]) => Object.keys(inputs));

test('the protocol of a client that is loaded later is loaded with it', async () => {
  const program = `import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
    console.log(new DynamoDBClient({})); import('later');`;
  const later = `import { S3Client } from '@aws-sdk/client-s3'; console.log(new S3Client({}));`;
  const [plain, direct] = await Promise.all([bundled(program, later, []), bundled(program, later, [directSdkImports])]);
  const xml = (metafile: Metafile) => firstImport(metafile).packages.has('@aws-sdk/xml-builder');
  expect([xml(plain), xml(direct)]).toEqual([true, false]);
  expect(firstImport(direct).bytes).toBeLessThan(firstImport(plain).bytes);
  expect(filesOf(direct, false).some((file) => file.endsWith('AwsRestXmlProtocol.js'))).toBe(true);
  expect(laterImports(direct).bytes).toBeGreaterThan(0);
});

test('adapters of a bundle get the small client of DynamoDB, and the SDK’s is loaded when settings need it', async () => {
  const program = `import { dynamoJournalStore } from './shared/adapters/dynamodb/journal-store.ts';
    import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
    console.log(dynamoJournalStore(new DynamoDBClient({}), {}));`;
  const metafile = await bundled(program, '', [signedClients, directSdkImports]);
  const first = firstImport(metafile).packages;
  expect([first.has('@smithy/signature-v4'), first.has('@aws-sdk/client-dynamodb')]).toEqual([true, false]);
  expect(filesOf(metafile, false).some((file) => file.includes('@aws-sdk/client-dynamodb/'))).toBe(true);
});

const CHECKS = "import * as z from 'zod'; console.log(z.object({ a: z.string() }).safeParse({}));";
const WRITES = "import * as z from 'zod'; console.log(z.toJSONSchema(z.object({ a: z.string() })));";

test('a program that writes no JSON Schema carries no writer of them', async () => {
  const [plain, smaller] = await Promise.all([bundled(CHECKS, '', []), bundled(CHECKS, '', [withoutJsonSchemas])]);
  expect(firstImport(smaller).bytes).toBeLessThan(firstImport(plain).bytes);
  expect(lacksJsonSchemas(smaller)).toBe(false);
});

test.each([
  ["z.string().describe('a')", 'z.string()'],
  ['z.string().describe("it\\"s").min(1)', 'z.string().min(1)'],
  ['x.describe(`a`).optional()', 'x.optional()'],
  ["x.describe(\n  'a' +\n    'b).c',\n).min(1)", 'x\n\n\n.min(1)'],
])('without its description %j is %j, on as many lines', (text, plain) => {
  expect(withoutDescriptions(text)).toBe(plain);
});

test.each(['x.describe(`a $' + '{b}`)', 'x.describe(text)', "describe('a', () => {})", "x.describe('a', 'b')"])(
  '%j stays',
  (text) => {
    expect(withoutDescriptions(text)).toBe(text);
  },
);

test('a program that writes one and has no writer is noticed', async () => {
  expect(lacksJsonSchemas(await bundled(WRITES, '', [withoutJsonSchemas]))).toBe(true);
});

test('a first import over its limit fails the build, and names the function and its largest parts', () => {
  const sized = (bytes: number): Metafile => ({
    inputs: {},
    outputs: {
      'out/index.mjs': {
        bytes,
        inputs: { 'node_modules/big/a.js': { bytesInOutput: bytes } },
        imports: [],
        exports: [],
      },
    },
  });
  expect(() => refuseLargerFirstImport('slack', sized(1000))).not.toThrow();
  expect(() => refuseLargerFirstImport('slack', sized(5_000_000))).toThrow(/slack has 5000 KB.*big 5000 KB/);
});
