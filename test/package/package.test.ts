/** Checks the packed tarball: its files, entries, schemas and types, and `npx countersign`. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import { describe, expect, inject, test } from 'vitest';
import { ENTRIES } from '../../cdk/package/entries.ts';
import { startDev } from '../support/dev-run.ts';
import { ROOT, run, TSC } from './support/project.ts';

/**
 * Bytes. Most of it is the code of the functions, which the construct deploys, and of the gate in memory that `countersign dev` runs; a megabyte is
 * documents.
 */
const MAX_UNPACKED = 12_000_000;

/** Pages for users. Other packages name some of theirs, in capitals. */
const PAGES = /\bdocs\/[a-z-]+\.md\b/g;

/** Run by the CDK for `countersign dev`. */
const DEV_APP = './dist/dev/app.js';

interface Manifest {
  readonly version: string;
  readonly bin: { readonly countersign: string };
  readonly exports: Readonly<Record<string, string | { readonly types: string; readonly default: string }>>;
}

const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as Manifest;
const entries = Object.entries(manifest.exports).flatMap(([name, target]) =>
  typeof target === 'string' ? [] : [{ name: `countersign${name.slice(1)}`, ...target }],
);

const POLICY = `people: { olga: { team: T1A, user: U1A, name: Olga }, alice: { team: T1A, user: U2A, name: Alice } }
agents: { builder: { owner: olga } }
channels: { approvals: { team: T1A, id: C1A } }
approvers: { platform: { members: [alice], channel: approvals } }
approvals: { approvers: platform }
rules: { allow: [Read], deny: ['Bash(rm:*)'] }
`;

const installed = inject('installed');
const project = {
  ...installed,
  write: (name: string, text: string) => writeFileSync(join(installed.folder, name), text),
  run: (command: string, ...argv: readonly string[]) => run(installed.folder, command, argv),
};
project.write('countersign.yaml', POLICY);

test('holds what it needs, and no sources, tests or policy of this repository', () => {
  for (const { types, default: file } of entries)
    expect(project.files).toEqual(expect.arrayContaining([types, file].map((path) => path.slice(2))));
  expect(project.files).toEqual(
    expect.arrayContaining(['LICENSE', 'package.json', 'shared/contract/schemas/proposal.json']),
  );
  const foreign = project.files.filter((path) =>
    /^(test|functions|cdk)\/|(?<!\.d)\.ts$|\.map$|^countersign\.yaml$/.test(path),
  );
  expect(foreign).toEqual([]);
});

test('a stack trace calls an error as it is exported', async () => {
  project.write(
    'errors.mjs',
    `for (const entry of ['approvals', 'client', 'config', 'guardrails', 'permissions', 'policies', 'testing'])
  for (const [name, one] of Object.entries(await import('countersign/' + entry)))
    if (one?.prototype instanceof Error && one.name !== name) console.log(entry, name, one.name);`,
  );
  expect(await project.run('node', 'errors.mjs')).toEqual({ code: 0, out: '', err: '' });
});

test('functions that are bundled already are not bundled again', () => {
  expect(project.bundledAgain).toEqual([]);
});

test('npm has no script to run, or to warn of, where the tarball is installed', () => {
  const { scripts } = JSON.parse(
    readFileSync(join(project.folder, 'node_modules', 'countersign', 'package.json'), 'utf8'),
  ) as { readonly scripts: Readonly<Record<string, string>> };
  expect(Object.keys(scripts).filter((name) => /^(?:pre|post)?install$|^(?:pre|post)?prepare$/.test(name))).toEqual([]);
});

test('every file of the tarball is reached from an entry, and all of them are small', () => {
  const root = join(project.folder, 'node_modules', 'countersign');
  const reached = new Set(
    [...entries.flatMap(({ types, default: file }) => [types, file]), manifest.bin.countersign, DEV_APP].map((path) =>
      path.replace(/^\.\//, ''),
    ),
  );
  for (const file of reached)
    for (const [, path] of readFileSync(join(root, file), 'utf8').matchAll(/(?:from|import)\s*\(?\s*"(\.[^"]+)"/g)) {
      const target = posix.join(posix.dirname(file), path ?? '');
      reached.add(file.endsWith('.d.ts') ? target.replace(/\.js$/, '.d.ts') : target);
    }
  expect(project.files.filter((path) => /^dist\/.*\.(?:js|ts)$/.test(path) && !reached.has(path))).toEqual([]);
  expect(project.unpacked).toBeLessThan(MAX_UNPACKED);
});

test('a page that a message, an alarm or the README names is in the tarball', () => {
  const root = join(project.folder, 'node_modules', 'countersign');
  const speaking = project.files.filter((path) => /^dist\/.*\.js$|^README\.md$/.test(path));
  const named = new Set(speaking.flatMap((path) => readFileSync(join(root, path), 'utf8').match(PAGES) ?? []));
  expect(named.size).toBeGreaterThan(10);
  expect([...named].filter((page) => !project.files.includes(page))).toEqual([]);
});

test('the entries are those that the build knows, each with its file', () => {
  const known = Object.keys(ENTRIES).map((name) => `countersign/${name}`);
  expect(entries.map(({ name }) => name).toSorted()).toEqual(['countersign', ...known].toSorted());
  for (const { name, types, default: file } of entries) {
    const path = name === 'countersign' ? 'client' : name.replace('countersign/', '');
    expect([types, file]).toEqual([`./dist/${path}.d.ts`, `./dist/${path}.js`]);
  }
});

test.concurrent.each(entries)('$name is imported by plain Node', async ({ name }) => {
  const file = `${name.replaceAll('/', '-')}.mjs`;
  project.write(file, `console.log(Object.keys(await import('${name}')).length);\n`);
  const ran = await project.run('node', file);
  expect(ran).toMatchObject({ code: 0, err: '' });
  expect(Number(ran.out)).toBeGreaterThan(0);
});

test('every entry is required by CommonJS', async () => {
  const names = JSON.stringify(entries.map(({ name }) => name));
  project.write(
    'all.cjs',
    `for (const name of ${names}) if (!Object.keys(require(name)).length) throw new Error(name);\n`,
  );
  expect(await project.run('node', 'all.cjs')).toMatchObject({ code: 0, err: '' });
});

test('the command names the sources behind frames of the functions that the package holds', async () => {
  const dist = join(project.folder, 'node_modules', 'countersign', 'dist');
  const { functions } = JSON.parse(
    brotliDecompressSync(readFileSync(join(dist, 'functions.json.br'))).toString('utf8'),
  ) as { readonly functions: Readonly<Record<string, Readonly<Record<string, string>>>> };
  const chunks = Object.keys(functions['evaluate'] ?? {}).filter((file) => file.startsWith('chunk-'));
  const frames = chunks.map((file) => `${file}:2:1000000`);
  const ran = await project.run(join('node_modules', '.bin', 'countersign'), 'frames', ...frames);
  const named = ran.out.split('\n').filter((line) => /^(?:shared|functions|node_modules)\/.+:\d+$/.test(line));
  expect(ran.out).not.toContain('..');
  expect(named.length).toBeGreaterThan(50);
});

test('what is not an entry cannot be imported', async () => {
  project.write('inner.mjs', "await import('countersign/dist/chunks/x.js');\n");
  expect((await project.run('node', 'inner.mjs')).err).toContain('ERR_PACKAGE_PATH_NOT_EXPORTED');
});

test('the schemas are there for programs in other languages', async () => {
  project.write(
    'schema.mjs',
    `import policy from 'countersign/schemas/countersign.schema.json' with { type: 'json' };
import proposal from 'countersign/schemas/proposal.json' with { type: 'json' };
console.log(policy.title, '|', proposal.title);
`,
  );
  expect((await project.run('node', 'schema.mjs')).out).toBe('countersign.yaml | Countersign proposal\n');
});

test('types resolve, and are not any', async () => {
  project.write(
    'consumer.ts',
    `import { CountersignClient, type Decision } from 'countersign';
import { loadPolicy } from 'countersign/config';
import { proposalSchema } from 'countersign/contract';
import { PermissionService } from 'countersign/permissions';
import { Countersign } from 'countersign/cdk';
export const client = new CountersignClient({ agent: 'a', deployment: 'd', queueUrl: 'q', auditTable: 't' });
export const decision: Promise<Decision> = client.wait('p');
export const push = client.gate('Bash', (input: { command: string }) => input.command.length);
export const words = [loadPolicy('', 'x').policyVersion.length, proposalSchema.parse({}).proposalId.length];
export const reason: Promise<string> = new PermissionService({ rules: [] }).check('Read', {}).then((decision) => decision.decision);
// @ts-expect-error an agent is a text
export const wrong = new CountersignClient({ agent: 1, deployment: 'd', queueUrl: 'q', auditTable: 't' });
// @ts-expect-error the policy file is required
export const gate = (stack: never) => new Countersign(stack, 'Gate', { slackAppId: 'A1' });
`,
  );
  project.write(
    'tsconfig.json',
    '{"compilerOptions":{"module":"nodenext","target":"es2024","strict":true,"noEmit":true,"skipLibCheck":true,"types":["node"]},"files":["consumer.ts"]}\n',
  );
  const ran = await project.run('node', ...TSC, '-p', '.');
  expect(ran).toMatchObject({ code: 0, out: '' });
});

describe('npx countersign', () => {
  test('check answers by exit code, the shell parser included', async () => {
    const check = ['countersign', 'check', '--tool', 'Bash', '--input', '{"command":"cd x && rm -rf y"}', '--json'];
    const ran = await project.run('npx', '--no-install', ...check);
    expect(ran.code).toBe(4);
    expect(JSON.parse(ran.out)).toMatchObject({ verdict: 'deny', rule: { file: 'countersign.yaml', line: 6 } });
  });

  test('check does not wait for optimised code of the shell lexer, which takes a second', async () => {
    const input = '{"command":"for file in a b; do cat <(echo $file) | grep x; done"}';
    const main = join('node_modules', 'countersign', 'dist', 'cli', 'main.js');
    const options = ['check', '--tool', 'Bash', '--input', input];
    const { out } = await project.run('node', '--trace-wasm-compilation-times', main, ...options);
    expect(out).toMatch(/using Liftoff/);
    expect(out).not.toMatch(/using TurboFan/);
  });

  test('knows its version', async () => {
    const ran = await project.run(join('node_modules', '.bin', 'countersign'), '--version');
    expect(ran.out.trim()).toBe(manifest.version);
  });

  test('dev --memory runs a gate for an agent that is another process, and Ctrl-C leaves nothing', async () => {
    project.write(
      'agent.mjs',
      `import { CountersignClient } from 'countersign';
const client = CountersignClient.fromEnvironment();
const shell = client.gate('Bash', ({ command }) => 'ran ' + command);
console.log(await shell({ command: 'rm x' }).catch(({ name }) => name), await shell({ command: 'git push' }));
`,
    );
    const command = [join(project.folder, 'node_modules', '.bin', 'countersign')];
    const dev = await startDev(project.folder, command, process.env, ['--memory']);
    try {
      const ran = project.run('node', '--env-file=.countersign-dev/builder.env', 'agent.mjs');
      await dev.click('U2A', 'C1A', 'Approve');
      expect(await ran).toMatchObject({ code: 0, out: 'NotApprovedError ran git push\n' });
      expect((await fetch(`${dev.page}/assets/main.js`)).status).toBe(200);
      expect(await dev.interrupt()).toBe(0);
    } finally {
      await dev.interrupt();
    }
    expect(existsSync(join(project.folder, '.countersign-dev'))).toBe(false);
  });

  test('speaks MCP, with nothing but the package installed', async () => {
    const asked = ['mcp', 'github', '--url', 'http://127.0.0.1:1/mcp'];
    const ran = await project.run(join('node_modules', '.bin', 'countersign'), ...asked);
    expect(ran).toMatchObject({ code: 1, err: expect.stringContaining('github did not say what tools it has') });
  });

  test('starts an MCP server that is a program, with nothing but the package installed', async () => {
    project.write(
      'desk.mjs',
      `import { createInterface } from 'node:readline';
const results = {
  initialize: ({ protocolVersion }) => ({ protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'desk', version: '1' } }),
  'tools/list': () => ({ tools: [{ name: 'look', inputSchema: { type: 'object' } }] }),
};
for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  if (id !== undefined) console.log(JSON.stringify({ jsonrpc: '2.0', id, result: results[method](params) }));
}
`,
    );
    project.write('desk.yaml', 'agents: {}\nmcpServers: { desk: { command: node, args: [desk.mjs] } }\n');
    const ran = await project.run(join('node_modules', '.bin', 'countersign'), 'mcp', 'desk', '--policy', 'desk.yaml');
    expect(ran).toMatchObject({ code: 0, err: '', out: expect.stringMatching(/mcp__desk__look +new/) });
  });

  test('every command says what it takes', async () => {
    const commands = [
      'check',
      'explain',
      'policy',
      'pending',
      'audit',
      'pause',
      'decide',
      'redrive',
      'hook',
      'install',
      'serve',
      'mcp-gateway',
    ];
    // One process for all: each start takes half a second.
    project.write(
      'helps.mjs',
      `import { processIo, run } from 'countersign/cli';
for (const command of ${JSON.stringify(commands)}) console.log(command, 'ended with', await run([command, '--help'], processIo()));
`,
    );
    const ran = await project.run('node', 'helps.mjs');
    expect(ran).toMatchObject({ code: 0, err: '' });
    for (const command of commands) {
      expect(ran.out).toMatch(new RegExp(`^Usage: countersign ${command} `, 'm'));
      expect(ran.out).toContain(`\n${command} ended with 0\n`);
    }
  });
});

test("synthesises the construct in a stack of the consumer's own", async () => {
  project.write(
    'app.mjs',
    `import { App, Stack } from 'aws-cdk-lib';
import { Role, AccountRootPrincipal } from 'aws-cdk-lib/aws-iam';
import { Countersign } from 'countersign/cdk';
// Templates name an asset by its digest; dev-app.test.ts deploys copies of the functions.
const app = new App({ outdir: 'cdk.out', context: { 'aws:cdk:disable-asset-staging': true } });
const stack = new Stack(app, 'Mine');
const gate = new Countersign(stack, 'Gate', { policyFile: 'countersign.yaml', slackAppId: 'A0123ABCD' });
gate.grantPropose(new Role(stack, 'Agent', { assumedBy: new AccountRootPrincipal() }), 'builder');
const { template } = app.synth().getStackByName('Mine');
const types = Object.values(template.Resources).map(({ Type }) => Type);
console.log(JSON.stringify({ functions: types.filter((type) => type === 'AWS::Lambda::Function').length, tables: types.filter((type) => type === 'AWS::DynamoDB::Table').length }));
`,
  );
  const ran = await project.run('node', 'app.mjs');
  expect(ran.code, ran.err).toBe(0);
  const { functions, tables } = JSON.parse(ran.out) as { functions: number; tables: number };
  expect(functions).toBeGreaterThanOrEqual(8);
  expect(tables).toBe(2);
});
