/** Runs `countersign dev` from the tarball alone: the default stack, each env file, and a click. */
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, expect, inject, test } from 'vitest';
import { shellOf, startDev } from '../support/dev-run.ts';
import { descendants, isAlive } from '../support/processes.ts';
import { ROOT } from './support/project.ts';

const POLICY = `people: { olga: { team: T1A, user: U1A, name: Olga }, alice: { team: T1A, user: U2A, name: Alice } }
agents: { builder: { owner: olga }, fixed: { owner: olga, senders: [AROAEXAMPLEEXAMPLE000] } }
operators: { oncall: { person: olga } }
channels: { approvals: { team: T1A, id: C1A } }
approvers: { platform: { members: [alice], channel: approvals } }
approvals: { approvers: platform }
rules: { allow: [Read], deny: ['Bash(rm:*)'] }
`;

const AGENT = `import { CountersignClient } from 'countersign';
await using client = CountersignClient.fromEnvironment();
const [tool, input] = process.argv.slice(2);
const gated = client.gate(tool, (given) => 'ran ' + Object.values(given));
console.log(await gated(JSON.parse(input)).catch(({ name }) => name));
`;

const CDK = ['aws-cdk', 'aws-cdk-lib', 'constructs'] as const;
const base = mkdtempSync(join(tmpdir(), 'countersign-dev '));
afterAll(() => rmSync(base, { recursive: true, force: true }));
const folder = join(base, 'its project');
const COMMAND = join(folder, 'node_modules', 'countersign', 'dist', 'cli', 'main.js');
const CACHE = join(base, 'cache');
const ENV = { ...process.env, AWS_PROFILE: 'of-somebody-else', COUNTERSIGN_CACHE: CACHE };

/** A project that installed the tarball, and no CDK. */
function installProject(): void {
  const modules = join(inject('installed').folder, 'node_modules');
  mkdirSync(join(folder, 'node_modules'), { recursive: true });
  for (const name of readdirSync(modules))
    if (![...CDK, 'countersign'].includes(name) && !name.startsWith('.'))
      symlinkSync(join(modules, name), join(folder, 'node_modules', name));
  cpSync(join(modules, 'countersign'), join(folder, 'node_modules', 'countersign'), { recursive: true });
  writeFileSync(join(folder, 'countersign.yaml'), POLICY);
  writeFileSync(join(folder, 'agent.mjs'), AGENT);
  // The default stack takes nothing of it.
  writeFileSync(join(folder, 'cdk.json'), '{"app":"false","profile":"production"}');
}

/** A cache as the first run leaves it, with the endpoint and the CDK of this repository. */
function fillCache(): void {
  const { devDependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    readonly devDependencies: Readonly<Record<string, string>>;
  };
  const cdk = join(CACHE, 'endpoint', `cdk-${CDK.map((name) => devDependencies[name]).join('-')}`);
  mkdirSync(join(cdk, 'node_modules'), { recursive: true });
  for (const name of CDK) symlinkSync(join(ROOT, 'node_modules', name), join(cdk, 'node_modules', name));
  writeFileSync(join(cdk, 'complete'), '');
  for (const made of globSync(join(ROOT, '.cache', 'endpoint', '{ministack,tls}-*')))
    if (existsSync(join(made, 'complete'))) symlinkSync(made, join(CACHE, 'endpoint', basename(made)));
}

const as = shellOf(folder, ENV);
const agent = (file: string, tool: string, input: object) =>
  as(file, process.execPath, 'agent.mjs', tool, JSON.stringify(input));

test('the tarball alone runs the default stack: each file makes a shell somebody, each decision is a line', async () => {
  installProject();
  fillCache();
  const dev = await startDev(folder, [process.execPath, COMMAND], ENV);
  const started: number[] = [];
  try {
    const files = ['auditors/auditor.env', 'builder.env', 'fixed.env', 'operators/oncall.env'];
    expect(globSync('**/*.env', { cwd: join(folder, '.countersign-dev') }).toSorted()).toEqual(files);

    const asked = agent('builder', 'Bash', { command: 'git push' });
    await dev.until(/builder {2}Bash {2}\S+ {2}waits for people/);
    await dev.click('U2A', 'C1A', 'Approve');
    expect(await asked).toBe('ran git push\n');
    await dev.until(/builder {2}Bash {2}\S+ {2}approved by /);
    expect(await agent('fixed', 'Bash', { command: 'rm x' })).toBe('NotApprovedError\n');
    await dev.until(/fixed {2}Bash {2}\S+ {2}denied by rule/);

    // AWS's own SDK of another language: the file's own keys, and another file as a profile.
    // Node's glob enters no folder by a link.
    const made =
      globSync(join(CACHE, 'endpoint', 'ministack-*')).find((one) => existsSync(join(one, 'complete'))) ?? '';
    const python = join(made, 'bin', 'python');
    const whoami =
      'import sys, botocore.session as b; s = b.Session(profile=sys.argv[1] if sys.argv[1:] else None); print(s.create_client("sts").get_caller_identity()["Arn"])';
    expect(await as('builder', python, '-c', whoami)).toMatch(/:assumed-role\/Countersign-AgentRolebuilder/);
    expect(await as('builder', python, '-c', whoami, 'operators/oncall')).toMatch(
      /:assumed-role\/Countersign-OperatorRoleoncall/,
    );
    const audit = () => as('auditors/auditor', process.execPath, COMMAND, 'audit', '--agent', 'builder');
    expect(await audit()).toMatch(/git push +Alice +approved/);
    // The permit was redeemed: the run is on the record once the gate has read its report.
    await expect.poll(audit).toMatch(/ran +git push .*succeeded/);

    const requests = await as('operators/oncall', process.execPath, COMMAND, 'doctor', '--only', 'requests');
    expect(requests).toContain('the endpoint has a signing secret');

    writeFileSync(join(folder, 'countersign.yaml'), POLICY.replace('Bash(rm:*)', 'Bash(git push:*)'));
    await dev.until(/countersign\.yaml is deployed/);
    expect(await agent('builder', 'Bash', { command: 'git push' })).toBe('NotApprovedError\n');
    started.push(...descendants(dev.pid));
    expect(started.length).toBeGreaterThan(1);
  } finally {
    expect(await dev.interrupt()).toBe(0);
  }
  expect(readdirSync(folder).toSorted()).toEqual(['agent.mjs', 'cdk.json', 'countersign.yaml', 'node_modules']);
  expect(started.filter(isAlive)).toEqual([]);
});
