/** Checks that a function may ask the models of Bedrock that its policy file names, and no other. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type App, Stack, Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks } from 'cdk-nag';
import { expect, test, vi } from 'vitest';
import { Countersign } from '../../../cdk/constructs/countersign.ts';
import { explainFindings } from '../../../cdk/nag-findings.ts';
import { newApp } from '../support/new-app.ts';
import { APP_ID, POLICY } from '../support/run-app.ts';
import { nameOf, rightsOf, statementsOf } from '../support/statements.ts';
import { all, type TemplateJson } from '../support/template.ts';

const HAIKU = 'anthropic.claude-3-haiku-20240307-v1:0';
const OF_APPLICATION = 'arn:aws:bedrock:us-west-2:111122223333:application-inference-profile/abc123';

const MODELS = `
classifier: { model: { provider: bedrock, model: '${HAIKU}' } }
taskAgent: { enabled: true, agent: billing, model: { provider: bedrock, region: eu-west-1, model: eu.amazon.nova-lite-v1:0 } }
models:
  near: { provider: bedrock }
  far: { provider: bedrock, region: us-east-1 }
  key: { provider: anthropic, secret: model-key }
policies:
  one: { type: llm, client: near, model: '${HAIKU}' }
  two:
    type: composite
    proposer: { type: llm, client: far, model: openai.gpt-oss-120b-1:0 }
    approver: { type: llm, client: near, model: '${OF_APPLICATION}' }
    requiresApproval: { type: always }
  three: { type: llm, client: key, model: claude-sonnet-4-5 }
`;

function synthesised(more: string, plugin?: (app: App, gate: Countersign) => void): TemplateJson {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-models-'));
  try {
    const policyFile = join(folder, 'models.yaml');
    writeFileSync(policyFile, readFileSync(POLICY, 'utf8') + more);
    const app = newApp({ outdir: join(folder, 'out') });
    const gate = new Countersign(new Stack(app, 'Theirs'), 'Gate', { policyFile, slackAppId: APP_ID });
    plugin?.(app, gate);
    return app.synth().getStackByName('Theirs').template as TemplateJson;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const modelled = synthesised(MODELS);

const HERE = 'arn:AWS::Partition:bedrock:AWS::Region';
const PROFILE = 'arn:AWS::Partition:bedrock:eu-west-1:AWS::AccountId:inference-profile/eu.amazon.nova-lite-v1:0';
const ofModels = (template: TemplateJson, role: string) =>
  rightsOf(template, role).filter((right) => right.startsWith('bedrock:'));

test('each role may ask what the policy file names for it, a profile’s model through the profile alone', () => {
  const ofTask = [
    `bedrock:InvokeModel ${PROFILE}`,
    'bedrock:InvokeModel arn:AWS::Partition:bedrock:*::foundation-model/amazon.nova-lite-v1:0',
  ];
  expect(ofModels(modelled, 'GateConverseRole')).toEqual([...ofTask].sort());
  expect(ofModels(modelled, 'GateDeliberateRole')).toEqual(
    [
      ...ofTask,
      `bedrock:InvokeModel ${HERE}::foundation-model/${HAIKU}`,
      'bedrock:InvokeModel arn:AWS::Partition:bedrock:us-east-1::foundation-model/openai.gpt-oss-120b-1:0',
      `bedrock:InvokeModel ${OF_APPLICATION}`,
      'bedrock:InvokeModel arn:AWS::Partition:bedrock:*::foundation-model/*',
    ].sort(),
  );
  const roles = all(modelled, 'AWS::IAM::Role').map(({ id }) => id.replace(/[0-9A-F]{8}$/, ''));
  const others = roles.filter((id) => /^Gate(?!Workflow)\w+Role/.test(id) && !/^Gate(Converse|Deliberate)/.test(id));
  expect(others.length).toBeGreaterThan(5);
  for (const role of others) expect(ofModels(modelled, role)).toEqual([]);
});

test('a model in any region is asked through the profile that was named, and by no other way', () => {
  const wide = statementsOf(modelled, 'GateDeliberateRole').filter(({ Resource }) =>
    nameOf(Resource).includes(':bedrock:*:'),
  );
  const through = wide.map(({ Resource, Condition }) => [
    nameOf(Resource),
    nameOf(Condition?.['StringEquals']?.['bedrock:InferenceProfileArn']),
  ]);
  expect(through).toEqual([
    ['arn:AWS::Partition:bedrock:*::foundation-model/amazon.nova-lite-v1:0', PROFILE],
    ['arn:AWS::Partition:bedrock:*::foundation-model/*', OF_APPLICATION],
  ]);
});

test('no secret is read for a model of Bedrock, and a key’s secret is', () => {
  const secrets = rightsOf(modelled, 'GateDeliberateRole').filter((right) => right.includes(':secret:'));
  expect(secrets).toEqual([expect.stringContaining(':secret:model-key-??????')]);
});

test('without a model of Bedrock nobody may ask one', () => {
  expect(ofModels(synthesised(''), 'GateDeliberateRole')).toEqual([]);
});

test('cdk-nag finds nothing that is not explained', () => {
  const quiet = vi.spyOn(console, 'error').mockImplementation(() => undefined);
  const { exitCode } = process;
  try {
    synthesised(MODELS, (app, gate) => {
      Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
      explainFindings(gate);
    });
    expect(quiet).not.toHaveBeenCalled();
  } finally {
    process.exitCode = exitCode;
    quiet.mockRestore();
  }
});
