/** Checks which stacks of an assembly `countersign dev --app` changes and deploys. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { adaptAssembly } from '../../../shared/dev/deployed/local-assembly.ts';

const folder = mkdtempSync(join(tmpdir(), 'countersign-assembly-'));
afterAll(() => rmSync(folder, { recursive: true }));
beforeEach(() => {
  rmSync(folder, { recursive: true });
  mkdirSync(join(folder, 'stage'), { recursive: true });
});

const GATE = {
  Slack: {
    Type: 'AWS::Lambda::Function',
    Properties: { Environment: { Variables: { DEPLOYMENT: 'Mine', SLACK_APP_ID: 'A1', SLACK_SECRET: 's' } } },
  },
};
const AGENT = {
  Sender: {
    Type: 'AWS::SSM::Parameter',
    Properties: { Name: '/Mine/senders/agents/builder/c8', Value: { 'Fn::GetAtt': ['Role', 'RoleId'] } },
  },
  Role: { Type: 'AWS::IAM::Role' },
};

const stack = (templateFile: string, displayName: string) => ({
  type: 'aws:cloudformation:stack',
  displayName,
  properties: { templateFile, stackName: displayName.replace('/', '-') },
});
const write = (file: string, content: unknown) => writeFileSync(join(folder, file), JSON.stringify(content));
const adapt = () => adaptAssembly(folder, async (appId) => `http://127.0.0.1:1/${appId}/`);

test('the stack of the gate, in a stage too, and those of its agents; an empty stack and others stay as they are', async () => {
  write('manifest.json', {
    artifacts: {
      Tree: { type: 'cdk:tree' },
      Empty: stack('empty.json', 'Empty'),
      Other: stack('other.json', 'Other'),
      Agents: stack('agents.json', 'Agents'),
      'assembly-Stage': { type: 'cdk:cloud-assembly', properties: { directoryName: 'stage' } },
    },
  });
  write('empty.json', {});
  write('other.json', { Resources: { Topic: { Type: 'AWS::SNS::Topic' } } });
  write('agents.json', { Resources: AGENT });
  write('stage/manifest.json', { artifacts: { Gate: stack('gate.json', 'Stage/Gate') } });
  write('stage/gate.json', { Resources: GATE });
  expect(await adapt()).toMatchObject({
    gateStack: 'Stage-Gate',
    gate: { deployment: 'Mine', slackAppId: 'A1' },
    actors: [{ kind: 'agents', name: 'builder', stack: 'Agents' }],
    stacks: ['Agents', 'Stage/Gate'],
  });
  const read = (file: string) => readFileSync(join(folder, file), 'utf8');
  expect(read('stage/gate.json')).toContain('http://127.0.0.1:1/A1/');
  expect(read('empty.json')).toBe('{}');
  expect(read('other.json')).toBe('{"Resources":{"Topic":{"Type":"AWS::SNS::Topic"}}}');
});

test.each([
  ['no gate', ['Other'], 'no stack of the app holds a Countersign construct'],
  ['two gates', ['One', 'Two'], 'the app has several gates (One, Two)'],
])('an app with %s is refused', async (_, names, message) => {
  write('manifest.json', { artifacts: Object.fromEntries(names.map((name) => [name, stack(`${name}.json`, name)])) });
  for (const name of names) write(`${name}.json`, { Resources: name === 'Other' ? {} : GATE });
  await expect(adapt()).rejects.toThrow(message);
});

test.each([
  ['aws://111122223333/us-east-1', 'the stack One names the account 111122223333: take it from CDK_DEFAULT_ACCOUNT'],
  ['aws://000000000000/eu-west-1', 'the stack One names the region eu-west-1: take it from CDK_DEFAULT_REGION'],
  ['aws://unknown-account/eu-west-1', 'the stack One names the region eu-west-1'],
])('a stack for %s is refused: the CDK would ask for a bootstrap there', async (environment, message) => {
  write('manifest.json', { artifacts: { One: { ...stack('one.json', 'One'), environment } } });
  write('one.json', { Resources: GATE });
  await expect(adapt()).rejects.toThrow(message);
});

test.each(['aws://unknown-account/unknown-region', 'aws://000000000000/us-east-1'])(
  'a stack for %s is deployed',
  async (environment) => {
    write('manifest.json', { artifacts: { One: { ...stack('one.json', 'One'), environment } } });
    write('one.json', { Resources: GATE });
    expect((await adapt()).stacks).toEqual(['One']);
  },
);
