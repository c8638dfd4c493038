/** Checks that each function may use only the hooks, webhooks and secrets of the policy file. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RemovalPolicy, Stack } from 'aws-cdk-lib';
import { EventBus } from 'aws-cdk-lib/aws-events';
import { Key } from 'aws-cdk-lib/aws-kms';
import { describe, expect, test } from 'vitest';
import { Countersign, type CountersignProps } from '../../../cdk/constructs/countersign.ts';
import { isWritten } from '../../../shared/config/metric-names.ts';
import { newApp } from '../support/new-app.ts';
import { APP_ID, POLICY } from '../support/run-app.ts';
import { rightsOf } from '../support/statements.ts';
import { all, type TemplateJson, target } from '../support/template.ts';

const WEBHOOKS = `
webhooks:
  siem: { url: 'https://events.example.test/in', secret: hooks/siem, events: [ApprovalOpened, ClickRefused] }
  all: { url: 'https://all.example.test/in', secret: hooks/siem }
`;
const HOOKS = `
hooks:
  review: { function: review-calls, agents: [billing] }
  again: { function: review-calls }
  theirs: { function: 'arn:aws:lambda:eu-west-1:111122223333:function:judge:live' }
  endpoint: { url: 'https://hooks.example.test/permission', secret: hooks/endpoint }
`;

type Props = Partial<CountersignProps>;

function templateOf(more: string, given: Props | ((stack: Stack) => Props) = {}): TemplateJson {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-hooks-'));
  try {
    const policyFile = join(folder, 'hooks.yaml');
    writeFileSync(policyFile, readFileSync(POLICY, 'utf8') + more);
    const app = newApp();
    const stack = new Stack(app, 'Theirs');
    const props = typeof given === 'function' ? given(stack) : given;
    new Countersign(stack, 'Gate', { policyFile, slackAppId: APP_ID, ...props });
    return app.synth().getStackByName('Theirs').template as TemplateJson;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

interface Alarm {
  readonly MetricName?: string;
  readonly Dimensions?: readonly { readonly Name: string }[];
}

const SECRET = 'arn:AWS::Partition:secretsmanager:AWS::Region:AWS::AccountId:secret';

/** The rights of the role that match; no other role of the gate has one. */
function onlyOf(template: TemplateJson, owner: string, pattern: RegExp): string[] {
  const touching = (role: string) => rightsOf(template, role).filter((right) => pattern.test(right));
  const others = all(template, 'AWS::IAM::Role').filter(
    ({ id }) => /^Gate(?!Workflow)\w+Role/.test(id) && !id.startsWith(owner),
  );
  expect(others.length).toBeGreaterThan(5);
  for (const { id } of others) expect(touching(id.replace(/[0-9A-F]{8}$/, ''))).toEqual([]);
  return touching(owner);
}

test('no two names of the policy file are one to the CDK', () => {
  const hook = (name: string, secret: string) => `${name}: { url: 'https://a.example.test/in', secret: '${secret}' }`;
  const section = (name: string, entries: readonly string[]) =>
    `${name}:\n${entries.map((one) => `  ${one}`).join('\n')}\n`;
  const template = templateOf(
    section('webhooks', [hook('x', 'a/b'), hook('xUntakenAlarm', 'a--b')]) +
      section('hooks', [hook('one', 'a/b'), hook('two', 'a--b')]),
  );
  expect(all(template, 'AWS::Events::Rule').filter(({ id }) => id.startsWith('GateWebhooks'))).toHaveLength(2);
  const alarms = all(template, 'AWS::CloudWatch::Alarm').filter(({ id }) => id.startsWith('GateWebhooks'));
  expect(new Set(alarms.map(({ id }) => id)).size).toBe(4);
});

test('deliberate may call the hooks of the policy file, and read their secrets, alone', () => {
  const template = templateOf(HOOKS);
  const pattern = /InvokeFunction(?! Gate(Redeem|Redrive|Resume)|.*:refunds$)|hooks\/endpoint/;
  expect(onlyOf(template, 'GateDeliberateRole', pattern)).toEqual([
    'lambda:InvokeFunction arn:AWS::Partition:lambda:AWS::Region:AWS::AccountId:function:review-calls',
    'lambda:InvokeFunction arn:aws:lambda:eu-west-1:111122223333:function:judge:live',
    `secretsmanager:GetSecretValue ${SECRET}:hooks/endpoint-??????`,
  ]);
});

describe('webhooks', () => {
  const plain = templateOf(WEBHOOKS);
  const keyed = templateOf(WEBHOOKS, (stack) => ({ encryptionKey: new Key(stack, 'Key') }));
  const onOtherBus = (stack: Stack) => ({ eventBus: EventBus.fromEventBusName(stack, 'Bus', 'ops') });

  test('least rights: one function reads their secrets', () => {
    expect(onlyOf(plain, 'GateSendWebhooksRole', /hooks\/siem/)).toEqual([
      `secretsmanager:GetSecretValue ${SECRET}:hooks/siem-??????`,
    ]);
  });

  test('each has a rule of the bus, which selects its events of this deployment', () => {
    const rules = all<EventRule>(templateOf(WEBHOOKS, { deployment: 'shop' }), 'AWS::Events::Rule')
      .map(({ properties }) => properties)
      .filter(({ EventPattern }) => EventPattern);
    const here = { account: [{ Ref: 'AWS::AccountId' }], region: [{ Ref: 'AWS::Region' }] };
    expect(rules.map(({ EventPattern }) => EventPattern)).toEqual([
      {
        ...here,
        source: ['countersign'],
        detail: { deployment: ['shop'] },
        'detail-type': ['ApprovalOpened', 'ClickRefused'],
      },
      { ...here, source: ['countersign'], detail: { deployment: ['shop'] } },
    ]);
    const [{ Arn, InputTransformer } = {} as never] = rules[0]?.Targets ?? [];
    expect(target(Arn)).toMatch(/^GateQueuesWebhooks/);
    expect(InputTransformer?.InputTemplate.replaceAll(/<[^>]*>/g, '{}')).toBe('{"webhook":"siem","event":{}}');
    expect(Object.values(InputTransformer?.InputPathsMap ?? {})).toEqual(['$.detail']);
    // Fair by webhook: a receiver that hangs holds up no other's events.
    const groups = rules.map(({ Targets }) => Targets[0]?.SqsParameters?.MessageGroupId);
    expect(groups).toEqual(['siem', 'all']);
  });

  test.each([
    ['the default bus', () => plain, []],
    ['another one', () => templateOf(WEBHOOKS, onOtherBus), ['EventBusName']],
  ])('an alarm for each tells that EventBridge could not queue an event: of %s', (_, template, dimensions) => {
    const lost = all<Alarm>(template(), 'AWS::CloudWatch::Alarm').filter(
      ({ properties }) => properties.MetricName === 'FailedInvocations',
    );
    expect(lost.map(({ properties }) => properties.Dimensions?.map(({ Name }) => Name))).toEqual(
      lost.map(() => [...dimensions, 'RuleName']),
    );
    expect(lost).toHaveLength(2);
  });

  test('an alarm for each tells that its receiver takes nothing, by figures that are written whatever the mode', () => {
    const series = (template: TemplateJson) =>
      all<Alarm>(template, 'AWS::CloudWatch::Alarm')
        .map(({ properties }) => JSON.stringify(properties))
        .filter((text) => text.includes('WebhooksFailed'));
    const shares = series(plain);
    expect(shares).toHaveLength(2);
    for (const webhook of ['siem', 'all']) {
      const [share = ''] = shares.filter((text) => text.includes(`"Value":"${webhook}"`));
      expect(share).toContain('"MetricName":"WebhooksSent"');
      expect(share).toContain('bad0');
      expect(share).toContain('runbook.md#events-lost');
    }
    expect(series(templateOf(WEBHOOKS, { removalPolicy: RemovalPolicy.DESTROY }))).toEqual([
      expect.stringContaining('"Threshold":3'),
      expect.stringContaining('"Threshold":3'),
    ]);
    for (const name of ['WebhooksFailed', 'WebhooksSent'] as const)
      expect(isWritten('lean', name, ['webhook'])).toBe(true);
  });

  test.each([
    ['with keys of AWS', plain],
    ['with a key of their own', keyed],
  ])('nobody but these rules may send to their queue: %s', (_, template) => {
    const policies = all<QueuePolicy>(template, 'AWS::SQS::QueuePolicy').filter(({ properties }) =>
      properties.Queues.some((queue) => target(queue).startsWith('GateQueuesWebhooks')),
    );
    const allowed = policies.flatMap(({ properties }) =>
      properties.PolicyDocument.Statement.filter(({ Effect }) => Effect === 'Allow'),
    );
    expect(allowed.map(({ Principal }) => Principal)).toEqual(allowed.map(() => ({ Service: 'events.amazonaws.com' })));
    // SQS takes ten conditions in a policy, and a policy file ten webhooks.
    expect(allowed.map(({ Condition }) => JSON.stringify(Condition))).toEqual([
      expect.stringMatching(/^\{"ArnEquals":\{"aws:SourceArn":\[.*GateWebhooks.*GateWebhooks.*\]\}\}$/),
    ]);
    // Dead letters that come back, and events that an operator has sent again.
    const senders = all(template, 'AWS::IAM::Role')
      .map(({ id }) => id.replace(/[0-9A-F]{8}$/, ''))
      .filter((role) => rightsOf(template, role).includes('sqs:SendMessage GateQueuesWebhooks'));
    expect(senders.toSorted()).toEqual(['GateOperateRole', 'GateRedriveRole']);
  });

  test('the key lets services use it for this account alone, whatever flags the app has', () => {
    const keys = all<{ readonly KeyPolicy: PolicyDocument }>(keyed, 'AWS::KMS::Key');
    const open = keys
      .flatMap(({ properties }) => properties.KeyPolicy.Statement)
      .filter(({ Principal, Condition }) => JSON.stringify(Principal).includes('"Service"') && !Condition);
    // The CDK's own, for the log of a workflow: it decrypts, and encrypts nothing.
    expect(open.map(({ Principal }) => Principal)).toEqual([{ Service: 'delivery.logs.amazonaws.com' }]);
    const ofEvents = keys.flatMap(({ properties }) =>
      properties.KeyPolicy.Statement.filter(({ Principal }) => JSON.stringify(Principal).includes('events.amazonaws')),
    );
    expect(ofEvents).toHaveLength(1);
    expect(ofEvents[0]?.Condition).toEqual({ StringEquals: { 'aws:SourceAccount': { Ref: 'AWS::AccountId' } } });
  });

  test('least rights: to send events again takes entries of the record, where there is a webhook', () => {
    const reads = /^dynamodb:(BatchGetItem|Query) GateTablesAudit(\/index\/byAgent)?$/;
    const readers = (template: TemplateJson) =>
      rightsOf(template, 'GateOperateRole').filter((right) => reads.test(right));
    expect(readers(plain)).toEqual([
      'dynamodb:BatchGetItem GateTablesAudit',
      'dynamodb:Query GateTablesAudit/index/byAgent',
    ]);
    expect(readers(templateOf(''))).toEqual([]);
  });

  test('without a bus they would never hear of anything', () => {
    for (const eventBus of ['log', 'none'] as const)
      expect(() => templateOf(WEBHOOKS, { eventBus })).toThrow('eventBus: names no bus, and the webhooks');
  });
});

interface EventRule {
  readonly EventPattern?: object;
  readonly Targets: readonly {
    readonly Arn: unknown;
    readonly SqsParameters?: { readonly MessageGroupId: string };
    readonly InputTransformer?: { readonly InputTemplate: string; readonly InputPathsMap: Record<string, string> };
  }[];
}
interface PolicyDocument {
  readonly Statement: readonly {
    readonly Effect: string;
    readonly Principal: unknown;
    readonly Condition?: unknown;
  }[];
}

interface QueuePolicy {
  readonly Queues: readonly unknown[];
  readonly PolicyDocument: PolicyDocument;
}
