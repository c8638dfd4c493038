/** Checks the synthesised app: resources that keep their names, errors of settings, and cdk-nag. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Validations } from 'aws-cdk-lib';
import { Effect, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { AwsSolutionsChecks } from 'cdk-nag';
import { afterAll, describe, expect, inject, test, vi } from 'vitest';
import { internalsOf } from '../../cdk/constructs/internals.ts';
import { CountersignStack } from '../../cdk/countersign-stack.ts';
import { explainFindings } from '../../cdk/nag-findings.ts';
import { newApp } from './support/new-app.ts';
import { APP_ID, FLAGS, POLICY, runApp } from './support/run-app.ts';
import { all, type TemplateJson } from './support/template.ts';

const production = JSON.parse(inject('production')) as TemplateJson;
const folder = mkdtempSync(join(tmpdir(), 'countersign-app-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('the app', () => {
  test('keeps the name and kind of each resource: another name would replace it, with all that it holds', () => {
    // A version is named by its code.
    const resources = Object.entries(production.Resources).map(
      ([id, { Type }]) => `${Type === 'AWS::Lambda::Version' ? id.slice(0, -32) : id}: ${Type}`,
    );
    expect(resources.sort()).toMatchSnapshot();
  });

  test('names no partition of AWS: the stack is deployed to China and to the European Sovereign Cloud, too', () => {
    expect(inject('production').match(/arn:aws[a-z-]*:[^"]*/g) ?? []).toEqual([]);
  });

  test('says which setting is missing', async () => {
    const { ok, output } = await runApp(join(folder, 'no-app'), { policyFile: POLICY });
    expect(ok).toBe(false);
    expect(output).toContain('context slackAppId:');
  });

  test('says in which line a policy file does not load', async () => {
    const policyFile = join(folder, 'broken.yaml');
    writeFileSync(policyFile, 'agents:\n  billing:\n    owner: nobody\n    colour: red\n');
    const { ok, output } = await runApp(join(folder, 'broken'), { slackAppId: APP_ID, policyFile });
    expect(ok).toBe(false);
    expect(output).toMatch(/broken\.yaml:4/);
    expect(output).toContain('colour');
  });
});

describe('cdk-nag', () => {
  test('finds nothing that is not explained', () => {
    expect(JSON.parse(inject('validation'))).toMatchObject({ pluginReports: [] });
  });

  const withAddition = (add: (stack: CountersignStack) => void) => () => {
    const quiet = vi.spyOn(console, 'error').mockImplementation(() => undefined);
    const app = newApp({ context: FLAGS, outdir: join(folder, 'nag') });
    const stack = new CountersignStack(app, 'Nag', { policyFile: POLICY, slackAppId: APP_ID });
    add(stack);
    Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
    explainFindings(stack.gate);
    const { exitCode } = process;
    try {
      app.synth();
    } finally {
      process.exitCode = exitCode;
      quiet.mockRestore();
    }
  };

  test('a new finding fails synthesis, also beside explained ones', () => {
    expect(withAddition((stack) => new Queue(stack, 'Plain'))).toThrow('AwsSolutions-SQS4');
    const wild = new PolicyStatement({ effect: Effect.ALLOW, actions: ['dynamodb:GetItem'], resources: ['arn:aws:*'] });
    expect(withAddition(({ gate }) => internalsOf(gate).functions.slack.role.addToPrincipalPolicy(wild))).toThrow(
      'AwsSolutions-IAM5',
    );
  });
});

describe('what both local endpoints cannot carry is not there', () => {
  const typesOf = ({ Resources }: TemplateJson) => [...new Set(Object.values(Resources).map(({ Type }) => Type))];

  test('no custom resource; and where the stack is for development no alias, no version', () => {
    expect(typesOf(production).filter((type) => /^Custom::|CustomResource/.test(type))).toEqual([]);
    const development = typesOf(JSON.parse(inject('development')) as TemplateJson);
    expect(development.filter((type) => /::Alias$|::Version$|CodeDeploy/.test(type))).toEqual([]);
  });

  test('no alarm on metric math where the stack is for development', () => {
    const onMath = (template: TemplateJson) =>
      all(template, 'AWS::CloudWatch::Alarm').filter(({ properties }) => 'Metrics' in properties);
    expect(onMath(JSON.parse(inject('development')) as TemplateJson)).toEqual([]);
    expect(onMath(production).length).toBeGreaterThan(20);
  });

  test('no composite alarm where the stack is for development: each cause is a page of its own there', () => {
    const names = (template: TemplateJson, type: string) =>
      all<{ AlarmName: string }>(template, `AWS::CloudWatch::${type}`).map(({ properties }) => properties.AlarmName);
    const development = JSON.parse(inject('development')) as TemplateJson;
    expect(names(development, 'CompositeAlarm')).toEqual([]);
    const causes = names(production, 'Alarm').filter((name) => name.includes('/cause/'));
    const pages = new Set(names(development, 'Alarm').filter((name) => name.includes('/page/')));
    const missing = causes.map((name) => name.replace('/cause/', '/page/')).filter((name) => !pages.has(name));
    // Metric math, and the silence of a canary that does not run.
    expect(missing.map((name) => name.split('/').at(-1)).toSorted()).toEqual([
      'AllRefusedAlarm',
      'CardsMoreDeadAlarm',
      'ErrorsAlarm',
      'FaultsAlarm',
      'ProposalsMoreDeadAlarm',
      'UnansweredAlarm',
      'clicksFastBurnAlarm',
      'decisionsFastBurnAlarm',
    ]);
  });

  test('G42 nothing in the template looks like a secret', () => {
    expect(inject('production')).not.toMatch(/xox[abp]-|-----BEGIN|AKIA[A-Z0-9]{16}|resolve:secretsmanager/);
  });
});
