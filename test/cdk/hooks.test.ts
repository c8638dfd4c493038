/** Checks the rights for a hook of the policy file: only `deliberate` may invoke that function and read that secret. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App, Stack } from 'aws-cdk-lib';
import { expect, test } from 'vitest';
import { Countersign } from '../../cdk/constructs/countersign.ts';
import { APP_ID, POLICY } from './support/run-app.ts';
import { rightsOf } from './support/statements.ts';
import { all, type TemplateJson } from './support/template.ts';

const HOOKS = `
hooks:
  review: { function: review-calls, agents: [billing] }
  again: { function: review-calls }
  theirs: { function: 'arn:aws:lambda:eu-west-1:111122223333:function:judge:live' }
  endpoint: { url: 'https://hooks.example.test/permission', secret: hooks/endpoint }
`;

test('least rights of hooks', () => {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-hooks-'));
  try {
    const policyFile = join(folder, 'hooks.yaml');
    writeFileSync(policyFile, readFileSync(POLICY, 'utf8') + HOOKS);
    const app = new App();
    new Countersign(new Stack(app, 'Theirs'), 'Gate', { policyFile, slackAppId: APP_ID });
    const template = app.synth().getStackByName('Theirs').template as TemplateJson;
    const touching = (role: string) =>
      rightsOf(template, role).filter((right) =>
        /InvokeFunction(?! GateResume|.*:refunds$)|hooks\/endpoint/.test(right),
      );
    expect(touching('GateDeliberateRole')).toEqual([
      'lambda:InvokeFunction arn:AWS::Partition:lambda:AWS::Region:AWS::AccountId:function:review-calls',
      'lambda:InvokeFunction arn:aws:lambda:eu-west-1:111122223333:function:judge:live',
      'secretsmanager:DescribeSecret arn:AWS::Partition:secretsmanager:AWS::Region:AWS::AccountId:secret:hooks/endpoint-??????',
      'secretsmanager:GetSecretValue arn:AWS::Partition:secretsmanager:AWS::Region:AWS::AccountId:secret:hooks/endpoint-??????',
    ]);
    const others = all(template, 'AWS::IAM::Role').filter(({ id }) => /^Gate(?!Deliberate|Workflow)\w+Role/.test(id));
    expect(others.length).toBeGreaterThan(5);
    for (const { id } of others) expect(touching(id.replace(/[0-9A-F]{8}$/, ''))).toEqual([]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
