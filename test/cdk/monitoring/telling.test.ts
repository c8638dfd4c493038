/** Checks that events and traces cost nothing by default, and that a deployment may ask for them. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Stack } from 'aws-cdk-lib';
import { EventBus, type IEventBus } from 'aws-cdk-lib/aws-events';
import { afterAll, describe, expect, test } from 'vitest';
import { Countersign, type CountersignProps } from '../../../cdk/constructs/countersign.ts';
import { newApp } from '../support/new-app.ts';
import { APP_ID, POLICY } from '../support/run-app.ts';
import { all, type TemplateJson } from '../support/template.ts';

const folder = mkdtempSync(join(tmpdir(), 'countersign-telling-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const WEBHOOKS = "webhooks: { siem: { url: 'https://events.example.test/in', secret: siem } }\n";

function templateOf(props: (stack: Stack) => Partial<CountersignProps> = () => ({}), more = ''): TemplateJson {
  const policyFile = join(folder, `policy-${more.length}.yaml`);
  writeFileSync(policyFile, readFileSync(POLICY, 'utf8') + more);
  const app = newApp();
  const stack = new Stack(app, 'Mine');
  new Countersign(stack, 'Gate', { policyFile, slackAppId: APP_ID, ...props(stack) });
  return app.synth().getStackByName('Mine').template as TemplateJson;
}

interface LambdaProperties {
  readonly TracingConfig: { readonly Mode: string };
  readonly Environment: { readonly Variables: { readonly EVENT_BUS?: unknown } };
}
const lambdas = (template: TemplateJson) =>
  all<LambdaProperties>(template, 'AWS::Lambda::Function').map(({ properties }) => properties);
const busesOf = (template: TemplateJson) =>
  new Set(lambdas(template).flatMap(({ Environment }) => JSON.stringify(Environment.Variables.EVENT_BUS) ?? []));
const modesOf = (template: TemplateJson) => ({
  functions: new Set(lambdas(template).map(({ TracingConfig }) => TracingConfig.Mode)),
  workflow: all<{ TracingConfiguration: { Enabled: boolean } }>(template, 'AWS::StepFunctions::StateMachine').map(
    ({ properties }) => properties.TracingConfiguration.Enabled,
  ),
});

describe('events', () => {
  test('by default nobody is told, and nobody may tell', () => {
    const template = templateOf();
    expect(busesOf(template)).toEqual(new Set());
    expect(JSON.stringify(template)).not.toContain('events:PutEvents');
  });

  test('of a policy file with webhooks go to the default bus, whose rules fill their queue', () => {
    const [bus, ...others] = busesOf(templateOf(undefined, WEBHOOKS));
    expect(bus).toContain(':event-bus/default');
    expect(others).toEqual([]);
  });

  test('are sent where the deployment says', () => {
    expect(busesOf(templateOf(() => ({ eventBus: 'log' })))).toEqual(new Set(['"log"']));
    const [bus] = busesOf(templateOf((stack) => ({ eventBus: new EventBus(stack, 'Bus') as IEventBus })));
    expect(bus).toMatch(/GetAtt.*"Bus/);
  });
});

describe('traces', () => {
  test('by default the gate begins none', () => {
    expect(modesOf(templateOf())).toEqual({ functions: new Set(['PassThrough']), workflow: [false] });
  });

  test('begin in functions and workflow where the deployment says so', () => {
    const active = modesOf(templateOf(() => ({ tracing: 'active' })));
    expect(active).toEqual({ functions: new Set(['Active']), workflow: [true] });
  });
});
