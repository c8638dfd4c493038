/** Runs `countersign dev --app` from the tarball, with an agent, a click, an operator and an auditor. */
import { globSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, inject, test } from 'vitest';
import { shellOf, startDev } from '../support/dev-run.ts';
import { descendants, isAlive } from '../support/processes.ts';
import { ROOT } from './support/project.ts';

const POLICY = `people: { olga: { team: T1A, user: U1A, name: Olga }, alice: { team: T1A, user: U2A, name: Alice } }
agents: { builder: { owner: olga } }
operators: { oncall: { person: olga } }
channels: { approvals: { team: T1A, id: C1A } }
approvers: { platform: { members: [alice], channel: approvals } }
approvals: { approvers: platform }
rules: { allow: [Read], deny: ['Bash(rm:*)'] }
`;

const APP = `import { App, CfnOutput, Stack } from 'aws-cdk-lib';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Countersign } from 'countersign/cdk';
const app = new App();
const stack = new Stack(app, 'Mine');
new Stack(app, 'NotOfTheGate');
const gate = new Countersign(stack, 'Gate', { policyFile: 'countersign.yaml', slackAppId: 'A0123ABCD' });
const roleOf = (id) => new Role(stack, id, { assumedBy: new ServicePrincipal('lambda.amazonaws.com') });
gate.grantPropose(roleOf('Builder'), 'builder');
gate.grantOperate(roleOf('Oncall'), 'oncall');
const auditor = roleOf('Auditor');
gate.grantAudit(auditor);
new CfnOutput(stack, 'AuditorRoleArn', { value: auditor.roleArn });
`;

const AGENT = `import { CountersignClient } from 'countersign';
await using client = CountersignClient.fromEnvironment();
const gated = (tool) => client.gate(tool, (input) => 'ran ' + Object.values(input));
const [tool, input] = process.argv.slice(2);
console.log(await gated(tool)(JSON.parse(input)).catch(({ name }) => name));
`;

const { folder: project } = inject('installed');
const folder = join(project, 'dev-app');
const COMMAND = join(project, 'node_modules', 'countersign', 'dist', 'cli', 'main.js');
const ENV = { ...process.env, AWS_PROFILE: 'of-somebody-else', COUNTERSIGN_CACHE: join(ROOT, '.cache') };

const as = shellOf(folder, ENV);
const countersign = (file: string, ...words: readonly string[]) => as(file, process.execPath, COMMAND, ...words);
const agent = (tool: string, input: object) =>
  as('builder', process.execPath, 'agent.mjs', tool, JSON.stringify(input));

test('an app of one’s own is deployed here, each file makes a shell somebody, and Ctrl-C leaves nothing', async () => {
  mkdirSync(folder);
  const write = (name: string, text: string) => writeFileSync(join(folder, name), text);
  write('countersign.yaml', POLICY);
  write('app.mjs', APP);
  write('agent.mjs', AGENT);
  // Keys of a real profile must not sign a request to the endpoint.
  write('cdk.json', '{"profile":"production"}');
  const dev = await startDev(folder, [process.execPath, COMMAND], ENV, ['--app', `${process.execPath} app.mjs`]);
  const started: number[] = [];
  try {
    const files = ['auditors/auditor.env', 'builder.env', 'operators/oncall.env'];
    expect(globSync('**/*.env', { cwd: join(folder, '.countersign-dev') }).toSorted()).toEqual(files);
    for (const file of files) expect(statSync(join(folder, '.countersign-dev', file)).mode & 0o077).toBe(0);
    await dev.until(/left out, because .*AWS::CloudWatch::CompositeAlarm/);

    const asked = agent('Bash', { command: 'git push' });
    await dev.click('U2A', 'C1A', 'Approve');
    expect(await asked).toBe('ran git push\n');
    await dev.until(/builder {2}Bash {2}\S+ {2}approved by /);
    expect(await agent('Bash', { command: 'rm x' })).toBe('NotApprovedError\n');

    // AWS's own SDK of another language, with the same file.
    const [python = ''] = globSync(join(ROOT, '.cache', 'endpoint', 'ministack-*', 'bin', 'python'));
    const whoami =
      'import botocore.session as b; print(b.get_session().create_client("sts").get_caller_identity()["Arn"])';
    expect(await as('builder', python, '-c', whoami)).toMatch(/:assumed-role\/Mine-Builder/);
    expect(await countersign('operators/oncall', 'pause', '--tool', 'Read', '--deny', '--reason', 'drill')).toContain(
      'pause',
    );
    expect(await countersign('auditors/auditor', 'audit', '--agent', 'builder')).toMatch(/git push +Alice +approved/);

    write('countersign.yaml', POLICY.replace('rules', 'ruls'));
    await dev.until(/countersign\.yaml:7:1: ruls: unknown key.*\ncountersign: the gate goes on/);
    write('countersign.yaml', POLICY.replace("deny: ['Bash(rm:*)']", "deny: ['Bash(git push:*)']"));
    await dev.until(/countersign\.yaml is deployed/);
    expect(await agent('Bash', { command: 'git push' })).toBe('NotApprovedError\n');
    started.push(...descendants(dev.pid));
    expect(started.length).toBeGreaterThan(1);
  } finally {
    expect(await dev.interrupt()).toBe(0);
  }
  expect(readdirSync(folder).toSorted()).toEqual(['agent.mjs', 'app.mjs', 'cdk.json', 'countersign.yaml']);
  expect(started.filter(isAlive)).toEqual([]);
});
